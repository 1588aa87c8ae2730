"""Constants as an engine writes them, of exactly the type that the column beside them has.

Example
    ================ ============== =========================== ===========================
    type             value          Spark                       DuckDB
    ================ ============== =========================== ===========================
    int8             5              CAST(5 AS BIGINT)           CAST(5 AS BIGINT)
    float8           0.1            CAST('0.1' AS DOUBLE)       CAST('0.1' AS DOUBLE)
    date             2024-01-31     CAST('2024-01-31' AS DATE)  CAST('2024-01-31' AS DATE)
    bytea            \\x6162         X'6162'                     CAST('\\x61\\x62' AS BLOB)
    ================ ============== =========================== ===========================
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.values import calendar, show
from filtersql.filters.values.networks import Address, sort_key
from filtersql.storage import Engine

__all__ = ["Unwritable", "boolean", "cast", "integer", "literal", "null", "sql_type", "text"]

#: DuckDB writes the era behind the year's last day
_BEFORE_CHRIST = re.compile(r"^(\S+)(.*) BC$")
_SQL_TYPES: dict[str, tuple[str, str]] = {
    "bool": ("BOOLEAN", "BOOLEAN"),
    "int2": ("SMALLINT", "SMALLINT"),
    "int4": ("INT", "INT"),
    "int8": ("BIGINT", "BIGINT"),
    "float4": ("FLOAT", "REAL"),
    "float8": ("DOUBLE", "DOUBLE"),
    "date": ("DATE", "DATE"),
    "timestamp": ("TIMESTAMP_NTZ", "TIMESTAMP"),
    "timestamptz": ("TIMESTAMP", "TIMESTAMPTZ"),
    "bytea": ("BINARY", "BLOB"),
    # held as the key that sorts as the value does
    "timetz": ("BIGINT", "BIGINT"),
    "money": ("BIGINT", "BIGINT"),
}
#: held by the engine as the text that PostgreSQL prints
_AS_TEXT = {"uuid", "time", "bit", "varbit", "macaddr"}
#: years that Spark reads in a literal: 0001 to 9999
_SPARK_DAYS = (calendar.days_of(1, 1, 1), calendar.days_of(9999, 12, 31))
#: the microseconds since 1970 of DuckDB's infinity, counted from 2000
_DUCKDB_END = 2**63 - 1 - 10_957 * calendar.USECS_PER_DAY


class Unwritable(Exception):
    """A constant that the engine's type cannot hold."""


def cast(expression: exp.Expr, sql_type: str, engine: Engine) -> exp.Cast:
    """CAST(expression AS sql_type)."""
    known = _data_type(sql_type, engine)
    # A tree has one parent, so each cast has a type of its own; most types are one word.
    to = known.copy() if known.expressions else exp.DataType(this=known.this)
    return exp.Cast(this=expression, to=to)


@lru_cache(maxsize=256)
def _data_type(sql_type: str, engine: Engine) -> exp.DataType:
    return exp.DataType.build(sql_type, dialect=engine)  # parses: too slow for every cast


def text(value: str) -> exp.Literal:
    """A string; the generator escapes it for the engine."""
    return exp.Literal.string(value)


def integer(value: int) -> exp.Expr:
    """A plain whole number."""
    number = exp.Literal.number(abs(value))
    return exp.Neg(this=number) if value < 0 else number


def boolean(value: bool) -> exp.Boolean:
    """TRUE or FALSE."""
    return exp.Boolean(this=value)


def sql_type(type_name: str, engine: Engine) -> str:
    """The engine's type of the values of one of PostgreSQL's."""
    return _SQL_TYPES.get(type_name, ("STRING", "TEXT"))[engine == "duckdb"]


def null(type_name: str, engine: Engine) -> exp.Cast:
    """NULL of a type."""
    return cast(exp.Null(), sql_type(type_name, engine), engine)


def literal(type_name: str, value: object, engine: Engine) -> exp.Expr:
    """A constant of any type but numeric, whose digits depend on what is beside it."""
    if value is None:
        return null(type_name, engine)
    held_as = sql_type(type_name, engine)
    match type_name:
        case "bool":
            return boolean(bool(value))
        case "int2" | "int4" | "int8":
            assert isinstance(value, int)
            # The smallest integers have no literal of their own: -2147483648 is minus a bigint.
            if type_name == "int4" and value > -(2**31):
                return integer(value)
            shown = text(str(value)) if value < 0 else integer(value)
            return cast(shown, held_as, engine)
        case "float4" | "float8":
            return cast(text(show(type_name, value)), held_as, engine)
        case "bytea":
            assert isinstance(value, bytes)
            if engine == "spark":
                return exp.HexString(this=value.hex().upper())
            return cast(text("".join(f"\\x{byte:02X}" for byte in value)), held_as, engine)
        case "date" | "timestamp" | "timestamptz":
            assert isinstance(value, int)
            return _moment(type_name, value, engine)
    if isinstance(value, calendar.TimeAndZone):
        west = -value.east
        key = (value.micros + west * 1_000_000 + 10**12) * 200_000 + west + 100_000
        return cast(integer(key), "BIGINT", engine)
    if type_name in ("inet", "cidr"):
        assert isinstance(value, Address)
        return text(sort_key(value))
    if type_name == "money":
        assert isinstance(value, int)
        return cast(integer(value), "BIGINT", engine)
    if facts().type(type_name).category == "S" or type_name in _AS_TEXT:
        return text(show(type_name, value))
    if isinstance(value, tuple) and facts().type(type_name).element:
        return text(show(type_name, value))
    raise Unwritable(type_name)


def _moment(type_name: str, value: int, engine: Engine) -> exp.Expr:
    shown, held_as = show(type_name, value), sql_type(type_name, engine)
    if shown.endswith("infinity"):
        if engine == "spark":
            raise Unwritable(shown)
        return cast(text(shown), held_as, engine)
    if engine == "duckdb":
        if type_name != "date" and value >= _DUCKDB_END:
            raise Unwritable(shown)
        return cast(text(_BEFORE_CHRIST.sub(r"\1 (BC)\2", shown)), held_as, engine)
    days = value if type_name == "date" else value // calendar.USECS_PER_DAY
    if _SPARK_DAYS[0] <= days <= _SPARK_DAYS[1]:
        return cast(text(shown.replace("+00", "+00:00")), held_as, engine)
    raise Unwritable(shown)
