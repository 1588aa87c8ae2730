"""What a foreign key's referenced table must have: a unique constraint over the columns.

Example
    `REFERENCES t` of a table without primary key: there is no primary key for referenced table
    "t". A table that no file defines is not asked.

PostgreSQL
    tablecmds.c: ATAddForeignKeyConstraint(), transformFkeyGetPrimaryKey(),
    transformFkeyCheckAttrs()
"""

from __future__ import annotations

from filtersql.definitions.drafts import DraftTable
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Script, check_opened
from filtersql.errors.relations import ForeignKeyMismatch
from filtersql.source import Span

__all__ = ["check_references"]


def check_references(script: Script, table: DraftTable, span: Span) -> None:
    """Raises where the last foreign key of a table does not fit the one that it references."""
    if not table.foreign_keys or table.foreign_keys[-1][1] != span:
        return
    key = table.foreign_keys[-1][0]
    name, drafts = key.references, script.drafts
    if kind_of(drafts, name) in ("views", "materialized views", "sequences"):
        raise ForeignKeyMismatch.no_table(name.name, span)
    check_opened(script, name, span)
    other = table if name == table.name else drafts.tables.get(name)
    if other is None or other.columns is None or not other.all_named:
        return
    if other.unlogged and not table.unlogged:
        raise ForeignKeyMismatch.unlogged(span)
    if not key.referenced_columns and not other.primary_key:
        raise ForeignKeyMismatch.no_key(other.name.name, span)
    columns = key.referenced_columns or other.primary_key
    for column in columns:
        if column not in other.columns:
            raise ForeignKeyMismatch.unknown(column, span)
    if len(columns) != len(key.columns):
        raise ForeignKeyMismatch.disagree(span)
    unique = [
        other.primary_key,
        *(one.columns for one in other.indexes.values() if not one.refusal),
    ]
    if all({*columns} != {*one} for one in unique):
        raise ForeignKeyMismatch.no_unique(other.name.name, span)
