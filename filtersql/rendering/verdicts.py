"""Where row filters stand in a statement: each in parentheses, in the COALESCE of their verdict.

Example
    COALESCE(
        -- publication p1: (a > 5)
        (old_a > 5)                              one filter
        -- publication p2: (b < 3)
        OR (old_b < 3),                          another one
        FALSE                                    what NULL stands for
    )

It is found by its form, so the statements need no marks; a project's own macro keeps its source map
and its proof as long as it keeps that form.
"""

from __future__ import annotations

import re

from filtersql.rendering.line_breaks import STRINGS
from filtersql.storage import Engine

__all__ = ["filters_in"]

_BLANK = r"(?:\s|--[^\n]*\n)*"
_WORD = "COALESCE("
_FIRST = re.compile(rf"COALESCE\({_BLANK}(?=\()")
#: what stands behind a filter: a connective and the next one, or the value of NULL
_NEXT = re.compile(
    rf"{_BLANK}(?:(?P<more>(?:AND|OR)\b{_BLANK}(?=\())|,{_BLANK}(?:TRUE|FALSE|NULL){_BLANK}\))"
)
_PARTS: dict[Engine, re.Pattern[str]] = {
    engine: re.compile(rf"{strings}|--[^\n]*|\(|\)", re.DOTALL)
    for engine, strings in STRINGS.items()
}


def filters_in(text: str, engine: Engine) -> list[tuple[int, int]]:
    """Where each filter begins and ends, with its parentheses, in the order of the text."""
    found: list[tuple[int, int]] = []
    end = 0
    while (place := text.find(_WORD, end)) >= 0:
        end = place + len(_WORD)
        first = _FIRST.match(text, place)
        if first is not None and not _is_comment(text, place):
            filters, end = _verdict(text, first.end(), engine)
            found += filters
    return found


def _verdict(text: str, place: int, engine: Engine) -> tuple[list[tuple[int, int]], int]:
    """The filters from the first one on, and where the COALESCE ends: at `place` if it is none."""
    filters: list[tuple[int, int]] = []
    begin = place
    while (end := _closed(text, begin, engine)) is not None:
        filters.append((begin, end))
        behind = _NEXT.match(text, end)
        if behind is None:
            break
        if behind["more"] is None:
            return filters, behind.end()
        begin = behind.end()
    return [], place


def _closed(text: str, place: int, engine: Engine) -> int | None:
    """Behind the parenthesis that closes the one at a place."""
    depth = 0
    for part in _PARTS[engine].finditer(text, place):
        if part[0] == "(":
            depth += 1
        elif part[0] == ")":
            depth -= 1
            if depth == 0:
                return part.end()
    return None


def _is_comment(text: str, place: int) -> bool:
    """Whether the line is a comment up to there: PostgreSQL's text of a filter may hold one."""
    return "--" in text[text.rfind("\n", 0, place) + 1 : place]
