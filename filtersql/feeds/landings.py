"""The targets that a feed serves: how far each of them got, and which columns they read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable

__all__ = ["Landing", "Needed", "all_needed", "is_needed", "lowest_position", "needed_columns"]

#: the columns that targets read, of each table; None: all of them
Needed = Mapping[RelationName, frozenset[str]] | None


class Landing(Struct, frozen=True):
    """A target that the feed serves, and how far it got; None: nothing was applied yet.

    `newest` is the last number of its own changes that were read, where a feed's files land apart.
    """

    compiled: CompiledTable
    position: int | None
    newest: int | None = None

    def parts(self, first: int, last: int) -> bool:
        """Whether not all changes between two numbers are alike to it: new, or read before."""
        if self.position is None or first > self.position:
            return False
        return last > self.position or (self.newest is not None and last > self.newest)

    def misses(self, seq: int) -> bool:
        """Whether it is beyond a change that was not read before."""
        if self.position is None or self.newest is None:
            return False
        return self.newest < seq <= self.position


def needed_columns(compiled: CompiledTable) -> frozenset[str]:
    """The columns that a new row must hold: all that are read.

    What generates a column is not carried out: a filter that reads one needs the source's value.
    """
    return frozenset(column.name for column in compiled.feed_columns)


def all_needed(landings: Sequence[Landing]) -> Needed:
    """The columns of each source table of which some target wants the value."""
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
    return min(known) if known and len(known) == len(positions) else None


def is_needed(needed: Needed, table: RelationName, column: str) -> bool:
    """Whether some target wants the value of a column: if not, it need not be known."""
    return needed is None or column in needed.get(table, ())
