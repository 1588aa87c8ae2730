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

from filtersql.filters.values.calendar import USECS_PER_DAY, show_date, show_moment, show_time
from filtersql.filters.values.intervals import show_interval

__all__ = ["EPOCH_DAYS", "date_text", "interval_text", "time_of_day", "timestamp_text"]

#: from 1970-01-01 to PostgreSQL's own first day, 2000-01-01
EPOCH_DAYS = 10_957
_NUMBER = r"([+-]?[\d.]+(?:E[+-]?\d+)?)"
_DURATION = re.compile(
    rf"P(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}D)?"
    rf"(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?",
    re.ASCII,
)


def date_text(days: int) -> str:
    """The date of a day since 1970-01-01."""
    return show_date(days - EPOCH_DAYS)


def time_of_day(micros: int) -> str:
    """The time of a microsecond of the day, 24:00:00 included. Raises ValueError."""
    if not 0 <= micros <= USECS_PER_DAY:
        raise ValueError(f"microsecond {micros} is not in a day")
    return show_time(micros)


def timestamp_text(micros: int, offset: str = "") -> str:
    """The timestamp of a microsecond since 1970-01-01 00:00:00, and a zone's offset behind it."""
    return show_moment(micros - EPOCH_DAYS * USECS_PER_DAY, offset)


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
    return show_interval(tuple(map(int, whole)))
