"""Which kinds of relations ALTER takes: what changes columns or keys takes tables alone.

Example
    `ALTER VIEW t RENAME TO u` of a table is refused. `ALTER TABLE v ADD COLUMN x int` of a
    view is refused; its defaults may be said, as a dump does.

PostgreSQL
    tablecmds.c: ATSimplePermissions(), RangeVarCallbackForAlterRelation()
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Script, referenced, span_of
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.grammar import Node

__all__ = ["TABLES", "check_changed", "check_object"]

TABLES = ("tables", "partitioned tables", "foreign tables")
#: what other kinds have of the actions that are read of a table
_HAD = {"views": ("AT_ColumnDefault",), "materialized views": ("AT_ReplicaIdentity",)}
_OF_ROOTS = ("AT_AttachPartition", "AT_DetachPartition")
#: which relations ALTER VIEW and the like take
_OBJECTS = {
    "OBJECT_VIEW": ("views",),
    "OBJECT_MATVIEW": ("materialized views",),
    "OBJECT_SEQUENCE": ("sequences",),
    "OBJECT_FOREIGN_TABLE": ("foreign tables",),
    "OBJECT_INDEX": ("indexes", "partitioned indexes"),
    "OBJECT_TYPE": ("composite types",),
}


def check_object(script: Script, node: Node, object_type: str, *, renamed: bool = False) -> None:
    """Raises where ALTER VIEW, ALTER SEQUENCE and so on name another kind of relation.

    `renamed`: ALTER INDEX … RENAME takes every relation, as ALTER TABLE does.
    """
    kind = kind_of(script.drafts, referenced(script, node))
    if kind is None or (renamed and object_type == "OBJECT_INDEX" and kind != "composite types"):
        return
    wrong = kind == "composite types" and object_type != "OBJECT_TYPE"
    if wrong or kind not in _OBJECTS.get(object_type, (kind,)):
        command = object_type.removeprefix("OBJECT_").replace("_", " ")
        raise UnsupportedStatement(f"ALTER {command} of one of the {kind}", span_of(script, node))


def check_changed(script: Script, node: Node, actions: Iterable[str]) -> None:
    """Raises where ALTER TABLE would change what is no table."""
    kind = kind_of(script.drafts, referenced(script, node))
    if kind is None:
        return
    for action in actions:
        wrong = kind not in TABLES and action not in _HAD.get(kind, ())
        wrong |= action in _OF_ROOTS and kind != "partitioned tables"
        if wrong or (action == "AT_ReplicaIdentity" and kind == "foreign tables"):
            raise UnsupportedStatement(f"ALTER TABLE of one of the {kind}", span_of(script, node))
