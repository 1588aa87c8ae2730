"""Range literals: `[1,5)`, `(,2024-01-01]`, `empty`.

Held as a Range of two bounds of the subtype's own values; ranges of whole numbers and days in
PostgreSQL's canonical form, with the lower bound in and the upper one out.

PostgreSQL
    rangetypes.c: range_parse(), make_range(), int4range_canonical(), range_deparse().
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock, Read, Reader, Show, Shower
from filtersql.filters.values.texts import BLANKS

__all__ = ["EMPTY", "Range", "compare", "of"]

_BOUND = r'((?:"(?:[^"\\]|\\.|"")*"|\\.|[^"\\,()\[\]])*)'
_RANGE = re.compile(rf"\s*([\[(]){_BOUND},{_BOUND}([\])])\s*\Z", re.DOTALL | re.ASCII)
_EMPTY = re.compile(r"\s*empty\s*\Z", re.IGNORECASE | re.ASCII)
_NO_BRACKET = "Missing left parenthesis or bracket."
_DISCRETE = {"int4": 2**31 - 1, "int8": 2**63 - 1, "date": 2**31 - 2}
_QUOTED = re.compile(r'[\s"\\()\[\],]', re.ASCII)


class Range(NamedTuple):
    """None as a bound: there is none. An empty range has neither."""

    lower: object
    upper: object
    lower_in: bool
    upper_in: bool
    empty: bool = False


EMPTY = Range(None, None, False, False, True)


def of(subtype: str, read: Read, show: Show) -> tuple[Reader, Shower]:
    """The reader and the shower of ranges of a type."""

    def read_range(text: str, modifier: int, clock: Clock) -> object:
        if _EMPTY.match(text):
            return EMPTY
        match = _RANGE.match(text)
        if match is None:
            raise BadLiteral(
                f'malformed range literal: "{text}"',
                None if text.lstrip(BLANKS)[:1] in ("[", "(") else _NO_BRACKET,
            )
        lower, upper = (
            None if not bound else read(subtype, _plain(bound), -1, clock)
            for bound in (match[2], match[3])
        )
        return made(subtype, Range(lower, upper, match[1] == "[", match[4] == "]"))

    def show_range(value: object) -> str:
        assert isinstance(value, Range)
        if value.empty:
            return "empty"
        lower, upper = (
            "" if bound is None else _shown(show(subtype, bound))
            for bound in (value.lower, value.upper)
        )
        return f"{'[' if value.lower_in else '('}{lower},{upper}{']' if value.upper_in else ')'}"

    return read_range, show_range


def made(subtype: str, value: Range) -> Range:
    """make_range(): in canonical form; bounds in the wrong order are a mistake."""
    lower, upper, lower_in, upper_in, _ = value
    lower_in, upper_in = lower_in and lower is not None, upper_in and upper is not None
    if lower is not None and upper is not None:
        order = compare(lower, upper)
        if order > 0:
            raise BadLiteral("range lower bound must be less than or equal to range upper bound")
        if order == 0 and not (lower_in and upper_in):
            return EMPTY
    if subtype in _DISCRETE:
        if isinstance(lower, int) and not lower_in and not _infinite(subtype, lower):
            lower, lower_in = lower + 1, True
        if isinstance(upper, int) and upper_in and not _infinite(subtype, upper):
            if upper >= _DISCRETE[subtype]:
                raise BadLiteral(
                    "integer out of range" if subtype != "date" else "date out of range"
                )
            upper, upper_in = upper + 1, False
        if lower is not None and upper is not None and compare(lower, upper) >= 0:
            # (1,2) of whole numbers holds none
            return EMPTY if not (lower_in and upper_in) else Range(lower, upper, True, True)
    return Range(lower, upper, lower_in, upper_in)


def _infinite(subtype: str, value: int) -> bool:
    return subtype == "date" and value in (2**31 - 1, -(2**31))


def compare(left: object, right: object) -> int:
    """Below, at or above 0 as the left bound is smaller, equal or larger; NaN is the largest."""
    if isinstance(left, Decimal) and isinstance(right, Decimal):
        if left.is_nan() or right.is_nan():
            return int(left.is_nan()) - int(right.is_nan())
        return int(left > right) - int(left < right)
    assert isinstance(left, int)
    assert isinstance(right, int)
    return int(left > right) - int(left < right)


def _plain(bound: str) -> str:
    """Quotes and backslashes taken away."""

    def piece(match: re.Match[str]) -> str:
        if match[1] is not None:
            return re.sub(r'\\(.)|"(")', lambda m: m[1] or m[2], match[1], flags=re.DOTALL)
        return match[2]

    return re.sub(r'"((?:[^"\\]|\\.|"")*)"|\\(.)', piece, bound, flags=re.DOTALL)


def _shown(text: str) -> str:
    if text and not _QUOTED.search(text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '""') + '"'
