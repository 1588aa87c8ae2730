"""Which types ALTER COLUMN TYPE converts into which without USING: the casts of an assignment.

Example
    bigint to integer is one, text to integer is not: column "b" cannot be cast automatically to
    type integer. Everything becomes text by itself.

PostgreSQL
    tablecmds.c: ATPrepAlterColumnType(); parse_coerce.c: can_coerce_type(); pg_cast.dat
"""

from __future__ import annotations

from filtersql.catalog import Column, PgType
from filtersql.errors.columns import NO_AUTOMATIC_CAST
from filtersql.names import quote_identifier
from filtersql.pgtypes import format_type
from filtersql.source import Span

__all__ = ["check_conversion"]

_STRINGS = frozenset({"text", "varchar", "bpchar", "name"})
_CASTS = {
    "bit": "varbit",
    "box": "polygon",
    "bpchar": "char",
    "cidr": "inet",
    "date": "timestamp timestamptz",
    "float4": "float8 int2 int4 int8 numeric",
    "float8": "float4 int2 int4 int8 numeric",
    "inet": "cidr",
    "int2": "float4 float8 int4 int8 numeric oid",
    "int4": "float4 float8 int2 int8 money numeric oid",
    "int8": "float4 float8 int2 int4 money numeric oid",
    "interval": "time",
    "json": "jsonb",
    "jsonb": "json",
    "macaddr": "macaddr8",
    "macaddr8": "macaddr",
    "money": "numeric",
    "numeric": "float4 float8 int2 int4 int8 money",
    "oid": "int4 int8",
    "path": "polygon",
    "point": "box",
    "polygon": "path",
    "text": "char",
    "time": "interval timetz",
    "timestamp": "date time timestamptz",
    "timestamptz": "date time timestamp timetz",
    "timetz": "time",
    "varbit": "bit",
    "varchar": "char",
}


def check_conversion(column: Column, new: PgType, span: Span) -> None:
    """Raises where only USING says how a column's values become the new type's."""
    if column.generated is not None or _assigned(column.type, new):
        return
    bare = format_type(PgType(new.name, -1, new.schema))
    using = f"{quote_identifier(column.name)}::{format_type(new)}"
    raise NO_AUTOMATIC_CAST(span, column=column.name, type_name=bare, using=using)


def _assigned(old: PgType, new: PgType) -> bool:
    if old.schema != "pg_catalog" or new.schema != "pg_catalog":
        return True  # what casts a user's types have is not known here
    if old.name == new.name or new.name in _STRINGS:
        return True
    if old.is_array and new.is_array:
        return _assigned(PgType(old.name[1:]), PgType(new.name[1:]))
    return new.name in _CASTS.get(old.name, "").split()
