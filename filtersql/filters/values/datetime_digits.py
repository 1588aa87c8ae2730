"""What the digits of a date or time mean, from what was read before them.

Example
    `01/02/03`: nothing is known yet, so 01 is the month, 02 the day, 03 the year (DateStyle MDY).
    `20240131`: six digits or more that run together are a date.

PostgreSQL
    datetime.c: DecodeNumber(), DecodeNumberField(), DecodeTime(), DecodeTimezone().
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.datetime_fields import Bad

__all__ = ["DATE", "TIME", "Moment", "decode_time", "number", "number_field", "zone_offset"]

DATE, TIME = frozenset({"year", "month", "day"}), frozenset({"hour", "minute", "second"})


class Moment(Struct):
    """What was read: a reserved word, or a date, a time and a zone as far as they were given."""

    word: str = ""
    #: DateStyle's: MDY, DMY or YMD
    order: str = "MDY"
    year: int = 0
    month: int = 0
    day: int = 0
    hour: int = 0
    minute: int = 0
    second: int = 0
    micros: int = 0
    #: seconds east of UTC, or the name of a zone
    zone: int | str | None = None
    julian: int | None = None
    day_of_year: int | None = None
    have: set[str] = field(default_factory=set)
    text_month: bool = False
    two_digits: bool = False

    @property
    def microseconds(self) -> int:
        """Of the day."""
        seconds = (self.hour * 60 + self.minute) * 60 + self.second
        return seconds * 1_000_000 + self.micros

    def set_part_of_day(self, digits: str) -> None:
        """The time that the digits behind the point of a Julian date say."""
        micros = round(float(f"0.{digits or 0}") * USECS_PER_DAY)
        seconds, self.micros = divmod(micros, 1_000_000)
        self.hour, self.minute, self.second = seconds // 3600, seconds // 60 % 60, seconds % 60


def number(found: Moment, word: str, have: set[str]) -> set[str]:
    """DecodeNumber(): what a number is, from what is known so far."""
    whole, point, part = word.partition(".")
    if not whole:
        raise Bad("format")
    value = int(whole)
    if value > 2**31 - 1:
        raise Bad("field")
    if point:
        if len(whole) > 2:
            return number_field(found, word, have | DATE)
        found.micros = fraction(part)
    known = have & DATE
    if len(word) == 3 and known == {"year"} and 1 <= value <= 366:
        found.day_of_year = value
        return {"day of year", "month", "day"}
    what = _what(found, known, len(word))
    if what == "late year":
        found.day, found.year, found.two_digits = found.year, value, False
        return {"day"}
    if what == "time":
        return number_field(found, word, have)
    setattr(found, what, value)
    if what == "year":
        found.two_digits = len(word) <= 2
    return {what}


def _what(found: Moment, known: set[str], length: int) -> str:
    if not known:
        if length >= 3 or found.order == "YMD":
            return "year"
        return "day" if found.order == "DMY" else "month"
    if known == {"year"} or known == {"day"}:
        return "month"
    if known == {"month"}:
        if found.text_month:
            return "year" if length >= 3 or found.order == "YMD" else "day"
        return "day"
    if known == {"year", "month"}:
        late = found.text_month and length >= 3 and found.two_digits
        return "late year" if late else "day"
    return "year" if known == {"month", "day"} else "time"


def number_field(found: Moment, word: str, have: set[str]) -> set[str]:
    """DecodeNumberField(): digits that run together, a date or a time."""
    digits, point, part = word.partition(".")
    if point:
        found.micros = fraction(part)
    elif not have >= DATE and len(digits) >= 6:
        found.year, found.month, found.day = int(digits[:-4]), int(digits[-4:-2]), int(digits[-2:])
        found.two_digits = len(digits) == 6
        return set(DATE)
    if not have >= TIME and len(digits) in (4, 6):
        found.hour, found.minute = int(digits[:2]), int(digits[2:4])
        found.second = int(digits[4:] or 0)
        return set(TIME)
    raise Bad("format")


def fraction(digits: str) -> int:
    """Microseconds of the digits behind a point, rounded."""
    if digits and not digits.isdigit():
        raise Bad("format")
    return round(float(f"0.{digits or 0}") * 1_000_000)


def decode_time(found: Moment, word: str) -> set[str]:
    """DecodeTime(): hh:mm, hh:mm:ss[.fff], mm:ss.fff."""
    match = re.fullmatch(r"([0-9]+):([0-9]*)(?::([0-9]*))?(?:\.([0-9]*))?", word)
    if not match:
        raise Bad("format")
    numbers = [int(part or 0) for part in match.groups()[:3]]
    if match[3] is None and match[4] is not None:
        numbers = [0, *numbers[:2]]
    found.hour, found.minute, found.second = numbers
    if any(number > 2**31 - 1 for number in numbers):
        raise Bad("field")
    if match[4] is not None:
        found.micros = fraction(match[4])
    if found.minute > 59 or found.second > 60:
        raise Bad("field")
    return set(TIME)


def zone_offset(word: str) -> int:
    """DecodeTimezone(): seconds east of UTC of `+05:30`, `-8`, `+0530`."""
    match = re.fullmatch(r"[-+]([0-9]+)(?::([0-9]*)(?::([0-9]*))?)?", word)
    if not match:
        raise Bad("format")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    if match[2] is None and len(word) > 3:
        hours, minutes = divmod(hours, 100)
    if hours > 15 or minutes > 59 or seconds > 59:
        raise Bad("displacement")
    offset = (hours * 60 + minutes) * 60 + seconds
    return -offset if word[0] == "-" else offset
