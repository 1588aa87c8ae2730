"""Which actions of ALTER TABLE which kinds of relations have.

Example
    `ALTER TABLE v ADD COLUMN x int` of a view: ALTER action ADD COLUMN cannot be performed on
    relation "v". This operation is not supported for views.

PostgreSQL
    tablecmds.c: ATPrepCmd(), ATSimplePermissions(), RangeVarCallbackForAlterRelation()
"""

from __future__ import annotations

from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Script, referenced, span_of
from filtersql.errors.altering import NotForKind, PartitionMismatch
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["check_kind", "check_part"]

_TABLES = frozenset({"tables", "partitioned tables"})
_FOREIGN = _TABLES | {"foreign tables"}
_ROOTS = frozenset({"partitioned tables", "partitioned indexes"})
#: each action as PostgreSQL calls it, and the kinds that have it
_ACTIONS = {
    "AT_AddColumn": ("ADD COLUMN", _FOREIGN),
    "AT_DropColumn": ("DROP COLUMN", _FOREIGN),
    "AT_AlterColumnType": ("ALTER COLUMN ... SET DATA TYPE", _FOREIGN),
    "AT_SetNotNull": ("ALTER COLUMN ... SET NOT NULL", _FOREIGN),
    "AT_DropNotNull": ("ALTER COLUMN ... DROP NOT NULL", _FOREIGN),
    "AT_SetExpression": ("ALTER COLUMN ... SET EXPRESSION", _FOREIGN),
    "AT_DropExpression": ("ALTER COLUMN ... DROP EXPRESSION", _FOREIGN),
    "AT_AddConstraint": ("ADD CONSTRAINT", _FOREIGN),
    "AT_DropConstraint": ("DROP CONSTRAINT", _FOREIGN),
    "AT_ReplicaIdentity": ("REPLICA IDENTITY", _TABLES | {"materialized views"}),
    "AT_AttachPartition": ("ATTACH PARTITION", _ROOTS),
    "AT_DetachPartition": ("DETACH PARTITION", _ROOTS),
    "AT_AddInherit": ("INHERIT", _FOREIGN),
    "AT_DropInherit": ("NO INHERIT", _FOREIGN),
    "AT_SetLogged": ("SET LOGGED", frozenset({"tables", "sequences"})),
    "AT_SetUnLogged": ("SET UNLOGGED", frozenset({"tables", "sequences"})),
}
_PARTITIONS_NAMED, _ROOTS_HAVE_STORAGE = 16, 18


def check_kind(script: Script, statement: Statement) -> None:
    """Raises what the kind of the altered relation does not have."""
    node, version = statement.node, script.drafts.postgres_version
    name = referenced(script, node.relation)
    kind = kind_of(script.drafts, name)
    if kind is None or kind.startswith("temporary"):
        return
    span = span_of(script, node.relation)
    if kind == "composite types":
        raise NotForKind.composite(name.name, span)
    for wrapped in node.cmds:
        subtype = enum_name(wrapped.alter_table_cmd, "subtype")
        action, kinds = _ACTIONS.get(subtype, ("", None))
        if kinds is None or kind in kinds:
            continue
        if kinds is _ROOTS and version < _PARTITIONS_NAMED and kind == "tables":
            raise PartitionMismatch.not_partitioned(name.name, span)
        if kind == "partitioned tables" and version < _ROOTS_HAVE_STORAGE:
            continue
        raise NotForKind(action, name.name, kind, span)


def check_part(script: Script, name: RelationName, command: Node, span: Span) -> None:
    """Raises where the other relation of INHERIT or ATTACH PARTITION is no table."""
    action, _ = _ACTIONS[enum_name(command, "subtype")]
    kind = kind_of(script.drafts, name)
    if kind in ("sequences", "views", "materialized views"):
        raise NotForKind(action, name.name, kind, span)
