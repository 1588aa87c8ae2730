"""ALTER TABLE of columns: added, dropped, of another type, NOT NULL or not.

Example
    `ALTER TABLE t DROP COLUMN b` is refused while a row filter or a view reads b. bigint becomes
    integer by itself, text does not: column "b" cannot be cast automatically to type integer. Casts
    that are rarer ask for USING, too.

PostgreSQL
    tablecmds.c: ATExecAddColumn(), ATExecDropColumn(), ATExecAlterColumnType(),
    ATExecSetNotNull(), ATPrepAlterColumnType(); parse_coerce.c: can_coerce_type(); pg_cast.dat
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from filtersql.catalog import Column, Generated, Identity, PgType
from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.columns import check_collated, check_counted, read_column
from filtersql.definitions.constraints import note_all
from filtersql.definitions.dependents import drop_column, without_not_null
from filtersql.definitions.depending import Thing, check_undepended, described, users_of
from filtersql.definitions.expressions import columns_named
from filtersql.definitions.foreign_keys import add_key, check_retyped
from filtersql.definitions.generations import check_generation, column_of, note_value
from filtersql.definitions.keys import set_not_null
from filtersql.definitions.kinds import SYSTEM_COLUMNS
from filtersql.definitions.owned import own_sequences
from filtersql.definitions.sql_names import AlreadyTold, Place, Script
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.errors import columns as refusals
from filtersql.errors.columns import NO_AUTOMATIC_CAST
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, enum_name
from filtersql.names import quote_identifier
from filtersql.pgtypes import format_type
from filtersql.source import Span

__all__ = [
    "Change",
    "add_column",
    "alter_type",
    "drop_not_null",
    "remove_column",
    "require_not_null",
]

Change = Callable[[Script, DraftTable, Node, Place], None]
_STRINGS = frozenset({"text", "varchar", "bpchar", "name"})
#: types of which each becomes each other
_ALIKE = (
    frozenset({"int2", "int4", "int8", "float4", "float8", "numeric"}),
    frozenset({"json", "jsonb"}),
    frozenset({"timestamp", "timestamptz"}),
    frozenset({"bit", "varbit"}),
    frozenset({"inet", "cidr"}),
)


def add_column(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """ADD COLUMN: the column, its keys, its value; a partition gets its parent's."""
    node = getattr(command, "def").column_def
    column, keys = read_column(node, table.name, script.text, script.drafts)
    if table.columns is None:
        raise AlreadyTold
    if column.name in SYSTEM_COLUMNS:
        raise refusals.SYSTEM_NAME(column.span, column=column.name)
    if column.name in table.columns:
        if command.missing_ok:
            return
        first = table.columns[column.name].span
        raise refusals.COLUMN_EXISTS(
            column.span, column=column.name, table=table.name.name, first=first
        )
    kinds = (enum_name(one.constraint, "contype") for one in node.constraints)
    if "CONSTR_IDENTITY" in kinds and script.drafts.children(table.name):
        raise UnsupportedStatement.dumped("an identity column of a table with partitions", place())
    table.columns[column.name] = column
    if column.generation is not None:
        try:
            check_generation(table, column.generation)
        except Mistake:
            del table.columns[column.name]
            raise
    if table.partition_of is None:
        own_sequences(script, table, [node])
        note_all(script, table, node)
    else:
        table.defaults |= script.drafts.tables[table.partition_of].defaults
    note_value(table, node)
    for key in keys:
        add_key(script, table, key, column.span, (column.name,))


def remove_column(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """With the partitions' columns, where nothing depends on any of them."""
    if command.name in SYSTEM_COLUMNS:
        raise refusals.SYSTEM_COLUMN(place(), verb="drop", column=command.name)
    if command.name not in (table.columns or {}):
        if not command.missing_ok:
            column_of(table, command.name, place)
        return
    tables = [table, *script.drafts.below(table.name)]
    for one in tables:
        _check_partition_key(one, "drop", command.name, place)
        _check_virtual(script, one, command.name, place)
    roots = [Thing("column", one.name, command.name) for one in tables]
    check_undepended(script, roots, place, command)
    for one in tables:
        drop_column(script.drafts, one, command.name)


def _check_virtual(script: Script, table: DraftTable, column: str, place: Place) -> None:
    """A filter that names a virtual column holds what that stood for, which is not kept here."""
    entries = (one for each in script.drafts.publications.values() for one in each.tables)
    filters = (one.where for one in entries if one.name == table.name and one.where)
    virtual = (table.columns or {})[column].generated is Generated.VIRTUAL
    if virtual and any(column in columns_named(one) for one in filters):
        raise UnsupportedStatement.dumped("DROP of a virtual column in a filter", place())


def _check_partition_key(table: DraftTable, verb: str, column: str, place: Place) -> None:
    for key in table.partition_by[1] if table.partition_by is not None else ():
        if column == key or (key not in (table.columns or {}) and column in columns_named(key)):
            raise refusals.IN_PARTITION_KEY(
                place(), verb=verb, column=column, table=table.name.name
            )


def require_not_null(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """SET NOT NULL."""
    column_of(table, command.name, place)
    set_not_null(table, (command.name,), True)


def drop_not_null(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """DROP NOT NULL, where no key, identity or replica identity needs it."""
    column = column_of(table, command.name, place)
    if column.name in table.identities:
        raise refusals.IS_IDENTITY(place(), column=column.name, table=table.name.name)
    if column.name in table.primary_key:
        raise refusals.IN_PRIMARY_KEY(place(), column=column.name)
    if table.identity.kind is Identity.INDEX and column.name in table.identity.index:
        raise refusals.IN_IDENTITY(place(), column=column.name)
    set_not_null(table, (column.name,), False)
    table.constraints = without_not_null(table, column.name)


def alter_type(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """ALTER COLUMN … TYPE, where nothing else reads the column."""
    column = column_of(table, command.name, place)
    definition = getattr(command, "def").column_def
    pg_type = read_type(definition.type_name, column.name, script.text, script.drafts)
    check_collated(definition, pg_type, script.text, script.drafts)
    _check_partition_key(table, "alter", column.name, place)
    if not definition.HasField("raw_default"):  # USING stands there
        _check_conversion(column, pg_type, place())
    _check_type_change(script, table, column.name, place)
    if column.name in table.identities:
        check_counted(pg_type, place())
    collation = None
    if definition.HasField("coll_clause"):
        collation = definition.coll_clause.collname[-1].string.sval
    assert table.columns is not None
    table.columns[column.name] = replace(
        column, type=pg_type, collation=None if collation == "default" else collation
    )
    check_retyped(script.drafts, table, place())


def _check_type_change(script: Script, table: DraftTable, column: str, place: Place) -> None:
    """Also of a change to the same type."""
    for user in users_of(script.drafts, Thing("column", table.name, column)):
        if user.kind == "column":
            raise refusals.TYPE_USED_BY_GENERATED(place(), column=column, generated=user.part)
        if user.kind == "set":
            what = "another type of a column in a replication set's filter"
            raise UnsupportedStatement.dumped(what, place())
        if user.kind == "publication":
            thing = described(script, user)
            raise refusals.TYPE_USED_BY_PUBLICATION(place(), thing=thing, column=column)


def _check_conversion(column: Column, new: PgType, span: Span) -> None:
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
