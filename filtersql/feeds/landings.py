"""The targets that a feed serves: how far each of them got, and which columns they read.

Whoever reads a feed, or a portion of it, is told its `Share`; of a source the `SourceShare`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.definitions.model import Feed
from filtersql.feeds.held import Counted
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = [
    "Landing",
    "Lasts",
    "Needed",
    "Share",
    "SourceShare",
    "all_needed",
    "is_needed",
    "lasts_of",
    "lost_beginning",
    "lowest_position",
    "lowest_reached",
    "needed_columns",
    "newest_of",
    "places_of",
]

#: the columns that targets read, of each table; None: all of them
Needed = Mapping[RelationName, frozenset[str]] | None
#: the last changes that some target has read of a table
Lasts = Mapping[RelationName, frozenset[int]]

_Named = TypeVar("_Named")


class Landing(Struct, frozen=True):
    """A target that the feed serves, and how far it got; None: nothing was applied yet.

    `reached` is how far the feed was read for it, where that is beyond its own changes. `newest` is
    the last change that was read of each of its tables, where files land apart.
    """

    compiled: CompiledTable
    position: int | None
    reached: int | None = None
    newest: Mapping[RelationName, int] | None = None

    def has(self, seq: int) -> bool:
        """Whether it is beyond a change."""
        return self.position is not None and seq <= self.position

    def last_of(self, table: RelationName) -> int:
        """The last change of a table that was read for it; -1: none."""
        last = self.position if self.newest is None else self.newest.get(table)
        return -1 if last is None else last

    def parts(self, first: int, last: int) -> bool:
        """Whether some changes between two numbers are new to it, and others are not."""
        if self.position is None or first > self.position:
            return False
        return last > self.position or len(self.newest or ()) > 1

    def misses(self, relation: RelationName | None, seq: int) -> bool:
        """Whether it stands beyond a change of a table without ever having read it."""
        if relation is None or self.newest is None:
            return False
        return self.has(seq) and self.newest.get(relation, -1) < seq


class Share(Struct, frozen=True):
    """A feed and its targets. `folder` takes what is staged: all who read must see it.

    `counted` are changes of files that are not opened again.
    """

    feed: Feed
    catalog: Catalog
    landings: Sequence[Landing]
    engine: Engine
    folder: Path
    counted: Counted = {}

    @property
    def start(self) -> int | None:
        """The position that all targets have passed; None where one stands before any change."""
        return lowest_position(self.landings)

    @property
    def lowest(self) -> int:
        """How far the feed was read for all targets; -1: one stands before any change."""
        return lowest_reached(self.landings)


class SourceShare(Struct, frozen=True):
    """The same for the rows of a source."""

    compiled: CompiledTable
    table: Table
    engine: Engine
    folder: Path


def needed_columns(compiled: CompiledTable) -> frozenset[str]:
    """The columns that a new row must hold: all that are read.

    What generates a column is not carried out: a filter that reads one needs the source's value.
    """
    return frozenset(column.name for column in compiled.feed_columns)


def all_needed(landings: Sequence[Landing]) -> Needed:
    """The columns of each source table that some target reads; without a target None: all."""
    if not landings:
        return None
    found: dict[RelationName, frozenset[str]] = {}
    for compiled in (landing.compiled for landing in landings):
        columns = {column.name for column in compiled.feed_columns}
        columns |= {*compiled.identity, *compiled.judged_old}
        for name in compiled.sources:
            found[name] = found.get(name, frozenset()) | columns
    return found


def lowest_position(landings: Sequence[Landing]) -> int | None:
    """The position that all targets have passed; None where one stands before any change."""
    positions = [landing.position for landing in landings]
    known = [position for position in positions if position is not None]
    return min(known, default=None) if len(known) == len(positions) else None


def lowest_reached(landings: Sequence[Landing]) -> int:
    """How far the feed was read for all targets; -1 where one stands before any change."""
    every = (one.position if one.reached is None else one.reached for one in landings)
    return min((-1 if at is None else at for at in every), default=-1)


def lasts_of(landings: Sequence[Landing]) -> Lasts:
    """The last change of each table that each of its targets has read; -1: none of them."""
    found: dict[RelationName, frozenset[int]] = {}
    for one in landings:
        for table in one.compiled.sources:
            found[table] = found.get(table, frozenset()) | {one.last_of(table)}
    return found


def lost_beginning(
    lasts: Lasts, bits: int, count_at: Callable[[int, RelationName], int]
) -> int | None:
    """The last change that was read of a table, if its place has changes here, but not the first.

    `count_at` says how many changes of a table are here at a place; 0 where none was read now.
    """
    for table, seqs in lasts.items():
        for seq in seqs:
            place, slot = divmod(seq, 1 << bits)
            whole = slot == (1 << bits) - 1
            if not whole and 0 < count_at(place, table) <= slot:
                return seq
    return None


def places_of(landings: Sequence[Landing], bits: int) -> dict[RelationName, int]:
    """The place up to which all targets of a table have read its changes; -1: none of them."""
    return {table: min(seqs) >> bits for table, seqs in lasts_of(landings).items()}


def newest_of(told: Iterable[Mapping[_Named, int]]) -> dict[_Named, int]:
    """The last change of each table or file, put together from several readers."""
    found: dict[_Named, int] = {}
    for name, seq in (pair for one in told for pair in one.items()):
        found[name] = max(seq, found.get(name, -1))
    return found


def is_needed(needed: Needed, table: RelationName, column: str) -> bool:
    """Whether some target wants the value of a column: if not, it need not be known."""
    return needed is None or column in needed.get(table, ())
