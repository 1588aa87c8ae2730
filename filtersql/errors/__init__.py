"""Every mistake that a user can make, as a class that words it.

    Mistake                     one thing that is wrong, with its place, detail and hint
    ├── errors.project          files, profiles, Jinja, selectors
    ├── errors.definitions      YAML and DDL
    ├── errors.publications     what PostgreSQL refuses at CREATE PUBLICATION / SUBSCRIPTION
    ├── errors.filters          what a row filter may not hold
    ├── errors.feeds            change feeds
    └── errors.targets          engines (`Unreachable` ends with exit code 2)
    Mistakes                    all mistakes of a command, raised together
    Notice                      a warning: printed, never fatal

Call sites pass names and a `Span`; the sentences stand in these modules only. Wording follows
PostgreSQL's error style guide: the message is lower case, one line, without a period; detail and
hint are sentences; user names stand in double quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from filtersql.source import Span

__all__ = ["Mistake", "Mistakes", "Notice", "nearest"]


class Mistake(Exception):
    """One thing that is wrong in the project or its data.

    Subclasses take names and a span and word the rest. `str()` is the whole report of
    INTERFACE.md section 4: place, message, excerpt with caret, detail, hint.
    """

    exit_code = 1

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
        return _report("", self.message, self.span, self.detail, self.hint)


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
        return "\n\n".join(map(str, self.mistakes))


@dataclass(frozen=True, slots=True)
class Notice:
    """A warning. `name` is its kind in lower-case words with dashes, to silence it by."""

    name: str
    message: str
    span: Span | None = None
    detail: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        return _report("warning: ", self.message, self.span, self.detail, self.hint)


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
