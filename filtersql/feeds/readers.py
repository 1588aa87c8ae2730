"""Reading a value of each PostgreSQL type, and printing it as PostgreSQL does: `family(pg_type)`.

Example
    >>> boolean = family(PgType("bool"))
    >>> boolean.read("yes"), boolean.text(True)
    (True, 't')
    >>> family(PgType("bpchar", 4 + 3)).read("ab")
    'ab '

A type that is not in the table is kept as the text that was recorded: PostgreSQL's own output.

PostgreSQL
    The input and output functions of src/backend/utils/adt/.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import PgType
from filtersql.errors import Mistake
from filtersql.feeds.arrays import array_text
from filtersql.feeds.datetimes import (
    FOREVER_MICROS,
    OutOfRange,
    date_days,
    days_text,
    in_range,
    micros_text,
    time_text,
    timestamp_micros,
    timestamptz_micros,
    timetz_text,
)
from filtersql.feeds.jsonb import check_json, json_text, jsonb_text
from filtersql.feeds.numbers import float_text, float_value, integer_value, numeric_text
from filtersql.filters.values import Clock, read, show
from filtersql.filters.values.arrays import SEPARATORS
from filtersql.filters.values.texts import BLANKS
from filtersql.source import DEFAULTS, Session

__all__ = ["Family", "family", "is_plain", "text_of", "type_title"]

Value = Literal[
    "boolean", "integer", "float", "numeric", "text", "bytes", "date", "timestamp", "timestamptz"
]


class Family(Struct, frozen=True):
    """How values of a type are read from text, and printed. `holds` is what `read` gives.

    Dates and times are read into days and microseconds since 1970; a moment is printed in UTC, so
    that it has one text.
    """

    holds: Value
    read: Callable[[object], object]
    text: Callable[[object], str] = str

    def printed(self, written: object) -> str:
        """The text as PostgreSQL prints it. Raises as `read`."""
        return self.text(self.read(written))


def text_of(written: object) -> object:
    """A JSON scalar as the text that PostgreSQL's input function reads; arrays stay as they are."""
    if isinstance(written, str):
        return written
    if isinstance(written, bool):
        return "true" if written else "false"
    return str(written) if isinstance(written, int) else written


def family(pg_type: PgType) -> Family:
    """The family of a type; a domain's is that of its base."""
    if pg_type.base is not None:
        return family(pg_type.base)
    if pg_type.schema != "pg_catalog":
        return Family("text", _plain)
    if pg_type.is_array:
        separator = SEPARATORS.get(pg_type.name[1:], ",")
        return Family("text", partial(_array, _array_element(pg_type), separator))
    if pg_type.name in ("varchar", "bpchar") and pg_type.length is not None:
        return Family("text", partial(_sized, pg_type.length, pg_type.name == "bpchar"))
    if pg_type.name == "numeric":
        return Family("numeric", partial(_numeric, pg_type.numeric_precision_scale))
    if pg_type.name in _DECLARED:
        holds, read = _DECLARED[pg_type.name]
        return replace(_PRINTED.get(holds, _TEXT), holds=holds, read=partial(read, pg_type))
    return _FAMILIES.get(pg_type.name, _TEXT)


def is_plain(pg_type: PgType) -> bool:
    """Whether every text without NUL characters is a value, kept as it is."""
    return family(pg_type).read is _plain


def type_title(pg_type: PgType) -> str:
    """The type's name as PostgreSQL's messages print it."""
    if pg_type.is_array:
        return type_title(PgType(pg_type.name[1:], pg_type.typmod)) + "[]"
    title = _TITLES.get(pg_type.name, pg_type.name)
    if pg_type.length is not None:
        return f"{title}({pg_type.length})"
    if digits := pg_type.numeric_precision_scale:
        return f"{title}({digits[0]},{digits[1]})"
    return title


_TITLES: Mapping[str, str] = {
    "bool": "boolean",
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
    "bpchar": "character",
    "varchar": "character varying",
    "time": "time without time zone",
    "timetz": "time with time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
}
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False, "on": True, "off": False}
_UUID = re.compile(r"[0-9a-f]{32}")
_OUT_OF_RANGE = re.compile(r"([a-z/ ]+) out of range:")
_FRACTION = re.compile(r"\.(\d+)")
_YEAR_FIRST = re.compile(r"(?:\d{4,}-\d\d?-\d\d?|\d{8})(?:[ T][\d:.]+)?(?: BC)?", re.ASCII)
#: what counts from 1970 here and from 2000 in PostgreSQL: how much lies between
_SINCE_1970 = {"date": 10_957, "timestamp": 946_684_800_000_000}


def _plain(written: object) -> str:
    if not isinstance(written, str) or "\x00" in written:
        raise ValueError
    return written


def _array_element(pg_type: PgType) -> Callable[[object], str]:
    return family(PgType(pg_type.name[1:], pg_type.typmod)).printed


def _array(element: Callable[[object], str], separator: str, written: object) -> str:
    if not isinstance(written, str | list):
        raise ValueError
    return _plain(array_text(written, element, separator))


def _sized(length: int, padded: bool, written: object) -> str:
    text = _plain(written)
    if len(text) > length:
        # Only blanks may be cut, as PostgreSQL does.
        if text[length:].strip(" "):
            raise OverflowError
        text = text[:length]
    return text.ljust(length) if padded else text


def _boolean(written: object) -> bool:
    word = _plain(written).strip(BLANKS).lower()
    if word in ("1", "0"):
        return word == "1"
    meant = {value for name, value in _BOOLEANS.items() if word and name.startswith(word)}
    if len(meant) != 1 or word == "o":
        raise ValueError
    return meant.pop()


def _integer(type_name: str, written: object) -> int:
    return integer_value(_plain(written), type_name)


def _float(size: int, written: object) -> float:
    return float_value(_plain(written), size)


def _float_text(size: int, value: object) -> str:
    assert isinstance(value, float)
    return float_text(value, size)


def _numeric(precision_scale: tuple[int, int] | None, written: object) -> str:
    return numeric_text(_plain(written), precision_scale)


def _bytes(written: object) -> bytes:
    text = _plain(written)
    if text.startswith("\\x"):
        return bytes.fromhex(text[2:])
    raw = text.encode()
    if re.search(rb"\\(?!\\|[0-3][0-7]{2})", re.sub(rb"\\\\", b"", raw)):
        raise ValueError
    return re.sub(
        rb"\\(\\|[0-3][0-7]{2})",
        lambda match: b"\\" if match[1] == b"\\" else bytes([int(match[1], 8)]),
        raw,
    )


def _bytes_text(value: object) -> str:
    assert isinstance(value, bytes)
    return "\\x" + value.hex()


def _uuid(written: object) -> str:
    text = _plain(written).lower()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    digits = re.sub(r"(?<=[0-9a-f]{4})-(?=[0-9a-f])", "", text)
    if not _UUID.fullmatch(digits):
        raise ValueError
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _json(written: object) -> str:
    text = written if isinstance(written, str) else json_text(written)
    check_json(text)
    return text


def _jsonb(written: object) -> str:
    return jsonb_text(written if isinstance(written, str) else json_text(written))


def _moment(read: Callable[[str], int], pg_type: PgType, written: object) -> int:
    """A date or timestamp: as PostgreSQL prints it, or else as it reads it with the year first.

    What settings decide (`01/02/2024`, a moment without its zone), and a zone that PostgreSQL would
    leave unread, is refused.
    """
    text = _plain(written)
    try:
        found = read(text)
    except ValueError:
        if pg_type.name not in _SINCE_1970 or not _YEAR_FIRST.fullmatch(text):
            raise
        found = in_range(int(str(_input(pg_type.name, text, -1))) + _SINCE_1970[pg_type.name])
    if pg_type.typmod >= 0 and abs(found) != FOREVER_MICROS and found % 10 ** (6 - pg_type.typmod):
        raise OverflowError
    return found


def _time(read: Callable[[str], str], pg_type: PgType, written: object) -> str:
    text = read(_plain(written))
    fraction = _FRACTION.search(text)
    if fraction and 0 <= pg_type.typmod < len(fraction[1]):
        raise OverflowError
    return text


def _literal(pg_type: PgType, written: object) -> str:
    """A value as PostgreSQL's input function reads it and its output function prints it.

    What settings decide is refused: `-1 2:00` under IntervalStyle, `[01/02/2024,)`, `1,50`.
    """
    text = _plain(written)
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
        return _input(name, text, -1, session) != _input(name, text, -1)
    except (ValueError, OverflowError):
        return False


def _bits(pg_type: PgType, written: object) -> str:
    found = _literal_text(pg_type.name, _plain(written), -1)
    wanted = pg_type.typmod
    if wanted >= 0 and (len(found) > wanted or (pg_type.name == "bit" and len(found) < wanted)):
        raise OverflowError
    return found


@lru_cache(maxsize=4096)  # a column repeats itself, and reading one takes 50 microseconds
def _literal_text(name: str, text: str, typmod: int) -> str:
    return show(name, _input(name, text, typmod))


def _input(name: str, text: str, typmod: int, session: Session = DEFAULTS) -> object:
    try:
        return read(name, text, typmod, Clock(session=session))
    except Mistake as mistake:
        if said := _OUT_OF_RANGE.match(mistake.message):
            raise OutOfRange(said[1]) from None
        raise ValueError from None


_CENTS = re.compile(r"\.\d\d\)?\s*\Z", re.ASCII)
_RANGES_OF_DAYS = (
    *("daterange", "tsrange", "tstzrange"),
    *("datemultirange", "tsmultirange", "tstzmultirange"),
)
_STANDARD = Session(sql_standard_intervals=True)
_ELSEWHERE = (Session("DMY", 3600), Session("YMD", 3600))
_TEXT = Family("text", _plain)
_PRINTED: Mapping[Value, Family] = {
    "date": Family("date", _plain, days_text),
    "timestamp": Family("timestamp", _plain, micros_text),
    "timestamptz": Family("timestamptz", _plain, partial(micros_text, offset="+00")),
}
#: types without digits of their own
_FAMILIES: Mapping[str, Family] = {
    "bool": Family("boolean", _boolean, lambda value: "t" if value else "f"),
    "int2": Family("integer", partial(_integer, "int2")),
    "int4": Family("integer", partial(_integer, "int4")),
    "int8": Family("integer", partial(_integer, "int8")),
    "float4": Family("float", partial(_float, 4), partial(_float_text, 4)),
    "float8": Family("float", partial(_float, 8), partial(_float_text, 8)),
    "bytea": Family("bytes", _bytes, _bytes_text),
    "uuid": Family("text", _uuid),
    "json": Family("text", _json),
    "jsonb": Family("text", _jsonb),
}
#: what reads a value of the others, from their declared type and the text
_DECLARED: Mapping[str, tuple[Value, Callable[[PgType, object], object]]] = {
    "date": ("date", partial(_moment, date_days)),
    "timestamp": ("timestamp", partial(_moment, timestamp_micros)),
    "timestamptz": ("timestamptz", partial(_moment, timestamptz_micros)),
    "time": ("text", partial(_time, time_text)),
    "timetz": ("text", partial(_time, timetz_text)),
    "bit": ("text", _bits),
    "varbit": ("text", _bits),
    **dict.fromkeys(
        (
            "interval",
            "inet",
            "cidr",
            "macaddr",
            "money",
            "int4range",
            "int8range",
            "numrange",
            "int4multirange",
            "int8multirange",
            "nummultirange",
            *_RANGES_OF_DAYS,
        ),
        ("text", _literal),
    ),
}
