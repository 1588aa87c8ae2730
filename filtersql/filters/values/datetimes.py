"""How PostgreSQL reads a date or time: the fields of the text, and what they add up to.

Example
    `Jan 5, 2024 3:04 PM America/New_York` has the fields (string jan), (number 5), (number 2024),
    (time 3:04), (string pm), (date america/new_york).

PostgreSQL
    datetime.c: DecodeDateTime(), DecodeDate(), DecodeNumber(),
    DecodeNumberField(), DecodeTime(), DecodeTimezone(), ValidateDate().
"""

from __future__ import annotations

import re

from filtersql.filters.facts import facts
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.datetime_digits import (
    DATE,
    TIME,
    Moment,
    decode_time,
    number,
    number_field,
    zone_offset,
)
from filtersql.filters.values.datetime_fields import WORDS, Bad, Field

__all__ = ["apply_meridian", "date_of", "decode", "overflows", "special", "validate"]

_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def decode(parts: list[Field], order: str) -> Moment:
    """DecodeDateTime(): a date with or without a time; `order` is DateStyle's."""
    found = Moment(order=order)
    expected, meridian, era = "", "", ""
    for place, (kind, word) in enumerate(parts):
        given: set[str] = set()
        if kind == "date":
            given, expected = _dated(found, word, expected)
        elif kind == "time":
            if expected not in ("", "time"):
                raise Bad("format")
            expected = ""
            given = decode_time(found, word)
            if overflows(found):
                raise Bad("field")
        elif kind == "zone":
            found.zone, given = zone_offset(word), {"zone"}
        elif kind == "number":
            given, expected = _numbered(found, word, expected)
        else:
            what, value = special(word)
            if what == "ignored":
                continue
            if what == "reserved":
                given = _reserved(found, str(value))
            elif what == "month":
                given = _month(found, int(value))
            elif what == "zone":
                found.zone, given = value, {"zone"}
            elif what == "meridian":
                meridian, given = str(value), {"meridian"}
            elif what == "era":
                era, given = str(value), {"era"}
            elif what == "day of week":
                given = {"day of week"}
            elif what == "units":
                expected = str(value)
            elif what == "iso time":
                following = parts[place + 1][0] if place + 1 < len(parts) else ""
                if not found.have >= DATE or following not in ("number", "time", "date"):
                    raise Bad("format")
                expected = "time"
            else:
                raise Bad("format")
        if given & found.have:
            raise Bad("format")
        found.have |= given
    if expected:
        raise Bad("format")
    validate(found, era == "bc")
    apply_meridian(found, meridian)
    return found


def overflows(found: Moment) -> bool:
    """Whether it is later than 24:00."""
    return found.microseconds > USECS_PER_DAY or found.hour > 24


def _dated(found: Moment, word: str, expected: str) -> tuple[set[str], str]:
    if expected == "julian":
        match = re.fullmatch(r"([0-9]+)([-+].*)", word)
        if not match:
            raise Bad("format")
        found.julian, found.zone = int(match[1]), zone_offset(match[2])
        return {*DATE, *TIME, "zone"}, ""
    if not {"month", "day"} <= found.have and not expected:
        return date_of(found, word), expected
    if word[0].isdigit() or expected:
        if expected not in ("", "time") or found.have >= TIME or "-" not in word:
            raise Bad("format")
        clock, minus, zone = word.partition("-")
        found.zone = zone_offset(minus + zone)
        return {"zone", *number_field(found, clock, found.have)}, ""
    found.zone = word
    return {"zone"}, expected


def _numbered(found: Moment, word: str, expected: str) -> tuple[set[str], str]:
    if expected == "julian":
        whole, _, part = word.partition(".")
        found.julian = int(whole or 0)
        if not part:
            return set(DATE), ""
        found.set_part_of_day(part)
        return {*DATE, *TIME}, ""
    if expected == "time":
        return number_field(found, word, found.have | DATE), ""
    if expected:
        raise Bad("format")
    point = word.find(".")
    if point >= 0 and not found.have & DATE:
        return date_of(found, word), ""
    if point > 2:
        return number_field(found, word, found.have), ""
    if len(word) >= 6 and (not found.have & DATE or not found.have & TIME):
        return number_field(found, word, found.have), ""
    return number(found, word, found.have), ""


def special(word: str) -> tuple[str, int | str]:
    """What a word is, and its value: zones by their abbreviations before all others."""
    abbreviations = facts().zone_abbreviations()
    if word in abbreviations:
        offset = abbreviations[word]
        if offset is None:
            raise Bad("abbreviation", word)
        return "zone", offset
    if word[:10] in WORDS:
        return WORDS[word[:10]]
    return "zone", word


def _reserved(found: Moment, word: str) -> set[str]:
    if word == "allballs":
        found.zone = 0
        return {*TIME, "zone"}
    found.word = word
    if word in ("today", "tomorrow", "yesterday"):
        return set(DATE)
    return {*DATE, *TIME, "zone"}


def _month(found: Moment, value: int) -> set[str]:
    given = {"month"}
    if (
        "month" in found.have
        and not found.text_month
        and "day" not in found.have
        and 1 <= found.month <= 31
    ):
        found.day = found.month
        given = {"day"}
    found.text_month, found.month = True, value
    return given


def date_of(found: Moment, word: str) -> set[str]:
    """DecodeDate(): the parts of a date."""
    pieces = re.findall(r"[0-9]+|[a-z]+", word)
    have = set(found.have)
    given: set[str] = set()
    for piece in pieces:
        if piece.isalpha():
            what, value = WORDS.get(piece[:10], ("", 0))
            if what == "ignored":
                continue
            if what != "month" or "month" in have:
                raise Bad("format")
            found.text_month, found.month = True, int(value)
            have.add("month")
            given.add("month")
    for piece in pieces:
        if piece.isdigit():
            added = number(found, piece, have)
            if added & have:
                raise Bad("format")
            have |= added
            given |= added
    if have - {"day of year", "zone"} != DATE:
        raise Bad("format")
    return given


def validate(found: Moment, bc: bool) -> None:
    """ValidateDate(): there is such a day."""
    if found.word or found.julian is not None:
        return
    if "year" in found.have:
        if bc:
            if found.year <= 0:
                raise Bad("field")
            found.year = 1 - found.year
        elif found.two_digits:
            found.year += 2000 if found.year < 70 else 1900 if found.year < 100 else 0
        elif found.year <= 0:
            raise Bad("field")
    if found.day_of_year is not None:
        return
    if "month" in found.have and not 1 <= found.month <= 12:
        raise Bad("month day")
    if "day" in found.have and not 1 <= found.day <= 31:
        raise Bad("month day")
    if found.have >= DATE and found.day > _days(found.year, found.month):
        raise Bad("field")


def _days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS_IN_MONTH[month - 1]


def apply_meridian(found: Moment, meridian: str) -> None:
    """12 AM is midnight."""
    if not meridian:
        return
    if found.hour > 12:
        raise Bad("field")
    if meridian == "am" and found.hour == 12:
        found.hour = 0
    elif meridian == "pm" and found.hour != 12:
        found.hour += 12
