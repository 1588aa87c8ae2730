"""What a foreign key's referenced table must have: a unique constraint over like columns.

Example
    `REFERENCES t` of a table without primary key is refused. Keys of YAML are judged when
    everything is read; whether a table that YAML defines is unique by other columns than its key
    is not asked.

PostgreSQL
    tablecmds.c: ATAddForeignKeyConstraint(), transformFkeyCheckAttrs()
"""

from __future__ import annotations

from filtersql.catalog import ForeignKey, PgType
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.dependents import references_to, resting_on
from filtersql.definitions.keys import add_constraint
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Place, Script, referenced, unknown_table
from filtersql.errors import Mistake
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.keys import REFERENCED_UNKNOWN, REFERENCED_UNLOGGED
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import type_in_message
from filtersql.source import Span

__all__ = ["add_key", "check_key", "check_retyped", "release_index"]

#: types that one operator family compares with each other
_FAMILIES = (
    frozenset({"int2", "int4", "int8"}),
    frozenset({"float4", "float8"}),
    frozenset({"date", "timestamp", "timestamptz"}),
    frozenset({"text", "varchar", "bpchar", "name"}),
)
_TABLES = (None, "tables", "partitioned tables")


def add_key(
    script: Script, table: DraftTable, node: Node, span: Span, columns: tuple[str, ...] = ()
) -> None:
    """Adds a key; `columns` where it stands behind one. Raises where a foreign key does not fit."""
    if enum_name(node, "contype") != "CONSTR_FOREIGN":
        add_constraint(table, node, span, None, columns)
        return
    add_constraint(table, node, span, referenced(script, node.pktable), columns)
    try:
        check_key(script.drafts, table, table.foreign_keys[-1][0], node.pktable.schemaname, span)
    except Mistake:
        table.foreign_keys.pop()  # it was not made
        raise


def check_key(drafts: Drafts, table: DraftTable, key: ForeignKey, schema: str, span: Span) -> None:
    """Raises where a foreign key does not fit; that nothing is referenced is noted for the end."""
    name = key.references
    kind = kind_of(drafts, name)
    if kind not in _TABLES:
        raise UnsupportedStatement(f"a foreign key to one of the {kind}", span)
    other = table if name == table.name else drafts.tables.get(name)
    if other is not None and other.unlogged and not table.unlogged:
        raise REFERENCED_UNLOGGED(span)
    if other is None and name not in drafts.broken:
        drafts.references.append((name, unknown_table(drafts, name, schema, span)))
    _check_named(table, key.columns, span)
    if other is None or other.columns is None or (table.all_named and not other.all_named):
        return
    columns = key.referenced_columns or other.primary_key
    _check_named(other, columns, span)
    unique = [index.columns for index in other.indexes.values() if index.refusal is None]
    covered = {*columns} in [{*one} for one in unique] or not other.all_named
    if not columns or not covered or len(columns) != len(key.columns):
        construct = f'a foreign key that matches no unique constraint of table "{name.name}"'
        raise UnsupportedStatement(construct, span)
    _check_types(drafts, table, key, other, span)


def release_index(script: Script, table: DraftTable, index: str, place: Place) -> None:
    """Raises where a unique index goes that serves foreign keys."""
    for _, key, _ in resting_on(script.drafts, table, index):
        construct = f"DROP of {index}, on which foreign key {key.name} rests,"
        raise UnsupportedStatement.dumped(construct, place())


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
        if table.columns is not None and column not in table.columns:
            raise REFERENCED_UNKNOWN(span, column=column)


def _compared(drafts: Drafts, own: PgType, there: PgType) -> bool:
    """Whether the two are one type or of one family, or their types are the project's own."""
    if (own.schema, own.name) == (there.schema, there.name):
        return True
    for one in (own, there):
        kind = drafts.types.get(RelationName(one.schema, one.name.removeprefix("_")))
        if one.schema != "pg_catalog" and kind in (None, "domain"):
            return True  # what an extension's type is compared with, or a domain is made of
    alike = any({own.name, there.name} <= family for family in _FAMILIES)
    return alike and own.schema == there.schema
