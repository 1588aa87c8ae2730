"""What pglogical asks of a table that is added to a replication set.

Example
    A table without a key cannot be added to a set that replicates updates or deletes, nor an
    unlogged table, a view or a foreign table to any; a column list names columns of the table, its
    key among them.

pglogical
    pglogical_repset.c, replication_set_add_table()
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from filtersql.definitions.kinds import UNOPENED
from filtersql.definitions.model import Action, PublishedTable
from filtersql.errors import Mistake
from filtersql.errors.relations import IS_ONE
from filtersql.errors.replication_sets import (
    COLUMN_NOT_IN_TABLE,
    LIST_MISSES_KEY,
    NO_TRIGGERS,
    NO_TRUNCATE_TRIGGERS,
    SET_NEEDS_PRIMARY_KEY,
    SYSTEM_CATALOG,
    UNLOGGED_IN_SET,
)

__all__ = ["judges", "misses_key", "refusals"]

#: kinds that have no trigger for TRUNCATE, and how one of those is called that have others
_UNTRIGGERED = {
    "views": "a view",
    "foreign tables": "a foreign table",
    "materialized views": None,
    "sequences": None,
    "TOAST tables": None,
}


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
    kind: str,
    unlogged: bool,
    needs_key: bool,
) -> Iterator[Mistake]:
    """What is wrong with a member, which is a table or of another kind.

    `key`: what finds its rows, empty where nothing does. `columns`: empty where a view's are not
    known.
    """
    if kind in UNOPENED:
        yield IS_ONE(entry.span, name=entry.name.name, one=UNOPENED[kind])
        return
    for name in entry.columns or ():
        if name not in columns and (columns or kind not in _UNTRIGGERED):
            yield COLUMN_NOT_IN_TABLE(entry.span, name=entry.name, column=name)
    if misses_key(entry, key):
        yield LIST_MISSES_KEY(entry.span, identity=key)
    if unlogged:
        yield UNLOGGED_IN_SET(entry.span)
    elif needs_key and not key:
        yield SET_NEEDS_PRIMARY_KEY(entry.span, name=entry.name, replication_set=set_name)
    elif kind == "system tables":
        yield SYSTEM_CATALOG(entry.span, name=entry.name.name)
    elif kind in _UNTRIGGERED:
        name, one = entry.name.name, _UNTRIGGERED[kind]
        if one:
            yield NO_TRUNCATE_TRIGGERS(entry.span, name=name, many=kind, one=one)
        else:
            yield NO_TRIGGERS(entry.span, name=name, many=kind)
