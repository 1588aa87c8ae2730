"""Reading what depends on the declared type, or on PostgreSQL's own input functions: `DECLARED`.

Example
    holds, read = DECLARED["timestamp"]    # "timestamp", microseconds since 1970
    read(PgType("timestamp", 0), "2024-01-01 12:00:00.5")    # OverflowError: it has no fraction

    ============================ ======================================================
    types                        are read by
    ============================ ======================================================
    dates and times              `datetimes`, or as PostgreSQL does with the year first
    intervals, ranges, networks  PostgreSQL's input function, and printed by its output
    ============================ ======================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Literal

from filtersql.catalog import PgType
from filtersql.errors import Mistake
from filtersql.feeds.datetime_numbers import EPOCH_DAYS
from filtersql.feeds.datetimes import (
    FOREVER_MICROS,
    OutOfRange,
    date_days,
    in_range,
    time_text,
    timestamp_micros,
    timestamptz_micros,
    timetz_text,
)
from filtersql.filters.values import Clock, read, show
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.source import DEFAULTS, Session

__all__ = ["DECLARED", "Value", "input_of", "plain_text"]

#: what the values of a type are in Python
Value = Literal[
    "boolean", "integer", "float", "numeric", "text", "bytes", "date", "timestamp", "timestamptz"
]
_OUT_OF_RANGE = re.compile(r"([a-z/ ]+) out of range:")
_OVERFLOWS = "value overflows"
_CLOCK = Clock(session=DEFAULTS)
_FRACTION = re.compile(r"\.(\d+)")
_YEAR_FIRST = re.compile(r"(?:\d{4,}-\d\d?-\d\d?|\d{8})(?:[ T][\d:.]+)?(?: BC)?", re.ASCII)
#: what counts from 1970 here and from 2000 in PostgreSQL: how much lies between
_SINCE_1970 = {"date": EPOCH_DAYS, "timestamp": EPOCH_DAYS * USECS_PER_DAY}


def plain_text(written: object) -> str:
    """A text that PostgreSQL can hold. Raises ValueError."""
    if not isinstance(written, str) or "\x00" in written:
        raise ValueError
    return written


def _moment(read: Callable[[str], int], pg_type: PgType, written: object) -> int:
    """A date or timestamp: as PostgreSQL prints it, or else as it reads it with the year first.

    What settings decide (`01/02/2024`, a moment without its zone), and a zone that PostgreSQL would
    leave unread, is refused.
    """
    text = plain_text(written)
    try:
        found = read(text)
    except ValueError:
        if pg_type.name not in _SINCE_1970 or not _YEAR_FIRST.fullmatch(text):
            raise
        found = in_range(int(str(input_of(pg_type.name, text))) + _SINCE_1970[pg_type.name])
    if pg_type.typmod >= 0 and abs(found) != FOREVER_MICROS and found % 10 ** (6 - pg_type.typmod):
        raise OverflowError
    return found


def _time(read: Callable[[str], str], pg_type: PgType, written: object) -> str:
    text = read(plain_text(written))
    fraction = _FRACTION.search(text)
    if fraction and 0 <= pg_type.typmod < len(fraction[1]):
        raise OverflowError
    return text


def _literal(pg_type: PgType, written: object) -> str:
    """A value as PostgreSQL's input function reads it and its output function prints it.

    What settings decide is refused: `-1 2:00` under IntervalStyle, `[01/02/2024,)`, `1,50`.
    """
    text = plain_text(written)
    if _is_doubtful(pg_type.name, text):
        raise ValueError
    found = _literal_text(pg_type.name, text, -1)
    if pg_type.name == "interval" and found != _literal_text("interval", text, pg_type.typmod):
        raise OverflowError
    return found


def _is_doubtful(name: str, text: str) -> bool:
    """Whether a server with other settings, which a feed does not tell, may have meant another."""
    if name == "money":
        return "," in text and not _CENTS.search(text)
    if name == "interval":
        return text.lstrip()[:1] == "-" and _read_otherwise(name, text, _STANDARD)
    return name in _RANGES_OF_DAYS and any(
        _read_otherwise(name, text, session) for session in _ELSEWHERE
    )


def _read_otherwise(name: str, text: str, session: Session) -> bool:
    try:
        return input_of(name, text, -1, session) != input_of(name, text)
    except (ValueError, OverflowError):
        return False


def _bits(pg_type: PgType, written: object) -> str:
    found = _literal_text(pg_type.name, plain_text(written), -1)
    wanted = pg_type.typmod
    if wanted >= 0 and (len(found) > wanted or (pg_type.name == "bit" and len(found) < wanted)):
        raise OverflowError
    return found


@lru_cache(maxsize=4096)  # a column repeats itself, and reading one takes 50 microseconds
def _literal_text(name: str, text: str, typmod: int) -> str:
    return show(name, input_of(name, text, typmod))


def input_of(name: str, text: str, typmod: int = -1, session: Session = DEFAULTS) -> object:
    """What PostgreSQL's input function reads. Raises ValueError, OverflowError."""
    try:
        return read(name, text, typmod, _CLOCK if session is DEFAULTS else Clock(session=session))
    except Mistake as mistake:
        if said := _OUT_OF_RANGE.match(mistake.message):
            raise OutOfRange(said[1]) from None
        raise (OverflowError if _OVERFLOWS in mistake.message else ValueError) from None


_CENTS = re.compile(r"\.\d\d\)?\s*\Z", re.ASCII)
_RANGES_OF_DAYS = (
    *("daterange", "tsrange", "tstzrange"),
    *("datemultirange", "tsmultirange", "tstzmultirange"),
)
_LITERALS = (
    *("interval", "inet", "cidr", "macaddr", "money", "int4range", "int8range", "numrange"),
    *("int4multirange", "int8multirange", "nummultirange"),
)
_STANDARD = Session(sql_standard_intervals=True)
_ELSEWHERE = (Session("DMY", 3600), Session("YMD", 3600))
#: what reads a value of the others, from their declared type and the text
DECLARED: Mapping[str, tuple[Value, Callable[[PgType, object], object]]] = {
    "date": ("date", partial(_moment, date_days)),
    "timestamp": ("timestamp", partial(_moment, timestamp_micros)),
    "timestamptz": ("timestamptz", partial(_moment, timestamptz_micros)),
    "time": ("text", partial(_time, time_text)),
    "timetz": ("text", partial(_time, timetz_text)),
    "bit": ("text", _bits),
    "varbit": ("text", _bits),
    **dict.fromkeys((*_LITERALS, *_RANGES_OF_DAYS), ("text", _literal)),
}
