"""ALTER TABLE: what changes columns, keys, partitions and replica identity; the rest is skipped.

Example
    `ALTER TABLE t REPLICA IDENTITY USING INDEX t_b_key` makes column b the replica identity. A
    change of a root's columns reaches its partitions; where heirs or parents take part in one, it
    is refused.

PostgreSQL
    tablecmds.c: ATExecCmd() and its functions; ATExecReplicaIdentity()
"""

from __future__ import annotations

from functools import partial

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.definitions.catalog_builder import DraftTable
from filtersql.definitions.constraints import drop_constraint
from filtersql.definitions.generations import add_identity, column_of, set_default, set_identity
from filtersql.definitions.inheriting import detach
from filtersql.definitions.keys import set_not_null
from filtersql.definitions.kinds import SHARED_IDENTITIES, SYSTEM_COLUMNS, kind_of
from filtersql.definitions.partitions import attach, check_partitioned, check_spec, share_keys
from filtersql.definitions.sql_alter_columns import (
    Change,
    add_column,
    alter_type,
    drop_not_null,
    remove_column,
    require_not_null,
)
from filtersql.definitions.sql_alter_kinds import TABLES, check_changed, check_object
from filtersql.definitions.sql_names import (
    Place,
    Script,
    known_table,
    place_of,
    referenced,
    span_of,
)
from filtersql.definitions.sql_partitions import read_bounds
from filtersql.definitions.sql_tables import add_table_constraint
from filtersql.definitions.unvalidated import add_unvalidated, check_key, check_not_null, validate
from filtersql.errors import Mistake
from filtersql.errors import keys as refusals
from filtersql.errors.columns import SYSTEM_COLUMN
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["alter_table"]

#: relations that have some of the actions, which are not kept
_NOT_TABLES = ("views", "materialized views")
#: what no dump writes, though it changes columns, values or parents
_REFUSED = {
    "AT_SetExpression": "SET EXPRESSION",
    "AT_DropExpression": "DROP EXPRESSION",
    "AT_AlterConstraint": "ALTER CONSTRAINT",
    "AT_DropIdentity": "DROP IDENTITY",
    "AT_DetachPartitionFinalize": "DETACH PARTITION … FINALIZE",
    "AT_AddInherit": "INHERIT",
    "AT_DropInherit": "NO INHERIT",
    "AT_SetLogged": "SET LOGGED",
    "AT_SetUnLogged": "SET UNLOGGED",
}
#: since when NOT NULL is a constraint
_NULLS_ARE_CONSTRAINTS = 18
#: changes that parents and heirs would have to share
_SHARED = frozenset({"AT_AddColumn", "AT_DropColumn", "AT_AlterColumnType", "AT_DropNotNull"})
_SHARED |= {"AT_AddIdentity"}


def alter_table(script: Script, statement: Statement) -> None:
    """ALTER TABLE and ALTER FOREIGN TABLE."""
    node, object_type = statement.node, enum_name(statement.node, "objtype")
    check_object(script, node.relation, object_type)
    if object_type not in ("OBJECT_TABLE", "OBJECT_FOREIGN_TABLE"):
        return
    commands = [wrapped.alter_table_cmd for wrapped in node.cmds]
    actions = [enum_name(one, "subtype") for one in commands]
    read = [one for one in actions if one in _CHANGES or one in _REFUSED]
    check_changed(script, node.relation, read)
    name = referenced(script, node.relation)
    if not read or kind_of(script.drafts, name) in _NOT_TABLES:
        return
    table = known_table(script, node.relation, missing_ok=node.missing_ok)
    for command in commands:
        subtype = enum_name(command, "subtype")
        place = partial(_place, script, statement, command)
        _check_tree(script, table, subtype, place, only=not node.relation.inh)
        change = _CHANGES.get(subtype)
        if change is None:
            continue
        change(script, table, command, place)
        for each in script.drafts.below(table.name) if node.relation.inh else ():
            if subtype in _REACHING:
                _REACHING[subtype](script, each, command, place)


def _check_tree(
    script: Script, table: DraftTable, subtype: str, place: Place, *, only: bool
) -> None:
    """Raises what no dump writes, and where parents, partitions or heirs would take part."""
    below = script.drafts.below(table.name)
    nulls = subtype == "AT_SetNotNull"
    why = None
    if subtype in _REFUSED:
        why = f"ALTER TABLE … {_REFUSED[subtype]}"
    elif subtype in _SHARED and (table.partition_of is not None or table.inherits):
        why = "a change of a column of a partition or an heir"
    elif (subtype in _SHARED or nulls) and any(one.partition_of is None for one in below):
        why = "a change of a column that heirs have"
    elif (subtype in _SHARED or nulls) and below and only:
        why = "ALTER TABLE ONLY of a column that partitions have"
    elif subtype in ("AT_DropNotNull", "AT_AddIdentity") and below:
        why = "a change of NOT NULL or identity of a column that partitions have"
    if why is not None:
        raise UnsupportedStatement.dumped(why, place())


def _place(script: Script, statement: Statement, command: Node) -> Span:
    """Where the command names its column, constraint or index; else the statement's first word."""
    definition = getattr(command, "def")
    index = definition.replica_identity_stmt.name if definition.WhichOneof("node") else ""
    return place_of(script, statement, command.name or index)


def _add_constraint(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    node = getattr(command, "def").constraint
    for key in node.keys if enum_name(node, "contype") == "CONSTR_PRIMARY" else ():
        name = key.string.sval  # it becomes NOT NULL first
        if name in SYSTEM_COLUMNS:
            if script.drafts.postgres_version < _NULLS_ARE_CONSTRAINTS:
                raise SYSTEM_COLUMN(place(), verb="alter", column=name)
            raise refusals.SYSTEM_NOT_NULL(place(), column=name)
        column_of(table, name, place)
    kind = enum_name(node, "contype")
    if kind == "CONSTR_PRIMARY":
        check_key(table, node, place)
    elif kind == "CONSTR_NOTNULL":
        check_not_null(table, node, place)
        if node.skip_validation:
            add_unvalidated(script, table, node, place)
            return
    add_table_constraint(script, table, node)
    if table.partition_by is not None:
        check_partitioned(table, place(), script.drafts.postgres_version)


def _share_constraint(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    """What a partition or an heir gets of its parent's new constraint."""
    parent = script.drafts.tables[table.partition_of] if table.partition_of else None
    constraint = getattr(command, "def").constraint
    if parent is not None and constraint.contype:
        share_keys(table, parent)
    if enum_name(constraint, "contype") in ("CONSTR_PRIMARY", "CONSTR_NOTNULL"):
        set_not_null(table, [key.string.sval for key in constraint.keys], True)


def _replica_identity(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    statement = getattr(command, "def").replica_identity_stmt
    kinds = {"d": Identity.DEFAULT, "f": Identity.FULL, "n": Identity.NOTHING}
    if statement.identity_type in kinds:
        table.identity = ReplicaIdentity(kinds[statement.identity_type])
        return
    name = statement.name
    index = table.indexes.get(name)
    if index is None:
        raise _no_index(script, table, name, place())
    if index.refusal:
        raise refusals.IDENTITY_INDEX(place(), kind=index.refusal, index=name)
    for column in () if index.primary else index.columns:
        if not column_of(table, column, place).not_null:
            raise refusals.IDENTITY_NULLABLE(place(), index=name, column=column)
    table.identity = ReplicaIdentity(Identity.INDEX, index.columns, name)


def _no_index(script: Script, table: DraftTable, name: str, span: Span) -> Mistake:
    """The name is nothing's, or not that of an index of the table."""
    kind = kind_of(script.drafts, RelationName(table.name.schema, name))
    if kind is not None:
        what = f"REPLICA IDENTITY of a table by another one of the {kind}"
        return UnsupportedStatement(what, span)
    return refusals.UNKNOWN_INDEX(span, index=name, table=table.name.name)


def _attach(script: Script, table: DraftTable, command: Node, place: Place) -> None:
    partition = getattr(command, "def").partition_cmd
    name = partition.name
    bounds, span = read_bounds(partition.bound, script.text), span_of(script, name)
    check_spec(table, bounds, span)
    kind = kind_of(script.drafts, referenced(script, name))
    if kind is not None and kind not in TABLES:
        raise UnsupportedStatement(f"ATTACH PARTITION of one of the {kind}", span)
    child = known_table(script, name)
    attach(script.drafts, child, table, bounds, span)
    if script.drafts.postgres_version >= SHARED_IDENTITIES:
        child.identities |= table.identities


_CHANGES: dict[str, Change] = {
    "AT_AddColumn": add_column,
    "AT_DropColumn": remove_column,
    "AT_ColumnDefault": set_default,
    "AT_SetNotNull": require_not_null,
    "AT_DropNotNull": drop_not_null,
    "AT_AlterColumnType": alter_type,
    "AT_AddConstraint": _add_constraint,
    "AT_DropConstraint": drop_constraint,
    "AT_ValidateConstraint": validate,
    "AT_ReplicaIdentity": _replica_identity,
    "AT_AttachPartition": _attach,
    "AT_DetachPartition": detach,
    "AT_AddIdentity": add_identity,
    "AT_SetIdentity": set_identity,
}
#: what a parent's partitions and heirs undergo too
_REACHING: dict[str, Change] = {
    "AT_AddColumn": add_column,
    "AT_ColumnDefault": set_default,
    "AT_SetNotNull": require_not_null,
    "AT_AlterColumnType": alter_type,
    "AT_AddConstraint": _share_constraint,
}
