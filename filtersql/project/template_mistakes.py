"""What failed in a template, as a mistake with its place.

Jinja names a line; the tag or word that is meant is looked for on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from jinja2.filters import FILTERS
from jinja2.tests import TESTS

from filtersql.errors import Mistake
from filtersql.errors.project import TEMPLATE_MISTAKE, UNDEFINED_NAME
from filtersql.errors.wording import meant
from filtersql.source import Source, Span

if TYPE_CHECKING:
    pass

__all__ = ["located", "template_mistake"]

_UNDEFINED = re.compile(r"'([^']*)' is undefined")
_ATTRIBUTE = re.compile(r"has no attribute '([^']*)'")
_NAMED = re.compile(r"(?:got|unknown tag|named|unexpected|object has no element) '([^']*)'")


def located(
    error: Exception, source: Source, sources: Mapping[str, Source], words: Sequence[str]
) -> Span:
    """The place of an error: the line that Jinja names, and on it the tag or word that is meant.

    `words` stand behind each other in the template; a quoted one is a string there.
    """
    place, line = source, getattr(error, "lineno", None)
    traceback = error.__traceback__
    while (line is None and traceback is not None) or traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if name in sources:
            place, line = sources[name], traceback.tb_lineno
        traceback = traceback.tb_next
    if getattr(error, "lineno", None) is not None:
        place, line = source, error.lineno  # type: ignore[attr-defined]
    starts = [0, *(found.end() for found in re.finditer(r"\n", place.text))]
    begin = starts[min((line or 1), len(starts)) - 1]
    return _word_place(place, begin, words)


def template_mistake(
    error: Exception, source: Source, sources: Mapping[str, Source], known: Iterable[str]
) -> Mistake:
    """What Jinja or an expression in a template raised, as a mistake with its place."""
    message = str(error) or type(error).__name__
    name = _UNDEFINED.search(message)
    if name:
        return UNDEFINED_NAME(
            located(error, source, sources, [name[1]]), name=name[1], hint=meant(name[1], known)
        )
    word = _ATTRIBUTE.search(message) or _NAMED.search(message)
    span = located(error, source, sources, [word[1]] if word else [])
    hint = meant(word[1], _known_to_jinja(message)) if word else None
    message = message[:1].lower() + message[1:] if message[1:2].islower() else message
    return TEMPLATE_MISTAKE(
        span, problem=message.split("\n")[0].split(". ")[0].rstrip("."), hint=hint
    )


def _known_to_jinja(message: str) -> list[str]:
    if "filter" in message:
        return list(FILTERS)
    if "test" in message:
        return list(TESTS)
    if "tag" in message:
        return [
            "if",
            "elif",
            "else",
            "endif",
            "for",
            "endfor",
            "set",
            "endset",
            "macro",
            "endmacro",
            "call",
            "endcall",
            "filter",
            "endfilter",
            "raw",
            "endraw",
            "with",
            "endwith",
        ]
    return []


def _word_place(source: Source, begin: int, words: Sequence[str]) -> Span:
    """The last of `words` inside a tag from `begin` on; else the first tag, else the line."""
    text = source.text
    tag = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{[{%].*", re.DOTALL)
    pattern = r"\s*\(\s*".join(
        rf"(?P<q{index}>['\"]){re.escape(word[1:-1])}(?P=q{index})"
        if word.startswith('"')
        else (rf"(?<!\w){re.escape(word)}(?!\w)" if word.isidentifier() else re.escape(word))
        for index, word in enumerate(words)
    )
    first = None
    # A tag may begin on an earlier line than the one that Jinja names.
    opened = max(text.rfind("{{", 0, begin), text.rfind("{%", 0, begin))
    closed = max(text.rfind("}}", 0, begin), text.rfind("%}", 0, begin))
    for match in tag.finditer(text, opened if opened > closed else begin):
        first = first or match
        word = re.compile(pattern).search(text, match.start(), match.end()) if words else None
        if word and word.start() >= begin:
            return source.span(word.start(), word.end())
    end = text.find("\n", begin)
    end = len(text) if end < 0 else end
    if first is not None and first.start() <= end:
        return source.span(first.start(), first.end())
    return source.span(begin, end)
