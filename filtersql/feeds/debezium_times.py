"""Dates, times and intervals in Debezium's encodings: `moment(pg_type, feed, schema)`.

Example
    ========================== ================== ===================== =====================
    time.precision.mode        timestamp(3)       timestamp             time
    ========================== ================== ===================== =====================
    adaptive                   milliseconds       microseconds          microseconds
    adaptive_time_microseconds milliseconds       microseconds          microseconds
    microseconds               microseconds       microseconds          microseconds
    connect                    milliseconds       refused               refused
    nanoseconds                refused: it wraps  refused: it wraps     nanoseconds
    isostring                  2024-02-29T12:…Z   2024-02-29T12:…Z      12:34:56.789Z
    ========================== ================== ===================== =====================

A number's unit is what the schema names; without one, what the feed says of Debezium's setting. A
text is of isostring, which writes 00:00:00Z for 24:00 too.

Debezium
    TemporalPrecisionMode.java; PostgresValueConverter.java
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from filtersql.catalog import PgType
from filtersql.definitions.model import Feed
from filtersql.feeds.datetime_numbers import date_text, interval_text, time_of_day, timestamp_text

__all__ = ["TEMPORAL", "Ambiguous", "Decode", "micros_of", "moment"]

#: the types that `moment` reads
TEMPORAL = ("date", "time", "timestamp", "timestamptz", "interval")
#: from what is written to what is read
Decode = Callable[[Any], object]

#: java.sql's dates before it are of another calendar
_FIRST_DATE = "1582-10-15"
#: 1582-10-25: of the ten days that this calendar lacks it makes those before it
_FIRST_DAY = -141_417
_FIRST_TOLD = "1582-10-25"
_DAY = 86_400_000_000
_FOREVER = {9_223_372_036_825_200_000: "infinity", -9_223_372_036_832_400_000: "-infinity"}
_FOREVER_TEXT = {
    "+294247-01-10T04:00:25.2Z": "infinity",
    "-290308-12-21T19:59:27.6Z": "-infinity",
}
_NANO, _MICRO, _MILLI = 1, 1000, 1_000_000
#: nanoseconds of the numbers of a schema
_UNITS = {
    "io.debezium.time.Time": _MILLI,
    "io.debezium.time.Timestamp": _MILLI,
    "org.apache.kafka.connect.data.Time": _MILLI,
    "org.apache.kafka.connect.data.Timestamp": _MILLI,
    "io.debezium.time.MicroTime": _MICRO,
    "io.debezium.time.MicroTimestamp": _MICRO,
    "io.debezium.time.NanoTime": _NANO,
    "io.debezium.time.NanoTimestamp": _NANO,
}
#: and of a setting; the adaptive ones depend on the column
_MODE_UNITS = {"connect": _MILLI, "microseconds": _MICRO, "nanoseconds": _NANO}
_MILLI_DIGITS = 3
_ISO_DATE = re.compile(r"(\+?\d{4,6}-\d\d-\d\d)Z", re.ASCII)
_ISO_TIME = re.compile(r"(\d\d:\d\d:\d\d(?:\.\d+)?)Z", re.ASCII)
_ZONED = re.compile(r"\+?(\d{4,6}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z", re.ASCII)
_NO_WAY = "Debezium cannot send such values exactly."
_FINER = "Set time.precision.mode to adaptive, or give the column the precision 3."


class Ambiguous(Exception):
    """Debezium writes the same for another value."""

    def __init__(self, means: str, remedy: str) -> None:
        super().__init__(means)
        self.means = means
        self.remedy = remedy


def moment(pg_type: PgType, feed: Feed, schema: str | None) -> Decode:
    """What reads a value of one of TEMPORAL; `schema` is the name of its schema, if it has one."""
    match pg_type.name:
        case "date":
            return _date
        case "timestamptz":
            return _instant
        case "interval":
            return lambda value: _interval(value, finite="finite_intervals" in feed.assume)
        case "time":
            early = "no_24_00" in feed.assume
            unit = _unit(pg_type, feed, schema)
            return lambda value: (
                _iso_time(value, early=early)
                if isinstance(value, str)
                else time_of_day(_micros(value, unit, pg_type))
            )
        case _:
            unit = _unit(pg_type, feed, schema)
            return lambda value: (
                _FOREVER_TEXT.get(value) or _zoned(value)
                if isinstance(value, str)
                else _timestamp(_micros(value, unit, pg_type))
            )


def micros_of(pg_type: PgType, feed: Feed, schema: str | None) -> int | None:
    """How many microseconds a number of a timestamp is; None where some numbers mean none."""
    pg_type = pg_type.base or pg_type
    if pg_type.schema != "pg_catalog" or pg_type.name != "timestamp":
        return None
    unit = _unit(pg_type, feed, schema)
    exact = unit == _MICRO or (unit == _MILLI and not _is_fine(pg_type))
    return unit // _MICRO if unit is not None and exact else None


def _unit(pg_type: PgType, feed: Feed, schema: str | None) -> int | None:
    """The nanoseconds of one, where values are numbers."""
    if schema is not None:
        return _UNITS.get(schema)
    mode = feed.options.get("time_precision_mode", "adaptive")
    if mode.startswith("adaptive"):
        always = pg_type.name == "time" and mode == "adaptive_time_microseconds"
        return _MICRO if always or _is_fine(pg_type) else _MILLI
    return _MODE_UNITS.get(mode)


def _is_fine(pg_type: PgType) -> bool:
    """Whether values may have parts of a millisecond."""
    return not 0 <= pg_type.typmod <= _MILLI_DIGITS


def _micros(value: object, unit: int | None, pg_type: PgType) -> int:
    number = _whole(value)
    if unit is None:
        raise ValueError("its schema or time.precision.mode is of no known unit")
    if unit == _MILLI and _is_fine(pg_type):
        raise Ambiguous("all microseconds of a millisecond", _FINER)
    if unit == _NANO and pg_type.name == "timestamp":
        raise Ambiguous("moments that are 584 years apart", "Set time.precision.mode to adaptive.")
    micros, rest = divmod(number * unit, _MICRO)
    if rest:
        raise ValueError("it has parts of a microsecond")
    return micros


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("it is not a whole number")
    return value


def _date(value: object) -> str:
    if isinstance(value, str):
        match = _ISO_DATE.fullmatch(value)
        if match is None or _is_early(match[1]):
            raise Ambiguous(f"dates of other eras and those before {_FIRST_DATE}", _NO_WAY)
        return match[1].removeprefix("+")
    days = _whole(value)
    if days < _FIRST_DAY:
        raise Ambiguous(
            f"dates of other eras, infinite ones and those before {_FIRST_DATE}", _NO_WAY
        )
    return date_text(days)


def _is_early(date: str) -> bool:
    return len(date) == len(_FIRST_TOLD) and date < _FIRST_TOLD


def _iso_time(text: str, *, early: bool) -> str:
    match = _ISO_TIME.fullmatch(text)
    if match is None:
        raise ValueError("it is not a time of day in UTC")
    if match[1] == "00:00:00" and not early:
        raise Ambiguous(
            "00:00 and 24:00", "Set time.precision.mode to adaptive, or say `assume: [no_24_00]`."
        )
    return match[1]


def _timestamp(micros: int) -> str:
    if micros in _FOREVER:
        return _FOREVER[micros]
    if micros < _FIRST_DAY * _DAY:
        raise Ambiguous(f"timestamps of several calendars before {_FIRST_DATE}", _NO_WAY)
    return timestamp_text(micros)


def _instant(value: object) -> str:
    return str(value) if value in ("infinity", "-infinity") else f"{_zoned(value)}+00"


def _zoned(value: object) -> str:
    """A date and a time of UTC, without saying so."""
    match = _ZONED.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("it is not a moment in UTC since the year 1")
    if _is_early(match[1]):
        raise Ambiguous(f"moments of several calendars before {_FIRST_DATE}", _NO_WAY)
    seconds = match[3] or ":00"
    return f"{match[1]} {match[2]}{seconds.rstrip('0').rstrip('.') if '.' in seconds else seconds}"


def _interval(value: object, *, finite: bool) -> str:
    if not isinstance(value, str):
        raise Ambiguous(
            "intervals of different months and days", "Set interval.handling.mode to string."
        )
    text = interval_text(value)
    if text == "00:00:00" and not finite:
        raise Ambiguous(
            "an interval of nothing and infinite ones",
            "Say `assume: [finite_intervals]` where there are no others.",
        )
    return text
