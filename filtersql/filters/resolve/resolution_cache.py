"""Filters alike in their text and in their table's columns are resolved once.

Example
    ===================================== =====================================================
    `region = 'eu'` on t1, and on t2      one tree where both have the same columns
    `t1.a > 5`                            a tree of its own: it names its table
    a filter that is refused              refused anew: each message names its table and place
    ===================================== =====================================================

A tree and a warning tell where they stand in the filter's text, never in a file: the places that
messages show are found anew for each filter.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import datetime

from msgspec import Struct

from filtersql.catalog import Generated, Table
from filtersql.errors import Notice
from filtersql.filters.tree.nodes import Node, Var
from filtersql.filters.tree.walking import walk
from filtersql.source import Passage

__all__ = ["Alike", "Typed"]


class Typed(Struct, frozen=True):
    """A filter's tree, ready to be written, and PostgreSQL's text; `read` are its columns.

    Each column stands with the offset in the text at which it is read first, each warning of
    `told` with that at which it stands.
    """

    tree: Node
    deparsed: str
    read: dict[str, int]
    told: tuple[tuple[Notice, int], ...]


class Alike:
    """What was resolved under one project's settings."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Hashable, Typed] = {}

    def resolved(
        self, where: Passage, table: Table, created: datetime | None, resolve: Callable[[], Typed]
    ) -> Typed:
        """What `resolve` gives, or gave for a filter alike."""
        key = _key(where, table, created)
        found = None if key is None else self._known.get(key)
        if found is not None:
            return found
        made = resolve()
        if key is not None and not any(
            isinstance(node, Var) and node.special for node in walk(made.tree)
        ):
            self._known[key] = made
        return made


def _key(where: Passage, table: Table, created: datetime | None) -> Hashable | None:
    """Everything that decides; None where the filter may name its table, or an expression does."""
    folded = where.text.casefold()
    spelled = table.name.name.replace('"', '""').casefold()
    if spelled in folded or "u&" in folded:
        return None
    if any(column.generated is Generated.VIRTUAL for column in table.columns):
        return None
    columns = (
        (one.name, one.type, one.not_null, one.generated, one.target_type, one.collation)
        for one in table.columns
    )
    return where.text, where.session, table.name.schema, created, tuple(columns)
