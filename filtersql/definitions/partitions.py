"""What a partition or heir has from its parent: columns, NOT NULL, primary key, unique constraints.

Example
    ============================ ==================== ==========================
    made by                      columns              keys of the parent
    ============================ ==================== ==========================
    PARTITION OF, partition_of   the parent's         the parent's
    ATTACH PARTITION             its own, same names  the parent's, if it has none
    INHERITS                     the parent's, own    none
    ============================ ==================== ==========================

PostgreSQL
    tablecmds.c: MergeAttributes(), ATExecAttachPartition(), MergeAttributesIntoExisting(),
    AttachPartitionEnsureIndexes()
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from filtersql.catalog import Column
from filtersql.definitions.bounds import Bounds, printed
from filtersql.definitions.catalog_builder import DraftIndex, Drafts, DraftTable
from filtersql.definitions.expressions import columns_named, same_expression
from filtersql.definitions.keys import free_name, set_not_null
from filtersql.definitions.kinds import SHARED_IDENTITIES, SYSTEM_COLUMNS
from filtersql.definitions.overlaps import check_bounds, check_shape
from filtersql.errors import partitions as refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.keys import SEVERAL_PRIMARY_KEYS
from filtersql.source import Span

__all__ = [
    "attach",
    "check_key_holds",
    "check_partitioned",
    "check_spec",
    "settle",
    "share_index",
    "share_keys",
]

_PLAIN = re.compile(r"[a-z_][a-z0-9_$]*")
_NOT_UNIQUE = "non-unique"
_UNLOGGED_REFUSED = 18
_NULLS_NAMED = 18
#: since when a child may generate a column in another way than its parent, if the parent does
_EXPRESSIONS_DIFFER = 16


def attach(
    drafts: Drafts, table: DraftTable, parent: DraftTable, bounds: Bounds | None, span: Span
) -> None:
    """Makes `table` a partition of `parent`, whose name stands at `span`."""
    check_spec(parent, bounds, span)
    assert parent.partition_by is not None
    if table.partition_of is not None:
        raise refusals.ALREADY_PARTITION(span, table=table.name.name)
    if table.inherits:
        raise refusals.ATTACH_INHERITANCE(span, what="child")
    if table.partition_by is None and drafts.children(table.name):
        raise refusals.ATTACH_INHERITANCE(span, what="parent")
    if table.name == parent.name or table.name in _above(drafts, parent):
        raise refusals.CIRCULAR(span, child=parent.name.name, parent=table.name.name)
    if table.columns is not None:
        _check_extra(table, parent, drafts.postgres_version, span)
    if bounds is not None:
        siblings = {
            child.name.name: child.late_bounds
            for child in drafts.children(parent.name)
            if child.partition_of == parent.name and child.late_bounds and not child.unattached
        }
        check_bounds(table.name.name, bounds, siblings, _key_types(parent), span)
    table.partition_of, table.parent_span, table.late_bounds = parent.name, span, bounds
    table.bounds = None if bounds is None else printed(bounds, _key_types(parent))
    settle(drafts, table)


def _key_types(parent: DraftTable) -> list[str]:
    """The types of a partitioned table's key; an expression's is not known here."""
    columns = parent.columns or {}
    keys = parent.partition_by[1] if parent.partition_by else ()
    return [columns[key].type.name if key in columns else "" for key in keys]


def check_spec(parent: DraftTable, bounds: Bounds | None, span: Span) -> None:
    """What PostgreSQL says of bounds before it looks at the table that becomes a partition."""
    if parent.partition_by is None:
        raise refusals.TABLE_NOT_PARTITIONED(span, parent=parent.name.name)
    if bounds is not None:
        check_shape(bounds, *parent.partition_by, span)


def check_partitioned(table: DraftTable, span: Span, version: int) -> None:
    """PARTITION BY names columns of the table, and every unique constraint holds all of them."""
    assert table.partition_by is not None
    strategy, keys = table.partition_by
    if strategy == "list" and len(keys) > 1:
        raise refusals.LIST_OF_SEVERAL(span)
    if table.unlogged and version >= _UNLOGGED_REFUSED:
        raise refusals.ROOT_UNLOGGED(span)
    columns = table.columns or {}
    for key in keys:
        if key in SYSTEM_COLUMNS:
            raise refusals.KEY_COLUMN_SYSTEM(span, column=key)
        if _PLAIN.fullmatch(key) and key not in columns:
            raise refusals.KEY_COLUMN_UNKNOWN(span, column=key)
        for name in {key} if key in columns else sorted(columns_named(key)):
            if name in columns and columns[name].generated is not None:
                raise refusals.KEY_COLUMN_GENERATED(span, column=name)
    for index in table.indexes.values():
        if index.constraint:
            kind = "PRIMARY KEY" if index.primary else "UNIQUE"
            check_key_holds(table, kind, index.columns, span)


def check_key_holds(table: DraftTable, kind: str, columns: tuple[str, ...], span: Span) -> None:
    """A unique constraint of a partitioned table holds every column of its partition key."""
    keys = table.partition_by[1] if table.partition_by else ()
    for key in keys:
        if key in (table.columns or {}) and key not in columns:
            raise refusals.UNIQUE_LACKS_KEY(span, kind=kind, table=table.name.name, column=key)


def settle(drafts: Drafts, table: DraftTable) -> None:
    """Gives a partition what its parent has, once the parent is known and settled itself."""
    parent = drafts.tables.get(table.partition_of) if table.partition_of else None
    if parent is None or parent.columns is None:
        return
    if table.columns is None:
        table.columns = dict(parent.columns)
    else:
        _check_columns(table, parent, drafts.postgres_version, table.parent_span or table.span)
    share_keys(table, parent)


def share_keys(table: DraftTable, parent: DraftTable) -> None:
    """The indexes that a partitioned table's key and unique constraints make on a partition."""
    if parent.primary_key and table.primary_key and table.primary_key != parent.primary_key:
        raise SEVERAL_PRIMARY_KEYS(table.parent_span or table.span, table=table.name.name)
    set_not_null(table, parent.primary_key, True)
    for index in parent.indexes.values():
        share_index(table, index)


def share_index(table: DraftTable, index: DraftIndex) -> None:
    """A partition gets its root's index, where it has none over the same columns."""
    if any(_serves(own, index) for own in table.indexes.values()):
        return
    if index.primary:
        name = free_name(table, "", "pkey")
    else:
        label = "key" if index.constraint else "idx"
        name = free_name(table, "_".join(index.named or index.columns), label)
    table.indexes[name] = replace(index, name=name)


def _serves(own: DraftIndex, index: DraftIndex) -> bool:
    """CompareIndexInfo(): whether a partition's index can be a part of its root's."""
    alike = own.columns == index.columns and own.primary is index.primary
    unique = (own.refusal == _NOT_UNIQUE) is (index.refusal == _NOT_UNIQUE)
    return alike and unique and own.constraint >= index.constraint


def _above(drafts: Drafts, table: DraftTable) -> set[object]:
    """The names of a table's ancestors."""
    names: set[object] = set()
    while table.partition_of is not None and table.partition_of not in names:
        names.add(table.partition_of)
        if table.partition_of not in drafts.tables:
            break
        table = drafts.tables[table.partition_of]
    return names


def _check_columns(table: DraftTable, parent: DraftTable, version: int, span: Span) -> None:
    """Raises where a table has not what its parent-to-be has, column by column of the parent."""
    assert table.columns is not None
    assert parent.columns is not None
    shown = table.name.name
    for name, column in parent.columns.items():
        own = table.columns.get(name)
        if own is None:
            raise refusals.CHILD_LACKS(span, column=name)
        if own.type != column.type:
            raise refusals.CHILD_DIFFERS(span, what="type", table=shown, column=name)
        if own.collation != column.collation:
            raise refusals.CHILD_DIFFERS(span, what="collation", table=shown, column=name)
        if column.not_null and not own.not_null:
            if table.all_named:
                child = f'child table "{shown}"' if version >= _NULLS_NAMED else "child table"
                raise refusals.CHILD_NULLABLE(span, column=name, child=child)
            # ATTACH refuses it; YAML has no other word for it than the parent's.
            table.columns[name] = replace(own, not_null=True)
        _check_generation(own, column, version, span)


def _check_generation(own: Column, above: Column, version: int, span: Span) -> None:
    same = own.generated is above.generated
    if same and version < _EXPRESSIONS_DIFFER:
        same = same_expression(own.generation, above.generation)
    if not same:
        construct = f'a partition whose column "{own.name}" is generated otherwise than its root\'s'
        raise UnsupportedStatement(construct, span)


def _check_extra(table: DraftTable, parent: DraftTable, version: int, span: Span) -> None:
    """A table that becomes a partition has no column that its parent lacks, and no identity."""
    for name in table.columns or () if parent.columns is not None else ():
        if name in table.identities and version >= SHARED_IDENTITIES:
            raise refusals.ATTACH_IDENTITY(span, table=table.name.name, column=name)
        if name not in (parent.columns or {}):
            raise refusals.ATTACH_EXTRA_COLUMN(
                span, table=table.name.name, column=name, parent=parent.name.name
            )
