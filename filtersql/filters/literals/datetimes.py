"""How PostgreSQL reads a date or time: the fields of the text, and what they add up to.

Example
    `Jan 5, 2024 3:04 PM America/New_York` has the fields (string jan), (number 5), (number 2024),
    (time 3:04), (string pm), (date america/new_york).

PostgreSQL
    datetime.c: ParseDateTime(), DecodeDateTime(), DecodeDate(), DecodeNumber(),
    DecodeNumberField(), DecodeTime(), DecodeTimezone(), ValidateDate(). DateStyle is ISO, MDY.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from filtersql.errors.filters import BadLiteral
from filtersql.filters.facts import facts

__all__ = ["Bad", "Moment", "decode", "decode_time", "fields", "fraction", "zone_offset"]

Kind = Literal["number", "date", "time", "zone", "string", "special"]
Field = tuple[Kind, str]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_DAYS = {
    "sun", "sunday", "mon", "monday", "tue", "tues", "tuesday", "wed", "weds", "wednesday", "thu",
    "thur", "thurs", "thursday", "fri", "friday", "sat", "saturday",
}  # fmt: skip
_WORDS: dict[str, tuple[str, int | str]] = {
    **{name: ("month", number) for number, name in enumerate(_MONTHS, 1)},
    **{name[:10]: ("month", number) for number, name in enumerate(_LONG_MONTHS, 1)},
    "sept": ("month", 9),
    **{name[:10]: ("day of week", 0) for name in _DAYS},
    **{name: ("reserved", name) for name in ("now", "today", "tomorrow", "yesterday", "allballs")},
    **{name: ("reserved", name) for name in ("epoch", "infinity", "+infinity", "-infinity")},
    "am": ("meridian", "am"),
    "pm": ("meridian", "pm"),
    "ad": ("era", "ad"),
    "bc": ("era", "bc"),
    "t": ("iso time", 0),
    "at": ("ignored", 0),
    "on": ("ignored", 0),
    **dict.fromkeys(("j", "jd", "julian"), ("units", "julian")),
    **{name: ("units", name) for name in ("d", "dow", "doy", "h", "m", "mm", "s", "y")},
    "dst": ("dst", 0),
}
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DATE, _TIME = frozenset({"year", "month", "day"}), frozenset({"hour", "minute", "second"})


class Bad(Exception):
    """Why a text is no date: `format`, `field`, `month day`, `zone`, …."""

    def __init__(self, kind: str, zone: str = "") -> None:
        super().__init__(kind)
        self.kind, self.zone = kind, zone

    def mistake(self, type_name: str, text: str) -> BadLiteral:
        """PostgreSQL's words (DateTimeParseError)."""
        match self.kind:
            case "format":
                return BadLiteral.syntax(type_name, text)
            case "zone":
                return BadLiteral.time_zone(self.zone)
            case "displacement":
                return BadLiteral(f'time zone displacement out of range: "{text}"')
            case "abbreviation":
                return BadLiteral.abbreviation(self.zone)
            case "interval":
                return BadLiteral(f'interval field value out of range: "{text}"')
            case _:
                return BadLiteral.date_field(text, month_day=self.kind == "month day")


@dataclass(slots=True)
class Moment:
    """What was read: a reserved word, or a date, a time and a zone as far as they were given."""

    word: str = ""
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


def fields(text: str) -> list[Field]:
    """ParseDateTime(): the text cut into fields, all in lower case."""
    found: list[Field] = []
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        piece = _field(text, place)
        if piece is None:
            place += 1
            continue
        kind, end = piece
        word = text[place:end].lower()
        if kind in ("zone", "special"):
            word = word[0] + word[1:].lstrip()
        found.append((kind, word))
        place = end
    if len(found) > 25:
        raise Bad("format")
    return found


def _run(pattern: str, text: str, place: int) -> int:
    match = re.compile(pattern).match(text, place)
    return match.end() if match else place


def _field(text: str, place: int) -> tuple[Kind, int] | None:
    first = text[place]
    if "0" <= first <= "9":
        end = _run(r"[0-9]*", text, place)
        sign = text[end : end + 1]
        if sign == ":":
            return "time", _run(r"[0-9:.]*", text, end)
        if sign and sign in "-/.":
            return _date_field(text, end, sign)
        return "number", end
    if first == ".":
        return "number", _run(r"[0-9]*", text, place + 1)
    if first.isascii() and first.isalpha():
        end = _run(r"[a-zA-Z]*", text, place)
        sign = text[end : end + 1]
        is_date = bool(sign) and sign in "-/."
        if sign and (sign == "+" or "0" <= sign <= "9"):
            is_date = text[place:end].lower()[:10] not in _WORDS
        return ("date", _run(r"[-+/_.:0-9a-zA-Z]*", text, end)) if is_date else ("string", end)
    if first in "+-":
        end = _run(r"\s*", text, place + 1)
        following = text[end : end + 1]
        if "0" <= following <= "9" and following:
            return "zone", _run(r"[-0-9:.]*", text, end)
        if following.isalpha():
            return "special", _run(r"[a-zA-Z]*", text, end)
        raise Bad("format")
    if first.isascii() and not first.isalnum() and first.isprintable():
        return None
    raise Bad("format")


def _date_field(text: str, end: int, sign: str) -> tuple[Kind, int]:
    after = _run(r"[0-9]*", text, end + 1)
    if after == end + 1:
        return "date", _run(rf"[a-zA-Z0-9{re.escape(sign)}]*", text, end + 1)
    if text[after : after + 1] == sign:
        return "date", _run(rf"[0-9{re.escape(sign)}]*", text, after)
    return ("number" if sign == "." else "date"), after


def decode(parts: list[Field]) -> Moment:
    """DecodeDateTime(): a date with or without a time."""
    found = Moment()
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
            if _overflows(found):
                raise Bad("field")
        elif kind == "zone":
            found.zone, given = zone_offset(word), {"zone"}
        elif kind == "number":
            given, expected = _numbered(found, word, expected)
        else:
            what, value = _special(word)
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
                if not found.have >= _DATE or following not in ("number", "time", "date"):
                    raise Bad("format")
                expected = "time"
            else:
                raise Bad("format")
        if given & found.have:
            raise Bad("format")
        found.have |= given
    if expected:
        raise Bad("format")
    _validate(found, era == "bc")
    _apply_meridian(found, meridian)
    return found


def _overflows(found: Moment) -> bool:
    return found.microseconds > 86_400_000_000 or found.hour > 24


def _dated(found: Moment, word: str, expected: str) -> tuple[set[str], str]:
    if expected == "julian":
        match = re.fullmatch(r"([0-9]+)([-+].*)", word)
        if not match:
            raise Bad("format")
        found.julian, found.zone = int(match[1]), zone_offset(match[2])
        return {*_DATE, *_TIME, "zone"}, ""
    if not {"month", "day"} <= found.have and not expected:
        return _decode_date(found, word), expected
    if word[0].isdigit() or expected:
        if expected not in ("", "time") or found.have >= _TIME or "-" not in word:
            raise Bad("format")
        clock, minus, zone = word.partition("-")
        found.zone = zone_offset(minus + zone)
        return {"zone", *_number_field(found, clock, found.have)}, ""
    found.zone = word
    return {"zone"}, expected


def _numbered(found: Moment, word: str, expected: str) -> tuple[set[str], str]:
    if expected == "julian":
        number, _, part = word.partition(".")
        found.julian = int(number)
        if not part:
            return set(_DATE), ""
        micros = round(float(f"0.{part}") * 86_400_000_000)
        seconds, found.micros = divmod(micros, 1_000_000)
        found.hour, found.minute, found.second = seconds // 3600, seconds // 60 % 60, seconds % 60
        return {*_DATE, *_TIME}, ""
    if expected == "time":
        return _number_field(found, word, found.have | _DATE), ""
    if expected:
        raise Bad("format")
    point = word.find(".")
    if point >= 0 and not found.have & _DATE:
        return _decode_date(found, word), ""
    if point > 2:
        return _number_field(found, word, found.have), ""
    if len(word) >= 6 and (not found.have & _DATE or not found.have & _TIME):
        return _number_field(found, word, found.have), ""
    return _number(found, word, found.have), ""


def _special(word: str) -> tuple[str, int | str]:
    abbreviations = facts().zone_abbreviations()
    if word in abbreviations:
        offset = abbreviations[word]
        if offset is None:
            raise Bad("abbreviation", word)
        return "zone", offset
    if word[:10] in _WORDS:
        return _WORDS[word[:10]]
    return "zone", word


def _reserved(found: Moment, word: str) -> set[str]:
    if word == "allballs":
        found.zone = 0
        return {*_TIME, "zone"}
    found.word = word.removeprefix("+")
    if word in ("today", "tomorrow", "yesterday"):
        return set(_DATE)
    return {*_DATE, *_TIME, "zone"}


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


def _decode_date(found: Moment, word: str) -> set[str]:
    pieces = re.findall(r"[0-9]+|[a-z]+", word)
    have = set(found.have)
    given: set[str] = set()
    for piece in pieces:
        if piece.isalpha():
            what, value = _WORDS.get(piece[:10], ("", 0))
            if what == "ignored":
                continue
            if what != "month" or "month" in have:
                raise Bad("format")
            found.text_month, found.month = True, int(value)
            have.add("month")
            given.add("month")
    for piece in pieces:
        if piece.isdigit():
            added = _number(found, piece, have)
            if added & have:
                raise Bad("format")
            have |= added
            given |= added
    if have - {"day of year", "zone"} != _DATE:
        raise Bad("format")
    return given


def _number(found: Moment, word: str, have: set[str]) -> set[str]:
    """DecodeNumber(): what a number is, from what is known so far."""
    whole, point, part = word.partition(".")
    if not whole:
        raise Bad("format")
    value = int(whole)
    if value > 2**31 - 1:
        raise Bad("field")
    if point:
        if len(whole) > 2:
            return _number_field(found, word, have | _DATE)
        found.micros = fraction(part)
    known = have & _DATE
    if len(word) == 3 and known == {"year"} and 1 <= value <= 366:
        found.day_of_year = value
        return {"day of year", "month", "day"}
    what = _what(found, known, len(word))
    if what == "late year":
        found.day, found.year, found.two_digits = found.year, value, False
        return {"day"}
    if what == "time":
        return _number_field(found, word, have)
    setattr(found, what, value)
    if what == "year":
        found.two_digits = len(word) <= 2
    return {what}


def _what(found: Moment, known: set[str], length: int) -> str:
    if not known:
        return "year" if length >= 3 else "month"
    if known == {"year"} or known == {"day"}:
        return "month"
    if known == {"month"}:
        if found.text_month:
            return "year" if length >= 3 else "day"
        return "day"
    if known == {"year", "month"}:
        late = found.text_month and length >= 3 and found.two_digits
        return "late year" if late else "day"
    return "year" if known == {"month", "day"} else "time"


def _number_field(found: Moment, word: str, have: set[str]) -> set[str]:
    """DecodeNumberField(): digits that run together, a date or a time."""
    digits, point, part = word.partition(".")
    if point:
        found.micros = fraction(part)
    elif not have >= _DATE and len(digits) >= 6:
        found.year, found.month, found.day = int(digits[:-4]), int(digits[-4:-2]), int(digits[-2:])
        found.two_digits = len(digits) == 6
        return set(_DATE)
    if not have >= _TIME and len(digits) in (4, 6):
        found.hour, found.minute = int(digits[:2]), int(digits[2:4])
        found.second = int(digits[4:] or 0)
        return set(_TIME)
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
    return set(_TIME)


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


def _validate(found: Moment, bc: bool) -> None:
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
    if found.have >= _DATE and found.day > _days(found.year, found.month):
        raise Bad("field")


def _days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS_IN_MONTH[month - 1]


def _apply_meridian(found: Moment, meridian: str) -> None:
    if not meridian:
        return
    if found.hour > 12:
        raise Bad("field")
    if meridian == "am" and found.hour == 12:
        found.hour = 0
    elif meridian == "pm" and found.hour != 12:
        found.hour += 12
