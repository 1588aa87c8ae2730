"""Temporary relations: they hide others of their names as long as their session or transaction.

Example
    After `CREATE TEMP TABLE t (a int)`, t is the temporary one until it is dropped, and the table
    public.t is public.t. No publication takes it; ALTER TABLE and DROP TABLE concern it alone.

PostgreSQL
    namespace.c: RangeVarGetCreationNamespace(), recomputeNamespacePath();
    tablecmds.c: PreCommit_on_commit_actions()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from filtersql.definitions.foreign_keys import check_temporary
from filtersql.definitions.kinds import TEMPORARY
from filtersql.definitions.sql_names import Script, referenced, span_of
from filtersql.errors.definitions import ALREADY_EXISTS
from filtersql.errors.partitions import TEMPORARY_PARTITION
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName

__all__ = [
    "create_temporary",
    "create_temporary_table",
    "forget",
    "is_temporary",
    "without_foreign_keys",
]

_FOREIGN = "CONSTR_FOREIGN"


def is_temporary(node: Node) -> bool:
    """Whether a statement makes its relation in the session's own schema."""
    return bool(node.relpersistence == "t" or node.schemaname == TEMPORARY)


def create_temporary(
    script: Script,
    node: Node,
    kind: str,
    *,
    parents: Iterable[RelationName] = (),
    on_commit: str = "",
    replace: bool = False,
) -> None:
    """CREATE TEMP TABLE, VIEW and the like; `replace` is also what IF NOT EXISTS means here."""
    name = RelationName(TEMPORARY, node.relname)
    if name.name in script.temporary:
        if replace:
            return
        raise ALREADY_EXISTS(span_of(script, node), kind="relation", name=name.name, first=None)
    if on_commit == "ONCOMMIT_DROP":
        if script.outer is None:
            return  # its own transaction is over
        script.dropped_at_commit.add(name.name)
    script.temporary.add(name.name)
    script.drafts.others[name] = kind
    script.drafts.temporary_heirs[name] = tuple(parents)


def create_temporary_table(script: Script, node: Node) -> None:
    """CREATE TEMP TABLE."""
    if node.HasField("partbound"):
        _check_root(script, node.inh_relations[0].range_var)
    check_temporary(script, _constraints(node))
    create_temporary(
        script,
        node.relation,
        "temporary tables",
        parents=[referenced(script, wrapped.range_var) for wrapped in node.inh_relations],
        on_commit=enum_name(node, "oncommit"),
        replace=node.if_not_exists,
    )


def _constraints(node: Node) -> Iterator[Node]:
    """Those of the table and of its columns, but for foreign keys to itself."""
    for element in node.table_elts:
        found = [element.constraint] if element.HasField("constraint") else []
        found += (one.constraint for one in element.column_def.constraints)
        for one in found:
            if one.pktable.relname != node.relation.relname:
                yield one


def without_foreign_keys(node: Node) -> None:
    """CREATE TABLE without them, whose own rule `check_temporary` is."""
    for element in [*node.table_elts]:
        if enum_name(element.constraint, "contype") == _FOREIGN:
            node.table_elts.remove(element)
            continue
        kept = [
            one
            for one in element.column_def.constraints
            if enum_name(one.constraint, "contype") != _FOREIGN
        ]
        if element.HasField("column_def"):
            del element.column_def.constraints[:]
            element.column_def.constraints.extend(kept)


def _check_root(script: Script, parent: Node) -> None:
    """Raises where a temporary partition has a root that lasts."""
    name = referenced(script, parent)
    if name in script.drafts.tables:
        raise TEMPORARY_PARTITION(span_of(script, parent), name=name.name)


def forget(script: Script, name: RelationName) -> None:
    """DROP of one, whose kind stays known: what named it before it went is told so."""
    script.forget_temporary([name.name])
