"""What a foreign key's referenced table must have: a unique constraint over like columns.

Example
    `REFERENCES t` of a table without primary key: there is no primary key for referenced table
    "t". Keys of YAML are judged when everything is read; whether a table that YAML defines is
    unique by other columns than its key is not asked.

PostgreSQL
    pg_cast.dat, pg_amop.dat; tablecmds.c: ATAddForeignKeyConstraint(),
    transformFkeyGetPrimaryKey(), transformFkeyCheckAttrs()
"""

from __future__ import annotations

from collections.abc import Callable

from filtersql.catalog import ForeignKey, PgType
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.dependents import described, references_to, resting_on
from filtersql.definitions.kinds import SYSTEM_COLUMNS, kind_of
from filtersql.definitions.sql_names import (
    Script,
    check_opened,
    unknown_table,
)
from filtersql.errors import Mistake
from filtersql.errors.altering import DependedOn
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import ForeignKeyMismatch, SystemColumn
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import type_in_message
from filtersql.source import Span

__all__ = [
    "check_key",
    "check_key_drop",
    "check_references",
    "check_retyped",
    "release_index",
]

#: types that one operator family compares with each other
_FAMILIES = (
    frozenset({"int2", "int4", "int8"}),
    frozenset({"float4", "float8"}),
    frozenset({"date", "timestamp", "timestamptz"}),
    frozenset({"text", "varchar", "bpchar", "name"}),
    frozenset({"bit", "varbit"}),
    frozenset({"inet", "cidr"}),
)
_NO_TABLES = ("views", "materialized views", "sequences", "foreign tables")


def check_references(script: Script, table: DraftTable, constraint: Node, span: Span) -> None:
    """Raises where a foreign key, a table's last, does not fit the table that it references."""
    if enum_name(constraint, "contype") != "CONSTR_FOREIGN":
        return
    try:
        check_key(
            script.drafts, table, table.foreign_keys[-1][0], constraint.pktable.schemaname, span
        )
    except Mistake:
        table.foreign_keys.pop()  # it was not made
        raise


def check_key(drafts: Drafts, table: DraftTable, key: ForeignKey, schema: str, span: Span) -> None:
    """Raises where a foreign key does not fit; that nothing is referenced is noted for the end."""
    name = key.references
    kind = kind_of(drafts, name)
    if kind in _NO_TABLES:
        raise ForeignKeyMismatch.no_table(name.name, span)
    check_opened(drafts, name, span)
    other = table if name == table.name else drafts.tables.get(name)
    if other and other.unlogged and not table.unlogged:
        raise ForeignKeyMismatch.unlogged(span)
    if kind is None and other is None and name not in drafts.broken:
        drafts.references.append((name, unknown_table(drafts, name, schema, span)))
    _check_named(table, key.columns, span)
    if other is None or other.columns is None:
        return
    if not other.all_named:
        _check_unasked(drafts, table, key, other, span)
        return
    if not key.referenced_columns and not other.primary_key:
        raise ForeignKeyMismatch.no_key(other.name.name, span)
    columns = key.referenced_columns or other.primary_key
    if not key.referenced_columns and other.primary_key_deferrable:
        raise ForeignKeyMismatch.deferrable("primary key", other.name.name, span)
    _check_named(other, columns, span)
    unique = _unique(other, {*columns})
    if not unique:
        raise ForeignKeyMismatch.no_unique(other.name.name, span)
    if all(unique):
        raise ForeignKeyMismatch.deferrable("unique constraint", other.name.name, span)
    if len(columns) != len(key.columns):
        raise ForeignKeyMismatch.disagree(span)
    _check_types(drafts, table, key, other, span)


def _unique(other: DraftTable, columns: set[str]) -> list[bool]:
    """Of each key over these columns whether it is deferrable."""
    keys = [(other.primary_key, other.primary_key_deferrable)]
    keys += (
        (one.columns, one.refusal == "non-immediate")
        for one in other.indexes.values()
        if one.refusal in (None, "non-immediate")
    )
    return [deferrable for names, deferrable in keys if {*names} == columns]


def _check_unasked(
    drafts: Drafts, table: DraftTable, key: ForeignKey, other: DraftTable, span: Span
) -> None:
    """Of a table that YAML defines: its columns, where SQL does not come before them."""
    if table.all_named:
        return
    columns = key.referenced_columns or other.primary_key
    if not columns:
        raise ForeignKeyMismatch.no_key(other.name.name, span)
    _check_named(other, columns, span)
    if len(columns) != len(key.columns):
        raise ForeignKeyMismatch.disagree(span)
    _check_types(drafts, table, key, other, span)


def check_key_drop(
    script: Script, table: DraftTable, command: Node, place: Callable[[], Span]
) -> None:
    """DROP CONSTRAINT of a key that foreign keys point to."""
    what = f"constraint {command.name} on table {described(script, table.name)}"
    cascade = enum_name(command, "behavior") == "DROP_CASCADE"
    release_index(script, table, command.name, what, place, cascade=cascade)


def release_index(
    script: Script,
    table: DraftTable,
    index: str,
    what: str,
    place: Callable[[], Span],
    *,
    cascade: bool,
) -> None:
    """Raises where a unique index goes that serves foreign keys."""
    of = described(script, RelationName(table.name.schema, index))
    lines = [
        f"constraint {key.name} on table {described(script, other.name)} depends on index {of}"
        for other, key, _ in resting_on(script.drafts, table, index)
    ]
    if lines and cascade:
        what = "CASCADE that takes foreign keys along"
        raise UnsupportedStatement.dumped(what, place())
    if lines:
        raise DependedOn(what, lines, place())


def check_retyped(drafts: Drafts, table: DraftTable, span: Span) -> None:
    """ALTER COLUMN TYPE: the foreign keys of a table and to it are made again."""
    for key, _ in table.foreign_keys:
        other = table if key.references == table.name else drafts.tables.get(key.references)
        if other is not None:
            _check_types(drafts, table, key, other, span)
    for other, key, _ in references_to(drafts, table.name):
        _check_types(drafts, other, key, table, span)


def _check_types(
    drafts: Drafts, table: DraftTable, key: ForeignKey, other: DraftTable, span: Span
) -> None:
    columns = key.referenced_columns or other.primary_key
    for own, there in zip(key.columns, columns, strict=False):
        first, second = (table.columns or {}).get(own), (other.columns or {}).get(there)
        # A partition's columns may be its root's, which is not asked here.
        if first and second and not _compared(drafts, first.type, second.type):
            types = f"{type_in_message(first.type)} and {type_in_message(second.type)}"
            raise UnsupportedStatement(f"a foreign key between {types}", span)


def _check_named(table: DraftTable, columns: tuple[str, ...], span: Span) -> None:
    for column in columns:
        if column in SYSTEM_COLUMNS:
            raise SystemColumn.in_foreign_key(span)
        if table.columns is not None and column not in table.columns:
            raise ForeignKeyMismatch.unknown(column, span)


def _compared(drafts: Drafts, own: PgType, there: PgType) -> bool:
    """Whether the two are one type or of one family, or their types are the project's own."""
    if (own.schema, own.name) == (there.schema, there.name):
        return True
    for one in (own, there):
        kind = drafts.types.get(RelationName(one.schema, one.name.removeprefix("_")))
        if one.schema != "pg_catalog" and kind in (None, "domain"):
            return True  # what an extension's type is compared with, or a domain is made of
    alike = any({own.name, there.name} <= one for one in _FAMILIES)
    return alike and own.schema == there.schema
