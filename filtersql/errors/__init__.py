"""Every mistake that a user can make, as a row or a class that words it.

    Mistake                     one thing that is wrong, with its place, detail and hint
    ├── errors.project          files, profiles, Jinja, selectors
    ├── errors.definitions      YAML, and statements as such
    ├── errors.relations, columns, keys, partitions, altering
    │                           what PostgreSQL refuses of DDL, in its words
    ├── errors.publications     what PostgreSQL refuses at CREATE PUBLICATION / SUBSCRIPTION
    ├── errors.replication_sets what replication sets and named rules refuse
    ├── errors.filters          what a row filter may not hold
    ├── errors.feeds            change feeds and source rows
    ├── errors.stopping         changes that stop a run
    ├── errors.live             live databases: named, reached, read
    ├── errors.targets          engines (most end with exit code 2)
    └── errors.reaching         what a machine lacks to reach one, and the command that mends it
    Mistakes                    all mistakes of a command, raised together
    Notice                      a warning: printed, never fatal

A row (`errors.wording`) holds sentences with places for names; a class of its own is there where
a caller catches it, or where the words need a choice. Call sites pass names and a `Span`; a
module that needs many rows of one table imports the table: `partitions as refusals`. Wording
follows PostgreSQL's error style guide: the message is lower case, one line, without a period;
detail and hint are sentences; user names stand in double quotes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import TypeVar

from msgspec import Struct

from filtersql.errors.concealing import concealed
from filtersql.source import Span

_Told = TypeVar("_Told", bound="Mistake | Notice")
#: so many mistakes of a file in the same words are printed with their lines, details and hints
_WHOLE = 10
_SILENCE = re.compile(r"(?:#|--)\s*silence:\s*([a-z, -]+?)\s*\Z")

__all__ = [
    "Collector",
    "Mistake",
    "Mistakes",
    "Notice",
    "heard",
    "in_order",
    "nearest",
    "report_of",
]


class Mistake(Exception):
    """One thing that is wrong in the project or its data.

    Subclasses take names and a span and word the rest. `str()` is the whole report of
    INTERFACE.md section 4: place, message, excerpt with caret, detail, hint.
    """

    exit_code = 1
    #: filtersql's own refusal of what the source system takes
    own = False

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        detail: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.detail = detail
        self.hint = hint

    def __str__(self) -> str:
        return concealed(_report("", self.message, self.span, self.detail, self.hint))


class Mistakes(Exception):
    """Several mistakes, none of which hides another."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        # Several targets may stumble over one thing: it is reported once.
        self.mistakes: Sequence[Mistake] = tuple({str(one): one for one in mistakes}.values())
        super().__init__(f"{len(self.mistakes)} mistakes")

    @property
    def exit_code(self) -> int:
        """The worst exit code of them."""
        return max(mistake.exit_code for mistake in self.mistakes)

    def __str__(self) -> str:
        return report_of(self.mistakes)


def report_of(mistakes: Iterable[Mistake]) -> str:
    """What is printed of some: what a file has again and again takes a line each behind a few."""
    parts: list[str] = []
    times = Counter[tuple[object, ...]]()
    brief = False
    for one in mistakes:
        same = (one.span and one.span.source.path, one.message, one.detail, one.hint)
        times[same] += 1
        text, before = str(one), brief
        brief = one.span is not None and times[same] > _WHOLE
        if brief:
            text = text.partition("\n")[0]
        if brief and before:
            parts[-1] += f"\n{text}"
        else:
            parts.append(text)
    return "\n\n".join(parts)


def in_order(told: Iterable[_Told], files: Iterable[str]) -> list[_Told]:
    """File by file as they were read, and from top to bottom in each; warnings also by name."""
    found = list(told)
    if len(found) < 2:
        return found
    known = dict.fromkeys(files)
    # The project's own file and its profiles are read before all others.
    first = [one.span.source.path for one in found if one.span]
    first = [path for path in first if path not in known]
    places = {path: number for number, path in enumerate(dict.fromkeys((*first, *known)))}

    def place(one: _Told) -> tuple[int, int, str, str]:
        words = (one.name, one.message) if isinstance(one, Notice) else ("", "")
        return (
            (places[one.span.source.path], one.span.start, *words) if one.span else (-1, 0, *words)
        )

    return sorted(found, key=place)


class Collector:
    """Keeps the mistakes of several steps: `with mistakes:` goes on behind a failed one."""

    def __init__(self) -> None:
        self.found: dict[str, Mistake] = {}

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        if error is None:
            return False
        if isinstance(error, Mistake):
            self.keep([error])
        elif isinstance(error, Mistakes):
            self.keep(error.mistakes)
        else:
            return False
        return True

    def keep(self, mistakes: Iterable[Mistake]) -> None:
        """Keeps each of them once."""
        for mistake in mistakes:
            self.found.setdefault(str(mistake), mistake)

    def raise_all(self, files: Iterable[str] = ()) -> None:
        """Raises what was found, if anything was: file by file, from top to bottom."""
        if self.found:
            raise Mistakes(in_order(self.found.values(), files))


class Notice(Struct, frozen=True):
    """A warning. `name` is its kind in lower-case words with dashes, to silence it by."""

    name: str
    message: str
    span: Span | None = None
    detail: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        return _report("warning: ", self.message, self.span, self.detail, self.hint)


def heard(notices: Iterable[Notice], silenced: Iterable[str] = ()) -> Iterator[Notice]:
    """The warnings that nobody silenced: in the project, or by a comment on the line they show.

    >>> from filtersql.source import Source
    >>> source = Source("p.yml", "where: a = NULL  # silence: filter-never-true")
    >>> list(heard([Notice("filter-never-true", "…", source.span(7, 8))]))
    []
    """
    names = frozenset(silenced)
    for notice in notices:
        if notice.name not in names and notice.name not in _silenced_on_line(notice.span):
            yield notice


def _silenced_on_line(span: Span | None) -> list[str]:
    if span is None:
        return []
    text = span.source.text
    begin = text.rfind("\n", 0, span.start) + 1
    stop = text.find("\n", span.start)
    said = _SILENCE.search(text[begin : stop if stop >= 0 else len(text)])
    return said[1].replace(",", " ").split() if said else []


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that a typo probably meant, or None.

    >>> nearest("regoin", ["id", "region"])
    'region'
    """
    close = get_close_matches(name, list(known), n=1, cutoff=0.6)
    return close[0] if close else None


def _report(
    kind: str, message: str, span: Span | None, detail: str | None, hint: str | None
) -> str:
    place = f"{span}: " if span else ""
    lines = [f"{place}{kind}{message}"]
    if span:
        lines.append(span.excerpt())
    lines += [f"{word}: {text}" for word, text in (("detail", detail), ("hint", hint)) if text]
    return "\n".join(lines)
