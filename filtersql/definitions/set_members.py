"""What pglogical asks of a table that is added to a replication set.

Example
    A table without a key cannot be added to a set that replicates updates or deletes, nor an
    unlogged table or a view to any; a column list names columns of the table, its key among them.

pglogical
    pglogical_repset.c, replication_set_add_table()
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from filtersql.definitions.model import Action, PublishedTable
from filtersql.errors import Mistake
from filtersql.errors.replication_sets import (
    ColumnNotInTable,
    ListMissesKey,
    SetNeedsPrimaryKey,
    SetTakesNoView,
    UnloggedInSet,
)

__all__ = ["judges", "misses_key", "refusals"]


def judges(actions: frozenset[Action]) -> bool:
    """Whether a set sends what needs a key."""
    return not actions.isdisjoint((Action.UPDATE, Action.DELETE))


def misses_key(entry: PublishedTable, key: Sequence[str]) -> bool:
    """Whether a column list leaves columns of the key out."""
    return entry.columns is not None and not {*key} <= {*entry.columns}


def refusals(
    entry: PublishedTable,
    set_name: str,
    key: Sequence[str],
    columns: Collection[str],
    *,
    unlogged: bool,
    view: bool,
    needs_key: bool,
) -> Iterator[Mistake]:
    """What is wrong with a member. `key`: what finds its rows, empty where nothing does.

    `columns` are empty where a view's are not known.
    """
    for name in entry.columns or ():
        if name not in columns and not (view and not columns):
            yield ColumnNotInTable(entry.name, name, entry.span)
    if misses_key(entry, key):
        yield ListMissesKey(key, entry.span)
    if unlogged:
        yield UnloggedInSet(entry.span)
    elif needs_key and not key:
        yield SetNeedsPrimaryKey(entry.name, set_name, entry.span)
    elif view:
        yield SetTakesNoView(entry.name.name, entry.span)
