"""From a value of a PostgreSQL type to the value that Arrow holds for the engine's type.

Example
    >>> store = storer(PgType("int4"), stored_kind("INT", "spark"), "spark")
    >>> store(7), store("7")
    (7, 7)
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from functools import lru_cache, partial
from typing import Literal

import pyarrow
from msgspec import Struct

from filtersql.catalog import PgType
from filtersql.feeds.datetimes import FOREVER_DAYS, FOREVER_MICROS
from filtersql.feeds.readers import Family, family, text_of
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.storage import Engine

__all__ = ["StoredKind", "Unstorable", "stored_kind", "storer"]

Name = Literal[
    "boolean",
    "int8",
    "int16",
    "int32",
    "int64",
    "float",
    "double",
    "string",
    "binary",
    "date",
    "timestamp",
    "timestamptz",
    "decimal",
]


class Unstorable(Exception):
    """The engine's type cannot hold the value; the message says why, without the value."""


class StoredKind(Struct, frozen=True):
    """An engine's type as Arrow knows it."""

    name: Name
    sql: str
    precision: int = 0
    scale: int = 0

    @property
    def arrow(self) -> pyarrow.DataType:
        """The Arrow type."""
        match self.name:
            case "date":
                return pyarrow.date32()
            case "timestamp":
                return pyarrow.timestamp("us")
            case "timestamptz":
                return pyarrow.timestamp("us", "UTC")
            case "decimal":
                return pyarrow.decimal128(self.precision, self.scale)
            case _:
                return pyarrow.type_for_alias(self.name)

    def array(self, values: list[object]) -> pyarrow.Array:
        """The Arrow array of stored values; days and microseconds are plain integers."""
        if self.name == "date":
            return pyarrow.array(values, pyarrow.int32()).view(self.arrow)
        if self.name in ("timestamp", "timestamptz"):
            return pyarrow.array(values, pyarrow.int64()).view(self.arrow)
        return pyarrow.array(values, self.arrow)


@lru_cache(maxsize=256)
def stored_kind(sql_type: str, engine: Engine) -> StoredKind | None:
    """What an engine's type name means; None when filtersql cannot store into it."""
    match = re.fullmatch(
        r"\s*([A-Za-z_][\w ]*?)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*", sql_type
    )
    if match is None:
        return None
    word = " ".join(match[1].upper().split())
    if word in ("DECIMAL", "NUMERIC", "DEC"):
        # Without digits each engine means something else: neither is what numeric means.
        if match[2] is None:
            return None
        return StoredKind("decimal", sql_type, int(match[2]), int(match[3] or 0))
    name = _NAMES.get(word) or _NAMES_OF[engine].get(word)
    if name is None or (match[2] is not None and name != "string"):
        return None
    return StoredKind(name, sql_type)


def storer(pg_type: PgType, kind: StoredKind, engine: Engine) -> Callable[[object], object] | None:
    """The function from a JSON value (never None) to the stored value; None: no exact one."""
    of = family(pg_type)
    if kind.name == "string":
        return _texts(of)
    check = _checked(of, kind, engine)
    if check is None:
        return None
    if of.holds == "integer":
        return partial(_integer, of, check)
    return lambda written: check(of.read(text_of(written)))


_NAMES: Mapping[str, Name] = {
    "BOOLEAN": "boolean",
    "BOOL": "boolean",
    "TINYINT": "int8",
    "SMALLINT": "int16",
    "INT": "int32",
    "INTEGER": "int32",
    "BIGINT": "int64",
    "FLOAT": "float",
    "REAL": "float",
    "DOUBLE": "double",
    "STRING": "string",
    "DATE": "date",
    "TIMESTAMP_NTZ": "timestamp",
    "BINARY": "binary",
}
_NAMES_OF: Mapping[Engine, Mapping[str, Name]] = {
    "spark": {
        "BYTE": "int8",
        "SHORT": "int16",
        "LONG": "int64",
        "TIMESTAMP": "timestamptz",
        "TIMESTAMP_LTZ": "timestamptz",
    },
    "duckdb": {
        "VARCHAR": "string",
        "TEXT": "string",
        "BLOB": "binary",
        "BYTEA": "binary",
        "TIMESTAMP": "timestamp",
        "DATETIME": "timestamp",
        "TIMESTAMPTZ": "timestamptz",
        "TIMESTAMP WITH TIME ZONE": "timestamptz",
    },
}
_INTEGER_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
_CONTEXT = Context(prec=100)
_SPARK_DAYS = (-719_162, 2_932_896)  # the years 1 to 9999


def _integer(of: Family, check: Callable[[object], object], written: object) -> object:
    # No text in between for nearly all integers: int2's limit is right for each type.
    if type(written) is int and -32_768 <= written < 32_768:
        return check(written)
    return check(of.read(text_of(written)))


def _texts(of: Family) -> Callable[[object], object]:
    read = of.read if of.holds in ("text", "numeric") else of.printed
    return lambda written: read(text_of(written))


def _checked(of: Family, kind: StoredKind, engine: Engine) -> Callable[[object], object] | None:
    """What stands between a value and the engine's type, by (family, type)."""
    match of.holds, kind.name:
        case ("boolean", "boolean") | ("bytes", "binary") | ("float", "double"):
            return lambda value: value
        case "float", "float":
            return _narrow_float
        case "integer", "int8" | "int16" | "int32" | "int64":
            return partial(_fits, 1 << (_INTEGER_BITS[kind.name] - 1), kind)
        case (("integer" | "numeric"), "decimal"):
            return partial(_decimal, kind)
        case "date", "date":
            return partial(_moment, engine, kind, 1, FOREVER_DAYS)
        case ("timestamp", "timestamp") | ("timestamptz", "timestamptz"):
            return partial(_moment, engine, kind, USECS_PER_DAY, FOREVER_MICROS)
        case _:
            return None


def _fits(limit: int, kind: StoredKind, value: object) -> object:
    assert isinstance(value, int)
    if not -limit <= value < limit:
        raise Unstorable(f"does not fit {kind.sql}")
    return value


def _narrow_float(value: object) -> object:
    assert isinstance(value, float)
    if value == value and struct.unpack("f", struct.pack("f", value))[0] != value:
        raise Unstorable("does not fit FLOAT exactly")
    return value


def _decimal(kind: StoredKind, value: object) -> Decimal:
    text = str(value)
    if text in ("NaN", "Infinity", "-Infinity"):
        raise Unstorable(f"cannot be held by {kind.sql}")
    whole, _, fraction = text.lstrip("-").partition(".")
    if len(whole.lstrip("0")) > kind.precision - kind.scale or fraction[kind.scale :].strip("0"):
        raise Unstorable(f"does not fit {kind.sql}")
    if len(fraction) == kind.scale:
        return Decimal(text)
    return Decimal(text).quantize(Decimal((0, (1,), -kind.scale)), context=_CONTEXT)


def _moment(engine: Engine, kind: StoredKind, day: int, forever: int, value: object) -> object:
    """Days, or parts of some; `forever` is infinity."""
    assert isinstance(value, int)
    if engine == "spark" and (
        abs(value) == forever or not _SPARK_DAYS[0] <= value // day <= _SPARK_DAYS[1]
    ):
        raise Unstorable(
            f"cannot be held by Spark's {kind.sql}, which ends at the years 1 and 9999"
        )
    return value
