"""Which kinds of relations ALTER takes: what changes columns or keys takes tables alone.

Example
    `ALTER VIEW t RENAME TO u` of a table: "t" is not a view. `ALTER TABLE v ADD COLUMN x int` of a
    view is refused; its defaults may be said, as a dump does.

PostgreSQL
    tablecmds.c: ATSimplePermissions(), RangeVarCallbackForAlterRelation()
"""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.definitions.kinds import kind_of
from filtersql.definitions.sql_names import Script, referenced, span_of
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import NOT_ONE
from filtersql.grammar import Node

__all__ = ["TABLES", "check_changed", "check_object"]

TABLES = ("tables", "partitioned tables", "foreign tables")
#: what other kinds have of the actions that are read of a table
_HAD = {"views": ("AT_ColumnDefault",), "materialized views": ("AT_ReplicaIdentity",)}
_OF_ROOTS = ("AT_AttachPartition", "AT_DetachPartition")
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
        raise NOT_ONE(span, name=name.name, one=one)
    if kind == "composite types" and object_type != "OBJECT_TYPE":
        raise UnsupportedStatement("ALTER TABLE of a composite type", span)


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
