"""Which types ALTER COLUMN TYPE converts into which without USING.

Example
    bigint to integer is one, text to integer is not: column "b" cannot be cast automatically to
    type integer. Everything becomes text by itself. Casts that are rarer ask for USING, too.

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
#: types of which each becomes each other
_ALIKE = (
    frozenset({"int2", "int4", "int8", "float4", "float8", "numeric"}),
    frozenset({"json", "jsonb"}),
    frozenset({"timestamp", "timestamptz"}),
    frozenset({"bit", "varbit"}),
    frozenset({"inet", "cidr"}),
)


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
    dated = old.name == "date" and new.name in ("timestamp", "timestamptz")
    return dated or any({old.name, new.name} <= family for family in _ALIKE)
