"""date, time, timetz, timestamp, timestamptz and interval literals.

Held as PostgreSQL holds them: days or microseconds since 2000-01-01, with the largest and smallest
numbers for the infinities.

PostgreSQL
    datetime.c: ParseDateTime(), DecodeDateTime(), EncodeDateTime(); date.c, timestamp.c.
"""

from __future__ import annotations

import datetime
import re

from filtersql.errors.filters import BadLiteral
from filtersql.filters.literals.clock import Clock

__all__ = ["DATE_INFINITY", "TIMES_INFINITY", "TYPES", "civil", "days_of"]

DATE_INFINITY = 2**31 - 1
MINUS_DATE_INFINITY = -(2**31)
TIMES_INFINITY = 2**63 - 1
MINUS_TIMES_INFINITY = -(2**63)
USECS_PER_DAY = 86_400_000_000
_EPOCH = datetime.date(2000, 1, 1).toordinal()
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?\Z"
)


def days_of(year: int, month: int, day: int) -> int:
    """Days since 2000-01-01 of a day of the proleptic Gregorian calendar (date2j)."""
    cycles = (year - 1) // 400 if year < 1 else 0
    return datetime.date(year - cycles * 400, month, day).toordinal() - _EPOCH + cycles * 146_097


def civil(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day since 2000-01-01 (j2date); year 0 is 1 BC."""
    ordinal = days + _EPOCH
    cycles = (ordinal - 1) // 146_097
    day = datetime.date.fromordinal(ordinal - cycles * 146_097)
    return day.year + cycles * 400, day.month, day.day


def _stamp(text: str, clock: Clock, type_name: str) -> tuple[int, int, int | None]:
    """(days, microseconds of the day, seconds east of UTC or None)."""
    match = _ISO.match(text.strip())
    if not match:
        raise BadLiteral.syntax(type_name, text)
    try:
        days = days_of(int(match[1]), int(match[2]), int(match[3]))
    except ValueError:
        raise BadLiteral.date_field(text, month_day=int(match[2]) > 12) from None
    hour, minute, second = int(match[4] or 0), int(match[5] or 0), int(match[6] or 0)
    if minute > 59 or second > 60 or hour > 24:
        raise BadLiteral.date_field(text)
    micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + int((match[7] or "0").ljust(6, "0"))
    zone = None
    if match[8]:
        digits = match[8].replace(":", "")
        zone = 0 if digits == "Z" else int(digits[1:3]) * 3600 + int(digits[3:] or 0) * 60
        zone = -zone if digits[0] == "-" else zone
    return days, micros, zone


def read_date(text: str, modifier: int, clock: Clock) -> int:
    """Days since 2000-01-01."""
    return _stamp(text, clock, "date")[0]


def read_timestamp(text: str, modifier: int, clock: Clock) -> int:
    """Microseconds since 2000-01-01; a zone is read and ignored."""
    days, micros, _ = _stamp(text, clock, "timestamp without time zone")
    return days * USECS_PER_DAY + micros


def read_timestamptz(text: str, modifier: int, clock: Clock) -> int:
    """Microseconds since 2000-01-01 UTC."""
    days, micros, zone = _stamp(text, clock, "timestamp with time zone")
    return days * USECS_PER_DAY + micros - (zone or 0) * 1_000_000


def show_date(value: object) -> str:
    """ISO, with BC behind it where it is."""
    assert isinstance(value, int)
    if value in (DATE_INFINITY, MINUS_DATE_INFINITY):
        return "infinity" if value > 0 else "-infinity"
    year, month, day = civil(value)
    return f"{year if year > 0 else 1 - year:04d}-{month:02d}-{day:02d}{' BC' if year < 1 else ''}"


def show_time(micros: int) -> str:
    """Hours, minutes, seconds and the digits of the fraction that are not zero."""
    seconds, fraction = divmod(micros, 1_000_000)
    tail = f".{fraction:06d}".rstrip("0") if fraction else ""
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{tail}"


def _shown(value: object, zone: str) -> str:
    assert isinstance(value, int)
    if value in (TIMES_INFINITY, MINUS_TIMES_INFINITY):
        return "infinity" if value > 0 else "-infinity"
    days, micros = divmod(value, USECS_PER_DAY)
    text = show_date(days)
    era = " BC" if text.endswith(" BC") else ""
    return f"{text.removesuffix(' BC')} {show_time(micros)}{zone}{era}"


def show_timestamp(value: object) -> str:
    """ISO."""
    return _shown(value, "")


def show_timestamptz(value: object) -> str:
    """ISO in UTC."""
    return _shown(value, "+00")


TYPES = {
    "date": (read_date, show_date),
    "timestamp": (read_timestamp, show_timestamp),
    "timestamptz": (read_timestamptz, show_timestamptz),
}
