"""How PostgreSQL reads a time: a date before it only where a zone may need one.

Example
    =========================== ================================
    text                        time
    =========================== ================================
    `T0405`                     04:05
    `040506.789+08`             04:05:06.789, 8 hours east
    `2024-07-01 04:05 Asia/Aden` 04:05, with that day's offset
    `2024-07-01T04:05`          none: a date stands before a time
    =========================== ================================

PostgreSQL
    datetime.c: DecodeTimeOnly().
"""

from __future__ import annotations

from filtersql.filters.values.datetime_digits import (
    DATE,
    TIME,
    Moment,
    decode_time,
    number,
    number_field,
    zone_offset,
)
from filtersql.filters.values.datetime_fields import Bad, Field
from filtersql.filters.values.datetimes import apply_meridian, date_of, overflows, special, validate

__all__ = ["decode_clock"]

_ZONE = frozenset({"zone"})


def decode_clock(parts: list[Field], order: str) -> Moment:
    """A time, perhaps with a zone and a date for that; `order` is DateStyle's."""
    found, label, meridian, era = Moment(order=order), "", "", ""
    for place, (kind, word) in enumerate(parts):
        given: set[str] = set()
        if kind == "date":
            given = _dated(found, parts, place)
        elif kind == "time":
            if label not in ("", "time"):
                raise Bad("format")
            label, given = "", decode_time(found, word)
        elif kind == "zone":
            found.zone, given = zone_offset(word), {*_ZONE}
        elif kind == "number" and label:
            label, given = "", _labelled(found, word, label)
        elif kind == "number":
            given = _numbered(found, parts, place)
        else:
            what, value = special(word)
            if what in ("units", "iso time"):
                if label:
                    raise Bad("format")
                label = str(value) if what == "units" else "time"
            elif what == "meridian":
                meridian, given = str(value), {what}
            elif what == "era":
                era, given = str(value), {what}
            elif what != "ignored":
                given = _word(found, what, value)
        if given & found.have:
            raise Bad("format")
        found.have |= given
    if label:
        raise Bad("format")
    validate(found, era == "bc")
    apply_meridian(found, meridian)
    if overflows(found) or found.minute > 59 or found.second > 60:
        raise Bad("field")
    if not found.have >= TIME:
        raise Bad("format")
    return found


def _word(found: Moment, what: str, value: int | str) -> set[str]:
    if what == "zone":
        found.zone = value
        return {*_ZONE}
    if what == "reserved" and value == "now":
        found.word = "now"
        return {*TIME}
    if what == "reserved" and value == "allballs":
        found.zone = 0
        return {*TIME, *_ZONE}
    raise Bad("format")


def _dated(found: Moment, parts: list[Field], place: int) -> set[str]:
    word = parts[place][1]
    if place == 0 and len(parts) > 1 and (parts[-1][0] == "date" or parts[1][0] == "time"):
        return date_of(found, word)
    if not word[0].isdigit():
        found.zone = word
        return {*_ZONE}
    digits, minus, zone = word.partition("-")
    if found.have >= TIME or not minus:
        raise Bad("format")
    found.zone = zone_offset(minus + zone)
    return {*_ZONE, *number_field(found, digits, found.have | DATE)}


def _labelled(found: Moment, word: str, label: str) -> set[str]:
    """A number behind `T`, or behind `J`."""
    whole, point, part = word.partition(".")
    if label == "time":
        return number_field(found, word, found.have | DATE)
    if label != "julian" or not whole.isdigit() or (part and not part.isdigit()):
        raise Bad("format")
    found.julian = int(whole)
    if not point:
        return {*DATE}
    found.set_part_of_day(part)
    return {*DATE, *TIME}


def _numbered(found: Moment, parts: list[Field], place: int) -> set[str]:
    word = parts[place][1]
    point = word.find(".")
    if point >= 0 and place == 0 and len(parts) > 1 and parts[-1][0] == "date":
        return date_of(found, word)
    if 0 <= point <= 2:
        raise Bad("format")
    if point > 2 or len(word) > 4:
        return number_field(found, word, found.have | DATE)
    return number(found, word, found.have | DATE)
