"""`debug --types`: how each PostgreSQL type is stored on each engine.

Example
    integer          INT              INTEGER
    numeric          STRING (text)    VARCHAR (text)
"""

from __future__ import annotations

from filtersql.catalog import PgType
from filtersql.pgtypes import format_type
from filtersql.storage import Engine, stored_as

__all__ = ["type_listing"]

_TEN_TWO = ((10 << 16) | 2) + 4
_TYPES = (
    *(PgType(name) for name in ("bool", "int2", "int4", "int8")),
    PgType("numeric", _TEN_TWO),
    PgType("numeric"),
    *(PgType(name) for name in ("float4", "float8", "money")),
    PgType("text"),
    PgType("varchar", 14),
    PgType("bpchar", 14),
    PgType("bytea"),
    *(PgType(name) for name in ("date", "time", "timetz", "timestamp", "timestamptz", "interval")),
    *(PgType(name) for name in ("uuid", "json", "jsonb", "xml", "inet", "cidr", "macaddr")),
    *(PgType(name) for name in ("_int4", "_text", "int4range", "tstzrange", "bit", "point")),
)


def type_listing() -> list[list[str]]:
    """Rows of PostgreSQL's type, Spark's and DuckDB's; `(text)` is PostgreSQL's text output."""
    return [[format_type(each), _stored(each, "spark"), _stored(each, "duckdb")] for each in _TYPES]


def _stored(pg_type: PgType, engine: Engine) -> str:
    stored = stored_as(pg_type, engine)
    return f"{stored.sql} (text)" if stored.as_text else stored.sql
