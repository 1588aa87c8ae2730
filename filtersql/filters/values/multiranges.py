"""Multirange literals: `{[1,5),[7,10)}`, `{}`.

Held as a Multirange of ranges in their order, of which none is empty and none touches the next.

PostgreSQL
    multirangetypes.c: multirange_in(), multirange_canonicalize(), multirange_out().
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cmp_to_key
from typing import NamedTuple

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock, Read, Reader, Show, Shower
from filtersql.filters.values.ranges import Range, compare
from filtersql.filters.values.texts import BLANKS

__all__ = ["Multirange", "of"]

#: a range as multirange_in() finds its end, which range_in() then reads
_RANGE = re.compile(r'[\[(](?:"(?:\\.|[^"\\])*"|\\.|[^"\\\])])*[\])]', re.DOTALL)
_EMPTY = re.compile("empty", re.IGNORECASE)


class Multirange(NamedTuple):
    """The ranges."""

    ranges: tuple[Range, ...]


def of(kind: str, read: Read, show: Show) -> tuple[Reader, Shower]:
    """The reader and the shower of multiranges of a range type."""

    def read_multirange(text: str, modifier: int, clock: Clock) -> object:
        found = [read(kind, one, -1, clock) for one in _cut(text)]
        return _canonical([one for one in found if isinstance(one, Range) and not one.empty])

    def show_multirange(value: object) -> str:
        assert isinstance(value, Multirange)
        return "{" + ",".join(show(kind, one) for one in value.ranges) + "}"

    return read_multirange, show_multirange


def _cut(text: str) -> Iterator[str]:
    """The texts of the ranges between the braces."""

    def skip(place: int) -> int:
        return len(text) - len(text[place:].lstrip(BLANKS))

    def malformed(detail: str) -> BadLiteral:
        return BadLiteral(f'malformed multirange literal: "{text}"', detail)

    place, count = skip(0), 0
    if text[place : place + 1] != "{":
        raise malformed("Missing left brace.")
    place = skip(place + 1)
    while not (count == 0 and text[place : place + 1] == "}"):
        if place == len(text):
            raise malformed("Unexpected end of input.")
        begins = text[place] in "[("
        match = (_RANGE if begins else _EMPTY).match(text, place)
        if match is None:
            raise malformed("Unexpected end of input." if begins else "Expected range start.")
        yield match[0]
        count, place = count + 1, skip(match.end())
        if place == len(text):
            raise malformed("Unexpected end of input.")
        if text[place] == "}":
            break
        if text[place] != ",":
            raise malformed("Expected comma or end of multirange.")
        place = skip(place + 1)
    if skip(place + 1) < len(text):
        raise malformed("Junk after closing right brace.")


def _canonical(found: list[Range]) -> Multirange:
    joined: list[Range] = []
    for one in sorted(found, key=cmp_to_key(_in_order)):
        last = joined[-1] if joined else None
        if last is None or _apart(last, one):
            joined.append(one)
        elif _upper(last, one) < 0:
            joined[-1] = last._replace(upper=one.upper, upper_in=one.upper_in)
    return Multirange(tuple(joined))


def _in_order(left: Range, right: Range) -> int:
    return _lower(left, right) or _upper(left, right)


def _lower(left: Range, right: Range) -> int:
    if left.lower is None or right.lower is None:
        return int(left.lower is not None) - int(right.lower is not None)
    return compare(left.lower, right.lower) or int(right.lower_in) - int(left.lower_in)


def _upper(left: Range, right: Range) -> int:
    if left.upper is None or right.upper is None:
        return int(left.upper is None) - int(right.upper is None)
    return compare(left.upper, right.upper) or int(left.upper_in) - int(right.upper_in)


def _apart(left: Range, right: Range) -> bool:
    """Whether something is between a range and the next one."""
    if left.upper is None or right.lower is None:
        return False
    order = compare(left.upper, right.lower)
    return order < 0 or (order == 0 and not left.upper_in and not right.lower_in)
