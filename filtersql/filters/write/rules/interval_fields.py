"""`interval hour to minute`, `interval(2)`: what a type's modifier leaves of an interval.

Example
    ======================= ======================================
    cast                    keeps of `1 year 2 mons 3 days 04:05:06.7`
    ======================= ======================================
    `::interval year`       `1 year`
    `::interval day`        `1 year 2 mons 3 days`
    `::interval day to hour` `1 year 2 mons 3 days 04:00:00`
    `::interval(0)`         `1 year 2 mons 3 days 04:05:07`
    ======================= ======================================

PostgreSQL
    timestamp.c: AdjustIntervalForTypmod(); fields above the ones that are named stay.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.write.writer import Writer

__all__ = ["adjusted", "fits"]

_MICROS = 2
_ALL = 0x7FFF
_FULL = 0xFFFF
#: datetime.h: bits of the fields
_YEAR, _MONTH, _DAY, _HOUR, _MINUTE, _SECOND = (1 << bit for bit in (2, 1, 3, 10, 11, 12))
#: the smallest first, with what is left out of months, days and microseconds: 0 nothing remains,
#: 1 all
_SMALLEST = (
    (_SECOND, (1, 1, 1)),
    (_MINUTE, (1, 1, 60_000_000)),
    (_HOUR, (1, 1, 3_600_000_000)),
    (_DAY, (1, 1, 0)),
    (_MONTH, (1, 0, 0)),
    (_YEAR, (12, 0, 0)),
)
_TIMES = (_DAY, _HOUR, _MINUTE, _SECOND)
#: those of INTERVAL YEAR TO MONTH and the like, and all
_TOGETHER = {_ALL, _YEAR, _MONTH, _YEAR | _MONTH} | {
    sum(_TIMES[begin : end + 1]) for begin in range(4) for end in range(begin, 4)
}


def fits(modifier: int) -> bool:
    """Whether a type has the modifier, or it is none."""
    places = modifier & _FULL
    return modifier < 0 or (modifier >> 16 in _TOGETHER and (places <= 6 or places == _FULL))


def adjusted(writer: Writer, inner: exp.Expr, which: int, modifier: int) -> exp.Expr:
    """The months, days or microseconds that the modifier leaves."""
    fields, places = modifier >> 16 & _ALL, modifier & _FULL
    if fields != _ALL:
        units = next(units for bit, units in _SMALLEST if fields & bit)
        inner = _whole(writer, inner, units[which])
    if which != _MICROS or places >= 6:
        return inner
    return writer.piece(".rounded_to", inner, 10 ** (6 - places))


def _whole(writer: Writer, inner: exp.Expr, unit: int) -> exp.Expr:
    """Whole units, counted towards zero; of a unit of 0, nothing."""
    if unit == 1:
        return inner
    if not unit:
        return writer.filled("_1 * 0", inner)
    count = writer.piece(".quotient", inner, unit)
    return writer.filled("_1 * _2", count, unit)
