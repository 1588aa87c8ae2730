"""The tables that FOR TABLE opens: those listed, and their descendants by INHERITS.

Example
    `FOR TABLE parent WHERE (a > 1), child` opens parent and child, then child again: refused,
    because one of the two has a WHERE. Without any WHERE or column list child counts once.

PostgreSQL
    publicationcmds.c, OpenTableList()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from filtersql.definitions.model import PublishedTable
from filtersql.errors import Mistake
from filtersql.errors.publications import CONFLICTING_ENTRIES
from filtersql.names import RelationName

__all__ = ["opened"]


def opened(
    tables: Iterable[PublishedTable], heirs: Callable[[RelationName], Iterable[RelationName]]
) -> tuple[dict[RelationName, PublishedTable], list[Mistake]]:
    """Every listed table and its heirs; a table listed twice may have no WHERE or list."""
    entries: dict[RelationName, PublishedTable] = {}
    mistakes: list[Mistake] = []
    for table in tables:
        if table.name in entries:
            mistakes += _conflict(entries[table.name], table, table.name.name)
            continue
        entries[table.name] = table
        last = table.name.name
        for heir in () if table.only else heirs(table.name):
            if heir in entries:
                # PostgreSQL names the table that it opened last, not the one listed twice.
                mistakes += _conflict(entries[heir], table, last)
                continue
            entries[heir] = replace(table, name=heir, alias=None)
            last = heir.name
    return entries, mistakes


def _conflict(earlier: PublishedTable, later: PublishedTable, name: str) -> Iterator[Mistake]:
    if earlier.where is not None or later.where is not None:
        yield CONFLICTING_ENTRIES(later.span, what="WHERE clauses", name=name)
    elif earlier.columns is not None or later.columns is not None:
        yield CONFLICTING_ENTRIES(later.span, what="column lists", name=name)
