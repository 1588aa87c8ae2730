"""The fields into which PostgreSQL cuts a date, time or interval, and the words that it knows.

Example
    >>> fields("Jan 5, 2024 3:04 PM")[:3]
    [('string', 'jan'), ('number', '5'), ('number', '2024')]

PostgreSQL
    datetime.c: ParseDateTime(), datetktbl, DateTimeParseError().
"""

from __future__ import annotations

import re
from typing import Literal

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.texts import BLANKS

__all__ = ["WORDS", "Bad", "Field", "fields"]

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
WORDS: dict[str, tuple[str, int | str]] = {
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


class Bad(Exception):
    """Why a text is no date: `format`, `field`, `month day`, `zone`, …."""

    def __init__(self, kind: str, zone: str = "") -> None:
        super().__init__(kind)
        self.kind, self.zone = kind, zone

    def mistake(self, type_name: str, text: str, version: int) -> BadLiteral:
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
                return BadLiteral.date_field(text, version, month_day=self.kind == "month day")


def fields(text: str) -> list[Field]:
    """ParseDateTime(): the text cut into fields, all in lower case."""
    found: list[Field] = []
    place = 0
    while place < len(text):
        if text[place] in BLANKS:
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
    match = re.compile(pattern, re.ASCII).match(text, place)
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
            is_date = text[place:end].lower()[:10] not in WORDS
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
