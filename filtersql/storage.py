"""How a PostgreSQL type is stored on each engine: the nearest exact type, else PostgreSQL's text.

Example
    ================ ================== ====================
    PostgreSQL       Spark              DuckDB
    ================ ================== ====================
    integer          INT                INTEGER
    numeric(10,2)    DECIMAL(10, 2)     DECIMAL(10, 2)
    numeric          STRING (text)      VARCHAR (text)
    timestamp        TIMESTAMP_NTZ      TIMESTAMP
    uuid             STRING (text)      VARCHAR (text)
    ================ ================== ====================

A value that the stored type cannot hold (numeric NaN in a DECIMAL, `infinity` in Spark's DATE)
stops the run; it is never changed.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from filtersql.catalog import Column, PgType

__all__ = ["Engine", "StoredType", "column_type", "is_text", "stored_as"]

Engine = Literal["spark", "duckdb"]

_EXACT: dict[str, tuple[str, str]] = {
    "bool": ("BOOLEAN", "BOOLEAN"),
    "int2": ("SMALLINT", "SMALLINT"),
    "int4": ("INT", "INTEGER"),
    "int8": ("BIGINT", "BIGINT"),
    "float4": ("FLOAT", "FLOAT"),
    "float8": ("DOUBLE", "DOUBLE"),
    "text": ("STRING", "VARCHAR"),
    "varchar": ("STRING", "VARCHAR"),
    "bpchar": ("STRING", "VARCHAR"),
    "bytea": ("BINARY", "BLOB"),
    "date": ("DATE", "DATE"),
    "timestamp": ("TIMESTAMP_NTZ", "TIMESTAMP"),
    "timestamptz": ("TIMESTAMP", "TIMESTAMPTZ"),
}
_MOST_DIGITS = 38


class StoredType(Struct, frozen=True):
    """`sql` is the engine's type; `as_text` says that it holds PostgreSQL's text output."""

    sql: str
    as_text: bool = False


def stored_as(pg_type: PgType, engine: Engine) -> StoredType:
    """The engine's type for values of a PostgreSQL type; a domain's are those of its base."""
    if pg_type.base is not None:
        return stored_as(pg_type.base, engine)
    side = 0 if engine == "spark" else 1
    if pg_type.schema == "pg_catalog" and pg_type.name in _EXACT:
        return StoredType(_EXACT[pg_type.name][side])
    digits = pg_type.numeric_precision_scale
    if digits is not None and 0 <= digits[1] <= digits[0] <= _MOST_DIGITS:
        return StoredType(f"DECIMAL({digits[0]}, {digits[1]})")
    return StoredType(("STRING", "VARCHAR")[side], as_text=True)


def is_text(sql_type: str) -> bool:
    """Whether an engine's type holds any text.

    >>> is_text("string"), is_text("VARCHAR(20)"), is_text("decimal(38, 9)")
    (True, True, False)
    """
    return re.fullmatch(r"\s*(string|varchar|text)\b[^a-z]*", sql_type, re.IGNORECASE) is not None


def column_type(column: Column, engine: Engine) -> StoredType:
    """The engine's type of a target column: YAML's `target_type` where it is written."""
    if column.target_type is not None:
        return StoredType(column.target_type)
    return stored_as(column.type, engine)
