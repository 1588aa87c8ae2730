"""Which actions of ALTER TABLE which kinds of relations have.

Example
    `ALTER TABLE v ADD COLUMN x int` of a view: ALTER action ADD COLUMN cannot be performed on
    relation "v". This operation is not supported for views.

PostgreSQL
    tablecmds.c: ATPrepCmd(), ATSimplePermissions(), RangeVarCallbackForAlterRelation()
"""

from __future__ import annotations

from filtersql.definitions.kinds import index_holder, kind_of
from filtersql.definitions.sql_names import Script, place_of, referenced, span_of
from filtersql.errors.altering import NotForKind, PartitionMismatch
from filtersql.errors.definitions import UnknownColumn
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["check_columns", "check_kind", "check_object", "check_part"]

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
    "AT_AddConstraint": ("ADD CONSTRAINT", _FOREIGN),
    "AT_DropConstraint": ("DROP CONSTRAINT", _FOREIGN),
    "AT_ReplicaIdentity": ("REPLICA IDENTITY", _TABLES | {"materialized views"}),
    "AT_AttachPartition": ("ATTACH PARTITION", _ROOTS),
    "AT_DetachPartition": ("DETACH PARTITION", frozenset({"partitioned tables"})),
    "AT_ColumnDefault": ("ALTER COLUMN ... SET DEFAULT", _FOREIGN | {"views"}),
    "AT_AddIdentity": ("ALTER COLUMN ... ADD IDENTITY", _FOREIGN | {"views"}),
}
_PARTITIONS_NAMED = 18


#: which relations ALTER VIEW and the like take, and what a message calls one of them
_OBJECTS = {
    "OBJECT_VIEW": (("views",), "a view"),
    "OBJECT_MATVIEW": (("materialized views",), "a materialized view"),
    "OBJECT_SEQUENCE": (("sequences",), "a sequence"),
    "OBJECT_FOREIGN_TABLE": (("foreign tables",), "a foreign table"),
    "OBJECT_INDEX": (("indexes", "partitioned indexes"), "an index"),
    "OBJECT_TYPE": (("composite types",), "a composite type"),
}


def check_object(script: Script, node: Node, object_type: str, *, renamed: bool = False) -> None:
    """Raises where ALTER VIEW, ALTER SEQUENCE and so on name another kind of relation.

    `renamed`: ALTER INDEX … RENAME takes every relation, as ALTER TABLE does.
    """
    name, span = referenced(script, node), span_of(script, node)
    kind = kind_of(script.drafts, name)
    if kind is None:
        return
    kinds, one = _OBJECTS.get(object_type, ((), ""))
    if kinds and kind not in kinds and not (renamed and object_type == "OBJECT_INDEX"):
        raise NotForKind.not_one(name.name, one, span)
    if kind == "composite types" and object_type != "OBJECT_TYPE":
        raise NotForKind.composite(name.name, span)


def check_kind(script: Script, statement: Statement) -> None:
    """Raises what the kind of the altered relation does not have."""
    node, version = statement.node, script.drafts.postgres_version
    name = referenced(script, node.relation)
    kind = kind_of(script.drafts, name)
    if kind is None:
        return
    span = span_of(script, node.relation)
    if kind == "composite types":
        raise NotForKind.composite(name.name, span)
    for wrapped in node.cmds:
        subtype = enum_name(wrapped.alter_table_cmd, "subtype")
        action, kinds = _ACTIONS.get(subtype, ("", None))
        if kind == "partitioned indexes" and kinds is _ROOTS:
            raise PartitionMismatch.index(name.name, span)
        if kinds is None or kind in kinds:
            continue
        partition = action.endswith(" PARTITION")
        if partition and version < _PARTITIONS_NAMED and kind == "tables":
            raise PartitionMismatch.not_partitioned(name.name, span)
        raise NotForKind(action, name.name, kind, span)


def check_part(script: Script, name: RelationName, command: Node, span: Span) -> None:
    """Raises where the other relation of ATTACH PARTITION is no table."""
    action, _ = _ACTIONS[enum_name(command, "subtype")]
    kind = kind_of(script.drafts, name)
    if kind in ("sequences", "views", "materialized views"):
        raise NotForKind(action, name.name, kind, span)


def check_columns(script: Script, statement: Statement) -> None:
    """A sequence's columns have fixed names, an index's are those of its table's that it holds."""
    node, drafts = statement.node, script.drafts
    name = referenced(script, node.relation)
    kind, at = kind_of(drafts, name), place_of(script, statement, node.subname)
    if kind == "sequences":
        raise NotForKind.columns(name.name, kind, at)
    table = index_holder(drafts, name)
    if kind in ("indexes", "partitioned indexes") and table is not None:
        index = table.indexes.get(name.name)
        columns = index.columns if index is not None else table.primary_key
        if node.subname not in {*columns, *table.gone}:
            raise UnknownColumn(node.subname, at, columns)
