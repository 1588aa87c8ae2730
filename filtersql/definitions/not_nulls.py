"""Who says that a column is NOT NULL, and which columns lose it with their parents'.

Example
    `CREATE TABLE t (a int NOT NULL)` and `CREATE TABLE u () INHERITS (t)`: when t loses it, u does.
    With `CREATE TABLE u (PRIMARY KEY (a)) INHERITS (t)` u says it itself, as `u_a_not_null`.

PostgreSQL
    heap.c: AddRelationNotNullConstraints(); tablecmds.c: dropconstraint_internal(),
    ATExecDropNotNull(), MergeConstraintsIntoExisting()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.keys import object_name, set_not_null

__all__ = ["hands_down", "keep_own", "lose_not_null", "name_own", "parents_of", "saying"]


def name_own(table: DraftTable) -> None:
    """Of a new heir: a NOT NULL that it says itself has its own name and none of its parents'."""
    said = {name for name, one in table.constraints.items() if one in table.own_nulls}
    for column in sorted(table.own_nulls):
        own = [name for name in said - table.inherited_names if table.constraints[name] == column]
        for name in [name for name, one in table.constraints.items() if one == column]:
            del table.constraints[name]
        name = own[0] if own else object_name(table.name.name, column, "not_null")
        table.constraints[name] = column


def keep_own(table: DraftTable, columns: Iterable[str]) -> None:
    """A child without its parent says what the parent said."""
    known = table.columns or {}
    table.own_nulls |= {name for name in columns if name in known and known[name].not_null}


def parents_of(drafts: Drafts, table: DraftTable) -> Iterator[DraftTable]:
    """The root of a partition, the parents of an heir."""
    names = [name for name, _ in table.inherits]
    if table.partition_of is not None:
        names.append(table.partition_of)
    yield from (drafts.tables[name] for name in names if name in drafts.tables)


def saying(drafts: Drafts, table: DraftTable, column: str) -> bool:
    """Whether a parent has the column NOT NULL."""
    return any(hands_down(one, column) for one in parents_of(drafts, table))


def hands_down(table: DraftTable, column: str) -> bool:
    """Whether a parent's heirs have its NOT NULL."""
    columns = table.columns or {}
    return column in columns and columns[column].not_null and column not in table.kept_nulls


def lose_not_null(drafts: Drafts, table: DraftTable, column: str) -> None:
    """DROP NOT NULL since PostgreSQL 18: what children only inherited goes too."""
    set_not_null(table, (column,), False)
    table.own_nulls.discard(column)
    table.kept_nulls.discard(column)
    for name in [name for name, one in table.constraints.items() if one == column]:
        del table.constraints[name]
    for child in drafts.children(table.name):
        if column not in child.own_nulls and not saying(drafts, child, column):
            lose_not_null(drafts, child, column)
