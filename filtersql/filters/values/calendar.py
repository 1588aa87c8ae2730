"""Days and microseconds since 2000-01-01, as PostgreSQL counts and shows them.

Dates are held as days, timestamps as microseconds since then, with the largest and smallest numbers
for the infinities; timetz as (microseconds, seconds east of UTC).

Example
    >>> days_of(2000, 1, 31), civil(-1), show_date(-730_485)
    (30, (1999, 12, 31), '0001-01-01 BC')

PostgreSQL
    datetime.c: date2j(), j2date(); date.c: date_out(), time_out(), timetz_out(); timestamp.c:
    timestamp_out(), timestamptz_out().
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import NamedTuple

__all__ = [
    "DATE_INFINITY",
    "EPOCH",
    "INFINITE",
    "MINUS_DATE_INFINITY",
    "MINUS_TIMES_INFINITY",
    "TIMES_INFINITY",
    "USECS_PER_DAY",
    "TimeAndZone",
    "civil",
    "days_of",
    "show_date",
    "show_moment",
    "show_time",
    "show_timestamp",
    "show_timestamptz",
    "show_timetz",
]

DATE_INFINITY = 2**31 - 1
MINUS_DATE_INFINITY = -(2**31)
TIMES_INFINITY = 2**63 - 1
MINUS_TIMES_INFINITY = -(2**63)
#: infinity and -infinity of each type
INFINITE: Mapping[str, tuple[int, int]] = {
    "date": (DATE_INFINITY, MINUS_DATE_INFINITY),
    **dict.fromkeys(("timestamp", "timestamptz"), (TIMES_INFINITY, MINUS_TIMES_INFINITY)),
}
USECS_PER_DAY = 86_400_000_000
#: 2000-01-01 as Python counts days
EPOCH = datetime.date(2000, 1, 1).toordinal()


class TimeAndZone(NamedTuple):
    """A timetz: microseconds of the day, and seconds east of UTC."""

    micros: int
    east: int


def days_of(year: int, month: int, day: int) -> int:
    """Days since 2000-01-01 of a day of the proleptic Gregorian calendar (date2j)."""
    cycles = (year - 1) // 400
    return datetime.date(year - cycles * 400, month, day).toordinal() - EPOCH + cycles * 146_097


def civil(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day since 2000-01-01 (j2date); year 0 is 1 BC."""
    ordinal = days + EPOCH
    cycles = (ordinal - 1) // 146_097
    day = datetime.date.fromordinal(ordinal - cycles * 146_097)
    return day.year + cycles * 400, day.month, day.day


def show_date(value: object) -> str:
    """ISO, with BC behind it where it is."""
    assert isinstance(value, int)
    if value in (DATE_INFINITY, MINUS_DATE_INFINITY):
        return "infinity" if value > 0 else "-infinity"
    return _on_day(value)


def _on_day(days: int, clock: str = "") -> str:
    """A finite day and the time of it, behind which BC stands where it is."""
    year, month, day = civil(days)
    era = " BC" if year < 1 else ""
    return f"{year if year > 0 else 1 - year:04d}-{month:02d}-{day:02d}{clock}{era}"


def show_time(value: object) -> str:
    """Hours, minutes, seconds and the digits of the fraction that are not zero."""
    assert isinstance(value, int)
    seconds, part = divmod(value, 1_000_000)
    tail = f".{part:06d}".rstrip("0") if part else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{tail}"


def show_timetz(value: object) -> str:
    """The time and its offset."""
    assert isinstance(value, TimeAndZone)
    micros, east = value
    hours, rest = divmod(abs(east), 3600)
    tail = f":{rest // 60:02d}" if rest else ""
    tail += f":{rest % 60:02d}" if rest % 60 else ""
    return f"{show_time(micros)}{'-' if east < 0 else '+'}{hours:02d}{tail}"


def show_moment(value: object, zone: str) -> str:
    """ISO, with a zone's offset behind the time."""
    assert isinstance(value, int)
    if value in (TIMES_INFINITY, MINUS_TIMES_INFINITY):
        return "infinity" if value > 0 else "-infinity"
    days, micros = divmod(value, USECS_PER_DAY)
    return _on_day(days, f" {show_time(micros)}{zone}")


def show_timestamp(value: object) -> str:
    """ISO."""
    return show_moment(value, "")


def show_timestamptz(value: object) -> str:
    """ISO in UTC."""
    return show_moment(value, "+00")
