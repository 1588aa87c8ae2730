"""Numbers of days and microseconds, and ISO 8601 durations, as PostgreSQL prints them.

Example
    >>> date_text(19782), timestamp_text(1709210096789012), time_of_day(86_400_000_000)
    ('2024-02-29', '2024-02-29 12:34:56.789012', '24:00:00')
    >>> timestamp_text(-210866803200000000, "+01")
    '4714-11-24 00:00:00+01 BC'
    >>> interval_text("P1Y2M-3DT4H5M6.789S")
    '1 year 2 mons -3 days +04:05:06.789'

PostgreSQL
    src/backend/utils/adt/datetime.c, EncodeDateTime() and EncodeInterval(), IntervalStyle postgres.
"""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["date_text", "interval_text", "time_of_day", "timestamp_text"]

_DAY = 86_400_000_000
_NUMBER = r"([+-]?[\d.]+(?:E[+-]?\d+)?)"
_DURATION = re.compile(
    rf"P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}D)?"
    rf"(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.ASCII,
)


def date_text(days: int) -> str:
    """The date of a day since 1970-01-01."""
    year, month, day = _civil(days)
    return f"{_year(year)}-{month:02}-{day:02}{_era(year)}"


def _civil(days: int) -> tuple[int, int, int]:
    # Howard Hinnant's civil_from_days: the proleptic Gregorian calendar in whole eras.
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    year = year_of_era + era * 400 + (month <= 2)
    return year, month, day


def _year(year: int) -> str:
    return f"{year if year > 0 else 1 - year:04}"


def _era(year: int) -> str:
    return "" if year > 0 else " BC"


def time_of_day(micros: int) -> str:
    """The time of a microsecond of the day, 24:00:00 included. Raises ValueError."""
    if not 0 <= micros <= _DAY:
        raise ValueError(f"microsecond {micros} is not in a day")
    return _clock(micros)


def timestamp_text(micros: int, offset: str = "") -> str:
    """The timestamp of a microsecond since 1970-01-01 00:00:00, and a zone's offset behind it."""
    days, rest = divmod(micros, _DAY)
    year, month, day = _civil(days)
    return f"{_year(year)}-{month:02}-{day:02} {_clock(rest)}{offset}{_era(year)}"


def interval_text(duration: str) -> str:
    """An ISO 8601 duration as an interval. Raises ValueError."""
    match = _DURATION.fullmatch(duration)
    if match is None:
        raise ValueError(f"{duration} is not a duration")
    years, months, days, hours, minutes, seconds = (Decimal(part or 0) for part in match.groups())
    micros = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000
    whole = (years * 12 + months, days, micros)
    if any(part != int(part) for part in whole):
        raise ValueError(f"{duration} is no whole number of months, days and microseconds")
    return _interval(*map(int, whole))


def _interval(months: int, days: int, micros: int) -> str:
    year, month = divmod(abs(months), 12)
    sign = -1 if months < 0 else 1
    parts: list[str] = []
    negative = False
    for value, unit in ((sign * year, "year"), (sign * month, "mon"), (days, "day")):
        if value:
            plus = "+" if negative and value > 0 else ""
            parts.append(f"{plus}{value} {unit}{'' if value == 1 else 's'}")
            negative = value < 0
    if micros or not parts:
        sign_text = "-" if micros < 0 else "+" if negative else ""
        parts.append(sign_text + _clock(abs(micros)))
    return " ".join(parts)


def _clock(micros: int) -> str:
    seconds, fraction = divmod(micros, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text
