"""ALTER TABLE: what changes columns, keys, partitions and replica identity; the rest is skipped.

Example
    `ALTER TABLE t REPLICA IDENTITY USING INDEX t_b_key` makes column b the replica identity. A
    change of columns reaches partitions and heirs too, unless ONLY is written.

PostgreSQL
    tablecmds.c: ATExecCmd() and its functions; ATExecReplicaIdentity()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.definitions.columns import check_collated, check_counted, read_column
from filtersql.definitions.constraints import (
    NAMED_NULLS,
    alter_constraint,
    drop_constraint,
    keep_below,
    name_inherited,
    note_all,
)
from filtersql.definitions.drafts import DraftTable
from filtersql.definitions.foreign_keys import check_references, check_retyped
from filtersql.definitions.generations import (
    add_identity,
    column_of,
    drop_identity,
    note_value,
    set_default,
    set_identity,
    value_of,
)
from filtersql.definitions.inheriting import add_inherit, detach, drop_inherit
from filtersql.definitions.keys import add_constraint, set_not_null
from filtersql.definitions.kinds import SHARED_IDENTITIES, SYSTEM_COLUMNS, TEMPORARY, kind_of
from filtersql.definitions.not_nulls import keep_own, lose_not_null
from filtersql.definitions.owned import own_sequences
from filtersql.definitions.partitions import attach, check_partitioned, check_spec, share_keys
from filtersql.definitions.set_expressions import (
    check_generation,
    drop_expression,
    set_expression,
)
from filtersql.definitions.sql_alter_checks import (
    check_change,
    check_only,
    check_type_change,
    drop_columns,
    no_index,
)
from filtersql.definitions.sql_alter_kinds import check_kind, check_object, check_part
from filtersql.definitions.sql_names import (
    AlreadyTold,
    Script,
    known_table,
    place_of,
    referenced,
    span_of,
)
from filtersql.definitions.sql_partitions import read_bounds
from filtersql.definitions.sql_set_members import retyped
from filtersql.definitions.sql_tables import add_table_constraint
from filtersql.definitions.sql_transactions import check_alone
from filtersql.definitions.type_changes import check_conversion
from filtersql.definitions.types import read_type
from filtersql.errors import Mistake
from filtersql.errors.altering import UnusableIdentityIndex
from filtersql.errors.definitions import DuplicateColumn
from filtersql.errors.relations import SystemColumn
from filtersql.grammar import Node, Statement, enum_name
from filtersql.source import Span

__all__ = ["alter_table"]

#: relations that have some of the actions, and of which no publication takes any
_NOT_TABLES = ("materialized views", "sequences", "indexes", "partitioned indexes")
_Place = Callable[[], Span]
_Change = Callable[[Script, DraftTable, Node, _Place], None]


def alter_table(script: Script, statement: Statement) -> None:
    """ALTER TABLE and ALTER FOREIGN TABLE."""
    node, object_type = statement.node, enum_name(statement.node, "objtype")
    check_alone(script, statement)
    check_object(script, node.relation, object_type)
    if object_type == "OBJECT_VIEW":
        check_kind(script, statement)
    if object_type not in ("OBJECT_TABLE", "OBJECT_FOREIGN_TABLE"):
        return
    commands = [wrapped.alter_table_cmd for wrapped in node.cmds]
    changes = [(_CHANGES.get(enum_name(one, "subtype")), one) for one in commands]
    check_kind(script, statement)
    if not any(change for change, _ in changes):
        return
    name = referenced(script, node.relation)
    if kind_of(script.drafts, name) in _NOT_TABLES or name.schema == TEMPORARY:
        return
    table = known_table(script, node.relation, missing_ok=node.missing_ok)
    for change, command in changes:
        if change is None:
            continue
        place = partial(_place, script, statement, command)
        check_change(script, table, command, place, only=not node.relation.inh)
        if not node.relation.inh:
            check_only(script, table, command, place)
            keep_below(script, table, command)
        below = script.drafts.below(table.name) if node.relation.inh else []
        if change is _drop_column and command.name in (table.columns or {}):
            drop_columns(script, [table, *below], command, place)
            continue
        for each in [table, *below]:
            if each is table or change in _REACHING:
                _carry_out(script, each, change, command, statement, inherited=each is not table)


def _carry_out(
    script: Script,
    table: DraftTable,
    change: _Change,
    command: Node,
    statement: Statement,
    *,
    inherited: bool,
) -> None:
    if inherited and change is _add_column:
        name = getattr(command, "def").column_def.colname
        if name not in (table.columns or {}):  # else PostgreSQL merges the definitions
            place = partial(_place, script, statement, command)
            _add_column(script, table, command, place, inherited=True)
        return
    if inherited and change is _add_constraint:
        parent = script.drafts.tables[table.partition_of] if table.partition_of else None
        constraint = getattr(command, "def").constraint
        if parent is not None and constraint.contype:
            share_keys(table, parent)
        kind = enum_name(constraint, "contype")
        if kind in ("CONSTR_PRIMARY", "CONSTR_NOTNULL") and not constraint.is_no_inherit:
            names = [key.string.sval for key in constraint.keys]
            name_inherited(script.drafts, table, names)
            set_not_null(table, names, True)
        return
    if inherited and command.name and command.name not in (table.columns or {}):
        return
    if inherited and change is _set_not_null:
        name_inherited(script.drafts, table, (command.name,))
    if inherited and change is _drop_not_null and script.drafts.postgres_version >= NAMED_NULLS:
        return
    change(script, table, command, partial(_place, script, statement, command))
    if not inherited and change in (_add_column, _set_not_null):
        keep_own(table, (command.name or getattr(command, "def").column_def.colname,))


def _place(script: Script, statement: Statement, command: Node) -> Span:
    """Where the command names its column, constraint or index; else the statement's first word."""
    definition = getattr(command, "def")
    index = definition.replica_identity_stmt.name if definition.WhichOneof("node") else ""
    return place_of(script, statement, command.name or index)


def _add_column(
    script: Script, table: DraftTable, command: Node, place: _Place, *, inherited: bool = False
) -> None:
    """An heir gets the column, and none of its keys."""
    heir = inherited and table.partition_of is None
    node = getattr(command, "def").column_def
    column, keys = read_column(node, table.name, script.text, script.drafts)
    if table.columns is None:
        raise AlreadyTold
    if column.name in SYSTEM_COLUMNS:
        raise SystemColumn.named(column.name, column.span)
    if column.name in table.columns:
        if command.missing_ok:
            return
        first = table.columns[column.name].span
        raise DuplicateColumn(column.name, table.name.name, column.span, first)
    table.columns[column.name] = column
    if column.generation is not None:
        try:
            check_generation(table, column.generation)
        except Mistake:
            del table.columns[column.name]
            raise
    if not heir and table.partition_of is None:
        own_sequences(script, table, [node])
    if not inherited:
        note_all(script, table, node)
    if not heir or value_of(node) != "identity":
        note_value(script, table, node)
    for key in keys if not heir else ():
        one, span = key.node, column.span
        foreign = referenced(script, one.pktable) if key.kind == "CONSTR_FOREIGN" else None
        add_constraint(table, one, span, foreign, columns=(column.name,))
        check_references(script, table, one, span)


def _drop_column(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """Of a column that is not there; `drop_columns` takes the others."""
    if command.name in SYSTEM_COLUMNS:
        raise SystemColumn("drop", command.name, place())
    if not command.missing_ok:
        column_of(table, command.name, place)


def _set_not_null(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    column_of(table, command.name, place)
    set_not_null(table, (command.name,), True)


def _drop_not_null(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    column_of(table, command.name, place)
    if script.drafts.postgres_version >= NAMED_NULLS:
        lose_not_null(script.drafts, table, command.name)
    else:
        set_not_null(table, (command.name,), False)


def _alter_type(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    column = column_of(table, command.name, place)
    definition = getattr(command, "def").column_def
    pg_type = read_type(definition.type_name, column.name, script.text, *script.drafts.typed)
    check_collated(definition, pg_type, script.text, script.drafts)
    if not definition.HasField("raw_default"):  # USING stands there
        check_conversion(column, pg_type, place())
    check_type_change(script, table, column.name, place)
    if column.name in table.identities:
        check_counted(pg_type, place())
    collation = None
    if definition.HasField("coll_clause"):
        collation = definition.coll_clause.collname[-1].string.sval
    assert table.columns is not None
    retyped(script.drafts, table, column, pg_type)
    table.columns[column.name] = replace(
        column, type=pg_type, collation=None if collation == "default" else collation
    )
    check_retyped(script.drafts, table, place())


def _add_constraint(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    node = getattr(command, "def").constraint
    for key in node.keys if enum_name(node, "contype") == "CONSTR_PRIMARY" else ():
        name = key.string.sval  # it becomes NOT NULL first
        if name in SYSTEM_COLUMNS:
            raise SystemColumn.in_key(name, script.drafts.postgres_version, place())
        column_of(table, name, place)
    add_table_constraint(script, table, node)
    if table.partition_by is not None:
        check_partitioned(table, place(), script.drafts.postgres_version)


def _replica_identity(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    statement = getattr(command, "def").replica_identity_stmt
    kinds = {"d": Identity.DEFAULT, "f": Identity.FULL, "n": Identity.NOTHING}
    if statement.identity_type in kinds:
        table.identity = ReplicaIdentity(kinds[statement.identity_type])
        return
    name = statement.name
    if name == table.primary_key_name:
        if table.primary_key_deferrable:
            raise UnusableIdentityIndex.kind("non-immediate", name, place())
        columns = table.primary_key
    else:
        index = table.indexes.get(name)
        if index is None:
            raise no_index(script, table, name, place())
        if index.refusal:
            raise UnusableIdentityIndex.kind(index.refusal, name, place())
        columns = index.columns
        for column in columns:
            if not column_of(table, column, place).not_null:
                raise UnusableIdentityIndex.nullable(name, column, place())
    table.identity = ReplicaIdentity(Identity.INDEX, columns, name)


def _attach(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    partition = getattr(command, "def").partition_cmd
    name = partition.name
    bounds, span = read_bounds(partition.bound, script.text), span_of(script, name)
    check_spec(table, bounds, span)
    check_part(script, referenced(script, name), command, span)
    child = known_table(script, name)
    attach(script.drafts, child, table, bounds, span)
    if script.drafts.postgres_version >= SHARED_IDENTITIES:
        child.identities |= table.identities


def _set_logged(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    if table.partition_by is None:  # PostgreSQL before 18 does nothing with a partitioned table
        table.unlogged = enum_name(command, "subtype") == "AT_SetUnLogged"


_CHANGES: dict[str, _Change] = {
    "AT_AddColumn": _add_column,
    "AT_DropColumn": _drop_column,
    "AT_ColumnDefault": set_default,
    "AT_SetNotNull": _set_not_null,
    "AT_DropNotNull": _drop_not_null,
    "AT_AlterColumnType": _alter_type,
    "AT_SetExpression": set_expression,
    "AT_DropExpression": drop_expression,
    "AT_AddConstraint": _add_constraint,
    "AT_DropConstraint": drop_constraint,
    "AT_AlterConstraint": alter_constraint,
    "AT_ReplicaIdentity": _replica_identity,
    "AT_AttachPartition": _attach,
    "AT_DetachPartition": detach,
    "AT_DetachPartitionFinalize": detach,
    "AT_AddIdentity": add_identity,
    "AT_SetIdentity": set_identity,
    "AT_DropIdentity": drop_identity,
    "AT_AddInherit": add_inherit,
    "AT_DropInherit": drop_inherit,
    "AT_SetLogged": _set_logged,
    "AT_SetUnLogged": _set_logged,
}
#: changes of a parent that its partitions and heirs undergo too
_REACHING: set[_Change] = {
    _add_column,
    set_default,
    _set_not_null,
    _drop_not_null,
    _alter_type,
    set_expression,
    drop_expression,
    _add_constraint,
}
