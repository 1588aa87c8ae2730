"""Intervals as ISO 8601 writes them: `P1Y2M3DT4H5M6S`, `P0001-02-03T04:05:06`, `P00010203T040506`.

PostgreSQL
    datetime.c: DecodeISO8601Interval(), ParseISO8601Number().
"""

from __future__ import annotations

import math
import re

from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.datetime_fields import Bad
from filtersql.filters.values.interval_sums import Sum

__all__ = ["iso_interval"]

#: what strtod() takes
_DOUBLE = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_MOST = 1e15
_DATE_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_TIME_UNITS = {"H": "hour", "M": "minute", "S": "second"}


def iso_interval(text: str) -> Sum:
    """What the text adds up to; raises Bad("format") for another form."""
    if len(text) < 2 or text[0] != "P":
        raise Bad("format")
    found, place, dated, before = Sum(), 1, True, False
    while place < len(text):
        if text[place] == "T":
            place, dated, before = place + 1, False, False
            continue
        start = place
        whole, part, place = _number(text, place)
        unit = text[place : place + 1]
        units = _DATE_UNITS if dated else _TIME_UNITS
        if unit in units and unit:
            found.add(units[unit], whole, part)
            place, before = place + 1, True
            continue
        if before or unit not in (("", "T", "-") if dated else ("", ":")):
            raise Bad("format")
        width = len(re.match(r"-?([0-9]*)", text[start:])[1])  # type: ignore[index]
        if unit != ("-" if dated else ":") and width == (8 if dated else 6):
            _run_together(found, whole, part, dated=dated)
        else:
            place = _separated(found, text, place, (whole, part), dated=dated)
        if place < len(text) and (not dated or text[place] != "T"):
            raise Bad("format")
    return found


def _number(text: str, place: int) -> tuple[int, float, int]:
    """The whole number, what is behind its point, and the place behind it."""
    match = _DOUBLE.match(text, place)
    if not match or text[place] == "+":
        raise Bad("format")
    value = float(match[0])
    if math.isinf(value):
        raise Bad("format")
    if abs(value) > _MOST:
        raise Bad("field")
    whole = math.trunc(value)
    return whole, value - whole, match.end()


def _run_together(found: Sum, whole: int, part: float, *, dated: bool) -> None:
    """Digits that run together: yyyymmdd or hhmmss."""
    first, rest = (abs(whole) // 10_000, abs(whole) % 10_000)
    sign = -1 if whole < 0 else 1
    units = ("year", "month", "day") if dated else ("hour", "minute", "second")
    for unit, number in zip(units, (first, rest // 100, rest % 100), strict=True):
        found.add(unit, sign * number, 0.0)
    found.spill(part, USECS_PER_DAY if dated else 1)
    found.check()


def _separated(found: Sum, text: str, place: int, first: tuple[int, float], *, dated: bool) -> int:
    """Numbers as in y-m-d or h:m:s, of which the last ones may be missing; the place behind it."""
    units = ("year", "month", "day") if dated else ("hour", "minute", "second")
    found.add(units[0], *first)
    for unit in units[1:]:
        if text[place : place + 1] != ("-" if dated else ":"):
            break
        whole, part, place = _number(text, place + 1)
        found.add(unit, whole, part)
    return place
