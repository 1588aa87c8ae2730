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
from functools import lru_cache

__all__ = [
    "FOREVER_DAYS",
    "FOREVER_MICROS",
    "date_days",
    "in_range",
    "time_text",
    "timestamp_micros",
    "timestamptz_micros",
    "timetz_text",
]

#: How PostgreSQL, Arrow's consumers and DuckDB hold `infinity`; the negative is `-infinity`.
FOREVER_DAYS = 2**31 - 1
FOREVER_MICROS = 2**63 - 1

_DAY = 86_400_000_000
_DATE = r"(\d{4,7})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})0*)?)?"
_OFFSET = r"(Z|z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)"
_date = re.compile(rf"{_DATE}( BC)?")
_timestamp = re.compile(rf"{_DATE}[ T]{_TIME}( BC)?")
_timestamptz = re.compile(rf"{_DATE}[ T]{_TIME} ?{_OFFSET}( BC)?")
_time = re.compile(_TIME)
_timetz = re.compile(rf"{_TIME} ?{_OFFSET}")
_MONTH_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_INFINITE = {"infinity": 1, "-infinity": -1}


def date_days(text: str) -> int:
    """Days since 1970-01-01. Raises ValueError."""
    if sign := _INFINITE.get(text):
        return sign * FOREVER_DAYS
    match = _date.fullmatch(text)
    if match is None:
        raise ValueError
    return _days(match[1], match[2], match[3], bc=match[4] is not None)


def timestamp_micros(text: str) -> int:
    """Microseconds since 1970-01-01 00:00:00. Raises ValueError."""
    if sign := _INFINITE.get(text):
        return sign * FOREVER_MICROS
    match = _timestamp.fullmatch(text)
    if match is None:
        raise ValueError
    days = _days(match[1], match[2], match[3], bc=match[8] is not None)
    return in_range(days * _DAY + _micros(match[4], match[5], match[6], match[7]))


def timestamptz_micros(text: str) -> int:
    """Microseconds since 1970-01-01 00:00:00 UTC; the text must state its offset."""
    if sign := _INFINITE.get(text):
        return sign * FOREVER_MICROS
    match = _timestamptz.fullmatch(text)
    if match is None:
        raise ValueError
    days = _days(match[1], match[2], match[3], bc=match[9] is not None)
    local = days * _DAY + _micros(match[4], match[5], match[6], match[7])
    return in_range(local - _offset_seconds(match[8]) * 1_000_000)


def time_text(text: str) -> str:
    """A time as PostgreSQL prints it.

    >>> time_text("12:30:00.500")
    '12:30:00.5'
    """
    match = _time.fullmatch(text)
    if match is None:
        raise ValueError
    return _time_of(_micros(match[1], match[2], match[3], match[4], midnight=True))


def timetz_text(text: str) -> str:
    """A time with its offset as PostgreSQL prints it.

    >>> timetz_text("12:30:00Z"), timetz_text("12:30:00-03:30")
    ('12:30:00+00', '12:30:00-03:30')
    """
    match = _timetz.fullmatch(text)
    if match is None:
        raise ValueError
    seconds = _offset_seconds(match[5])
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    parts = [seconds // 3600, seconds // 60 % 60, seconds % 60]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    offset = ":".join(f"{part:02}" for part in parts)
    time = _time_of(_micros(match[1], match[2], match[3], match[4], midnight=True))
    return f"{time}{sign}{offset}"


@lru_cache(maxsize=4096)
def _days(year_text: str, month_text: str, day_text: str, *, bc: bool) -> int:
    year, month, day = int(year_text), int(month_text), int(day_text)
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= _MONTH_DAYS[month - 1]:
        raise ValueError
    if bc:
        year = 1 - year
    if month == 2 and day == 29 and (year % 4 or (year % 100 == 0 and year % 400)):
        raise ValueError
    # Howard Hinnant's days_from_civil: the proleptic Gregorian calendar in whole eras.
    year -= month <= 2
    era, year_of_era = divmod(year, 400)
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return (
        era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    ) - 719_468


def _micros(
    hour: str, minute: str, second: str | None, fraction: str | None, *, midnight: bool = False
) -> int:
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(second or 0)
    micros = seconds * 1_000_000 + int((fraction or "").ljust(6, "0"))
    if int(minute) > 59 or int(second or 0) > 59:
        raise ValueError
    if micros > _DAY or (micros == _DAY and not midnight):
        raise ValueError
    return micros


def _offset_seconds(text: str) -> int:
    if text in ("Z", "z"):
        return 0
    digits = text[1:].replace(":", "").ljust(6, "0")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4]), int(digits[4:6])
    if hours > 15 or minutes > 59 or seconds > 59:
        raise ValueError
    total = (hours * 60 + minutes) * 60 + seconds
    return -total if text[0] == "-" else total


def in_range(micros: int) -> int:
    """The microseconds, which PostgreSQL may count beyond 64 bits since 1970: OverflowError."""
    if not -FOREVER_MICROS < micros < FOREVER_MICROS:
        raise OverflowError
    return micros


def _time_of(micros: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text
