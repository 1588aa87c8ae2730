"""Which tables can be parent and child, and what their columns have to have in common.

Example
    `ALTER TABLE t INHERIT u` needs each column of u in t, with its type and collation: child table
    is missing column "b". `CREATE TABLE x () INHERITS (t, u)` needs no second type of one name.

PostgreSQL
    tablecmds.c: MergeAttributes(), ATExecAddInherit(), ATExecDropInherit(),
    MergeAttributesIntoExisting(), ATExecDetachPartition()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from filtersql.catalog import Column
from filtersql.definitions.constraints import not_null_name
from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.expressions import same_expression
from filtersql.definitions.generations import check_merged
from filtersql.definitions.kinds import SHARED_IDENTITIES, kind_of, taken
from filtersql.definitions.not_nulls import keep_own
from filtersql.definitions.partitions import check_columns
from filtersql.definitions.sql_alter_kinds import check_part
from filtersql.definitions.sql_names import (
    AlreadyTold,
    Script,
    check_free,
    known_table,
    referenced,
    span_of,
)
from filtersql.errors import Mistake
from filtersql.errors.inheriting import InheritedConflict, Parentage
from filtersql.grammar import Node, enum_name
from filtersql.names import RelationName
from filtersql.pgtypes import format_type
from filtersql.source import Span

__all__ = [
    "add_inherit",
    "check_own",
    "detach",
    "drop_inherit",
    "inherit",
    "read_root",
]

_Place = Callable[[], Span]
_NO_TABLES = ("views", "materialized views", "sequences")
_TEMPORARY = "temporary tables"


def read_root(script: Script, node: Node) -> DraftTable:
    """PARTITION OF: the partitioned table."""
    span, name = span_of(script, node), referenced(script, node)
    kind = kind_of(script.drafts, name)
    if kind in _NO_TABLES:
        raise Parentage.no_table(name.name, span)
    if kind == _TEMPORARY:
        raise Parentage.partition_of_temporary(name.name, span)
    table = known_table(script, node)
    if table.partition_by is None:
        raise Parentage.not_partitioned(name.name, span)
    return table


def inherit(script: Script, table: DraftTable, nodes: list[Node]) -> None:
    """INHERITS (…) of a table that is made: its parents are judged before its own name."""
    free = taken(script.drafts, table.name) is None
    try:
        _read_parents(script, table, nodes)
    except (Mistake, AlreadyTold):
        if free:
            script.drafts.broken.add(table.name)
        raise
    check_free(script, table.name, table.span)


def _read_parents(script: Script, table: DraftTable, nodes: list[Node]) -> None:
    """INHERITS (…): every parent is looked up, then each is opened and gives its columns."""
    found: dict[RelationName, Node] = {}
    for node in nodes:
        name = referenced(script, node)
        if kind_of(script.drafts, name) is None:
            name = known_table(script, node).name
        if name in found:
            raise Parentage.twice(name.name, span_of(script, node))
        found[name] = node
    for name, node in found.items():
        span = span_of(script, node)
        if kind_of(script.drafts, name) in _NO_TABLES:
            raise Parentage.no_table(name.name, span)
        if kind_of(script.drafts, name) == _TEMPORARY:
            raise Parentage.of_temporary(name.name, span)
        parent = known_table(script, node)
        if parent.partition_by is not None:
            raise Parentage.of_root(name.name, span)
        if parent.partition_of is not None:
            raise Parentage.of_partition(name.name, span)
        table.inherits.append((name, span))
        _inherit_columns(table, parent, span)


def _inherit_columns(table: DraftTable, parent: DraftTable, span: Span) -> None:
    """The columns of one parent; of a name in two parents, the first keeps its place."""
    assert table.columns is not None
    for name, text in parent.defaults.items():
        if table.defaults.setdefault(name, text) != text:
            table.disputed.add(name)
        elif name in parent.drawn:
            table.drawn[name] = parent.drawn[name]
    for column in (parent.columns or {}).values():
        if column.name in parent.kept_nulls:
            column = replace(column, not_null=False)
        there = table.columns.get(column.name)
        if column.not_null:
            name = not_null_name(parent, column.name)
            table.constraints[name] = column.name
            table.inherited_names.add(name)
        if there is None:
            table.columns[column.name] = column
            continue
        _check_same(there, column, span, own=False)
        if there.generated is not column.generated:
            raise InheritedConflict.of_generation(column.name, span)
        if not same_expression(there.generation, column.generation):
            table.disputed.add(column.name)
        if column.not_null:
            table.columns[column.name] = replace(there, not_null=True)


def check_own(inherited: Column, own: Column, said: str | None, version: int) -> Column:
    """A column that a table defines, with a default or identity, and a parent has: as one."""
    _check_same(inherited, own, own.span, own=True)
    check_merged(inherited, own, said, version)
    merged = replace(own, not_null=own.not_null or inherited.not_null)
    if own.generated is None and inherited.generated is not None:
        merged = replace(merged, generated=inherited.generated, generation=inherited.generation)
    return merged


def _check_same(first: Column, second: Column, span: Span, *, own: bool) -> None:
    name = first.name
    if first.type != second.type:
        types = format_type(first.type), format_type(second.type)
        raise InheritedConflict.of_types(name, *types, own=own, span=span)
    if first.collation != second.collation:
        named = first.collation or "default", second.collation or "default"
        raise InheritedConflict.of_collations(name, *named, own=own, span=span)


def add_inherit(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER TABLE … INHERIT."""
    node = getattr(command, "def").range_var
    span, drafts = span_of(script, node), script.drafts
    if table.partition_of is not None:
        raise Parentage.changed("a partition", span)
    if table.partition_by is not None:
        raise Parentage.changed("partitioned table", span)
    check_part(script, referenced(script, node), command, span)
    parent = known_table(script, node)
    if parent.partition_by is not None:
        raise Parentage.of_root(parent.name.name, span)
    if parent.partition_of is not None:
        raise Parentage.of_partition(None, span)
    if parent is table or any(one is parent for one in drafts.below(table.name)):
        raise Parentage.circular(parent.name.name, table.name.name, span)
    if any(name == parent.name for name, _ in table.inherits):
        raise Parentage.twice(parent.name.name, span)
    check_columns(table, parent, drafts.postgres_version, span)
    table.local |= {*(parent.columns or {})}
    table.inherits.append((parent.name, span))


def drop_inherit(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER TABLE … NO INHERIT."""
    node = getattr(command, "def").range_var
    span = span_of(script, node)
    if table.partition_of is not None:
        raise Parentage.changed("a partition", span)
    name = referenced(script, node)
    if kind_of(script.drafts, name) in _NO_TABLES:
        raise Parentage.no_parent(name.name, table.name.name, span)
    parent = known_table(script, node)
    if all(name != parent.name for name, _ in table.inherits):
        if parent.partition_by is not None:
            raise Parentage.no_partition(table.name.name, parent.name.name, span)
        raise Parentage.no_parent(parent.name.name, table.name.name, span)
    table.constraints |= parent.constraints
    keep_own(table, [one.name for one in (parent.columns or {}).values() if one.not_null])
    table.inherits = [one for one in table.inherits if one[0] != parent.name]


def _naming(drafts: Drafts, table: DraftTable, column: str) -> DraftTable:
    """The table that a partition's NOT NULL, where it is not its own, has its name from."""
    named = column in table.own_nulls or column in table.constraints.values()
    parent = None if table.partition_of is None else drafts.tables.get(table.partition_of)
    return table if named or parent is None else _naming(drafts, parent, column)


def detach(script: Script, table: DraftTable, command: Node, place: _Place) -> None:
    """ALTER TABLE … DETACH PARTITION."""
    node = getattr(command, "def").partition_cmd.name
    name = referenced(script, node)
    others = (one for one in script.drafts.children(table.name) if one.partition_of == table.name)
    if getattr(command, "def").partition_cmd.concurrent and any(
        one.bounds == "DEFAULT" for one in others
    ):
        raise Parentage.beside_default(span_of(script, node))
    if kind_of(script.drafts, name) in _NO_TABLES:
        raise Parentage.no_partition(name.name, table.name.name, span_of(script, node))
    child = known_table(script, node)
    if child.partition_of != table.name:
        raise Parentage.no_partition(child.name.name, table.name.name, span_of(script, node))
    if enum_name(command, "subtype") == "AT_DetachPartitionFinalize":
        raise Parentage.not_pending(child.name.name, span_of(script, node))
    child.constraints |= table.constraints
    for column in (table.columns or {}).values():
        if column.not_null and column.name not in child.own_nulls:
            name_of_null = not_null_name(_naming(script.drafts, table, column.name), column.name)
            child.constraints[name_of_null] = column.name
    keep_own(child, child.columns or ())
    if script.drafts.postgres_version >= SHARED_IDENTITIES:
        child.identities -= table.identities
    child.partition_of = child.bounds = child.late_bounds = child.parent_span = None
