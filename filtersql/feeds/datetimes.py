"""Dates and times as PostgreSQL prints them (DateStyle ISO), read into exact numbers.

Example
    >>> date_days("1970-01-02"), date_days("infinity") == FOREVER_DAYS
    (1, True)
    >>> timestamptz_micros("1970-01-01 05:30:00.000001+05:30")
    1

PostgreSQL
    src/backend/utils/adt/datetime.c, EncodeDateOnly() and EncodeDateTime(): four digits or more of
    the year, ` BC` behind everything, offsets of hours, minutes and seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow
from pyarrow import types

from filtersql.feeds.datetime_numbers import EPOCH_DAYS, date_text, timestamp_text
from filtersql.filters.values.calendar import (
    USECS_PER_DAY,
    TimeAndZone,
    days_of,
    show_time,
    show_timetz,
)

__all__ = [
    "FOREVER_DAYS",
    "FOREVER_MICROS",
    "OutOfRange",
    "date_days",
    "days_text",
    "in_range",
    "micros_text",
    "python_values",
    "time_text",
    "timestamp_micros",
    "timestamptz_micros",
    "timetz_text",
]

#: How PostgreSQL, Arrow's consumers and DuckDB hold `infinity`; the negative is `-infinity`.
FOREVER_DAYS = 2**31 - 1
FOREVER_MICROS = 2**63 - 1

#: 4714-11-24 BC, the first day behind 5874897-12-31, and the first one behind 294276-12-31
_FIRST_DAY, _LAST_DAY, _LAST_STAMP_DAY = -2_440_588, 2_145_042_906, 106_762_940
_DATE = r"(\d{4,})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?"
_OFFSET = r"(Z|z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)"
_date = re.compile(rf"{_DATE}( BC)?", re.ASCII)
_moment = re.compile(rf"{_DATE}[ T]{_TIME}(?: ?{_OFFSET})?( BC)?", re.ASCII)
_time = re.compile(_TIME, re.ASCII)
_timetz = re.compile(rf"{_TIME} ?{_OFFSET}", re.ASCII)
_FIELD = "date/time field value"
_INFINITE = {"infinity": 1, "-infinity": -1}


class OutOfRange(OverflowError):
    """No value of PostgreSQL's type. `what` begins its sentence: `date out of range: "..."`."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def date_days(text: str) -> int:
    """Days since 1970-01-01. Raises ValueError, OutOfRange."""
    if sign := _INFINITE.get(text):
        return sign * FOREVER_DAYS
    match = _date.fullmatch(text)
    if match is None:
        raise ValueError
    days = _days(match[1], match[2], match[3], bc=match[4] is not None)
    if not _FIRST_DAY <= days < _LAST_DAY:
        raise OutOfRange("date")
    return days


def timestamp_micros(text: str) -> int:
    """Microseconds since 1970-01-01 00:00:00. Raises ValueError, OverflowError."""
    return _moment_micros(text, zoned=False)


def timestamptz_micros(text: str) -> int:
    """Microseconds since 1970-01-01 00:00:00 UTC; the text must state its offset."""
    return _moment_micros(text, zoned=True)


def _moment_micros(text: str, *, zoned: bool) -> int:
    if sign := _INFINITE.get(text):
        return sign * FOREVER_MICROS
    match = _moment.fullmatch(text)
    if match is None or (match[8] is not None) != zoned:
        raise ValueError
    days = _days(match[1], match[2], match[3], bc=match[9] is not None)
    local = days * USECS_PER_DAY + _micros(match[4], match[5], match[6], match[7])
    return in_range(local - _offset_seconds(match[8] or "Z") * 1_000_000)


def time_text(text: str) -> str:
    """A time as PostgreSQL prints it.

    >>> time_text("12:30:00.500")
    '12:30:00.5'
    """
    match = _time.fullmatch(text)
    if match is None:
        raise ValueError
    return show_time(_micros(match[1], match[2], match[3], match[4]))


def timetz_text(text: str) -> str:
    """A time with its offset as PostgreSQL prints it.

    >>> timetz_text("12:30:00Z"), timetz_text("12:30:00-03:30")
    ('12:30:00+00', '12:30:00-03:30')
    """
    match = _timetz.fullmatch(text)
    if match is None:
        raise ValueError
    micros = _micros(match[1], match[2], match[3], match[4])
    return show_timetz(TimeAndZone(micros, _offset_seconds(match[5])))


def days_text(days: object) -> str:
    """The date of a number of days as PostgreSQL prints it."""
    assert isinstance(days, int)
    return _forever(days, FOREVER_DAYS) or date_text(days)


def micros_text(micros: object, offset: str = "") -> str:
    """The timestamp of a number of microseconds as PostgreSQL prints it."""
    assert isinstance(micros, int)
    return _forever(micros, FOREVER_MICROS) or timestamp_text(micros, offset)


def _forever(number: int, most: int) -> str:
    return "" if abs(number) != most else "infinity" if number > 0 else "-infinity"


def python_values(column: pyarrow.Array | pyarrow.ChunkedArray) -> list[Any]:
    """The values of a column; those of days that Python has none of as PostgreSQL prints them."""
    try:
        return list(column.to_pylist())
    except (OverflowError, ValueError):
        if types.is_date32(column.type):
            return _each(column, pyarrow.int32(), days_text)
        if not types.is_timestamp(column.type):
            raise
        offset = "+00" if column.type.tz else ""
        micros = column.cast(pyarrow.timestamp("us", column.type.tz))
        return _each(micros, pyarrow.int64(), lambda value: micros_text(value, offset))


def _each(
    column: pyarrow.Array | pyarrow.ChunkedArray,
    number: pyarrow.DataType,
    text: Callable[[object], str],
) -> list[Any]:
    """Python's value of each, or else the text of its number."""
    found: list[Any] = []
    for one, value in zip(column, column.cast(number).to_pylist(), strict=True):
        try:
            found.append(one.as_py())
        except (OverflowError, ValueError):
            found.append(text(value))
    return found


@lru_cache(maxsize=4096)
def _days(year_text: str, month_text: str, day_text: str, *, bc: bool) -> int:
    year = int(year_text)
    if year == 0:
        raise OutOfRange(_FIELD)
    try:
        return EPOCH_DAYS + days_of(1 - year if bc else year, int(month_text), int(day_text))
    except ValueError:
        raise OutOfRange(_FIELD) from None


def _micros(hour: str, minute: str, second: str | None, fraction: str | None) -> int:
    """Of the day: 24:00:00 is its end, and the second 60 the next minute, as PostgreSQL reads."""
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(second or 0)
    micros = seconds * 1_000_000 + int((fraction or "").ljust(6, "0"))
    if int(minute) > 59 or int(second or 0) > 60 or micros > USECS_PER_DAY:
        raise OutOfRange(_FIELD)
    return micros


def _offset_seconds(text: str) -> int:
    if text in ("Z", "z"):
        return 0
    digits = text[1:].replace(":", "").ljust(6, "0")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4]), int(digits[4:6])
    if hours > 15 or minutes > 59 or seconds > 59:
        raise OutOfRange("time zone displacement")
    total = (hours * 60 + minutes) * 60 + seconds
    return -total if text[0] == "-" else total


def in_range(micros: int) -> int:
    """The microseconds, which PostgreSQL may count beyond 64 bits since 1970: OverflowError."""
    if not _FIRST_DAY * USECS_PER_DAY <= micros < _LAST_STAMP_DAY * USECS_PER_DAY:
        raise OutOfRange("timestamp")
    if micros >= FOREVER_MICROS:
        raise OverflowError
    return micros
