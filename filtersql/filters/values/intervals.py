"""interval literals: `1 day 02:03:04`, `1-2`, `P1Y2M`, `@ 3 hours ago`, `infinity`.

Held as (months, days, microseconds); the infinities as the texts that PostgreSQL prints.

PostgreSQL
    timestamp.c, interval_in(); datetime.c: EncodeInterval() in the style postgres;
    timestamp.c, AdjustIntervalForTypmod().
"""

from __future__ import annotations

from typing import NamedTuple

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.calendar import USECS_PER_DAY, show_time
from filtersql.filters.values.clock import Clock, Types
from filtersql.filters.values.datetime_fields import Bad, fields
from filtersql.filters.values.interval_sums import LIMITS, Sum, added_up
from filtersql.filters.values.iso_intervals import iso_interval

__all__ = ["INFINITE_SINCE", "TYPES", "Interval", "Parts", "show_interval", "total"]


class Parts(NamedTuple):
    """The three numbers of a finite interval."""

    months: int
    days: int
    micros: int


Interval = Parts | str

#: since when an interval may be infinite, and what is between infinite timestamps is one
INFINITE_SINCE = 17
_YEAR, _MONTH, _HOUR, _MINUTE, _SECOND = 1 << 2, 1 << 1, 1 << 10, 1 << 11, 1 << 12
_MINUTE_MICROS = 60_000_000


def read_interval(text: str, modifier: int, clock: Clock) -> Interval:
    """(months, days, microseconds)."""
    chosen = modifier >> 16 & 0x7FFF if modifier >= 0 else 0x7FFF
    found = _added_up(text, chosen, clock)
    if isinstance(found, str):
        return found
    parts = (found.years * 12 + found.months, found.days, found.micros)
    if not -LIMITS[0] <= parts[0] < LIMITS[0]:
        raise BadLiteral("interval out of range")
    fitted = _fitted(parts, chosen, modifier & 0xFFFF if modifier >= 0 else 0xFFFF)
    if clock.postgres_version >= INFINITE_SINCE:
        # PostgreSQL holds the infinite ones as the largest and the smallest numbers.
        if all(part == limit - 1 for part, limit in zip(fitted, LIMITS, strict=True)):
            return "infinity"
        if all(part == -limit for part, limit in zip(fitted, LIMITS, strict=True)):
            return "-infinity"
    return Parts(*fitted)


def _added_up(text: str, chosen: int, clock: Clock) -> Sum | str:
    try:
        try:
            standard = clock.session.sql_standard_intervals
            found = added_up(fields(text), chosen, sql_standard=standard)
            if isinstance(found, str) and clock.postgres_version < INFINITE_SINCE:
                raise Bad("format")
        except Bad as problem:
            if problem.kind != "format":
                raise
            found = iso_interval(text)
    except Bad as problem:
        kind = "interval" if problem.kind == "field" else problem.kind
        version = clock.postgres_version
        raise Bad(kind, problem.zone).mistake("interval", text, version) from None
    return found


def _fitted(found: tuple[int, int, int], chosen: int, precision: int) -> tuple[int, int, int]:
    """Cut to the typmod's fields, rounded to its precision."""
    months, days, micros = found
    if chosen != 0x7FFF:
        if chosen == _YEAR:
            months = _cut(months, 12)
        if chosen in (_YEAR, _MONTH, _YEAR | _MONTH):
            days = micros = 0
        if not chosen & (_HOUR | _MINUTE | _SECOND):
            micros = 0
        elif not chosen & _SECOND:
            micros = _cut(micros, _MINUTE_MICROS if chosen & _MINUTE else 60 * _MINUTE_MICROS)
    if precision < 6:
        unit = 10 ** (6 - precision)
        micros += unit // 2 if micros >= 0 else -(unit // 2)
        if not -LIMITS[2] <= micros < LIMITS[2]:
            raise BadLiteral("interval out of range")
        micros = _cut(micros, unit)
    return months, days, micros


def _cut(micros: int, unit: int) -> int:
    """Without what is less than a unit, towards zero."""
    return micros - (micros % unit if micros >= 0 else -(-micros % unit))


def total(value: Interval) -> int | str:
    """Microseconds by which intervals are compared: a month has 30 days, a day 24 hours."""
    if isinstance(value, str):
        return value
    months, days, micros = value
    return (months * 30 + days) * USECS_PER_DAY + micros


def show_interval(value: object) -> str:
    """The style postgres."""
    if isinstance(value, str):
        return value
    assert isinstance(value, tuple)
    months, days, micros = value
    years, rest = divmod(abs(months), 12)
    sign = -1 if months < 0 else 1
    parts, before = list[str](), False
    for number, unit in ((sign * years, "year"), (sign * rest, "mon"), (days, "day")):
        if number:
            plus = "+" if before and number > 0 else ""
            parts.append(f"{plus}{number} {unit}{'' if number == 1 else 's'}")
            before = number < 0
    if micros or not parts:
        sign_of_time = "-" if micros < 0 else "+" if before else ""
        parts.append(sign_of_time + show_time(abs(micros)))
    return " ".join(parts)


TYPES: Types = {"interval": (read_interval, show_interval)}
