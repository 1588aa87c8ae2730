"""The order of changes that are numbered by their place, table by table: `PlacedOrder`.

Example
    ========= ============ =================================================================
    seq       table        stands
    ========= ============ =================================================================
    33 000000 public.t     at place 33, of its table the first
    33 000001 public.t
    33 000000 public.u     at the same place: tables do not share numbers, so a seq may come
                           once for each of them
    ========= ============ =================================================================

A place is a transaction, the rows of a snapshot, or what happened at one moment. It is cut nowhere.
"""

from __future__ import annotations

from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.feeds.records import Record, digest, relation_of
from filtersql.names import RelationName

__all__ = ["PlacedOrder"]


class PlacedOrder(Struct):
    """The changes above `start` that were read so far, in any order."""

    start: int | None
    #: a seq has so many bits more than its place
    bits: int
    catalog: Catalog | None = None
    #: of each change the text that it had
    known: dict[tuple[RelationName | None, int], int] = field(default_factory=dict)
    #: the last seq of each place
    lasts: dict[int, int] = field(default_factory=dict)
    #: places of transactions, and those that end as far as is known
    changed: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)

    def add(self, change: Record) -> bool | None:
        """Remember a change. False: it was read before; None: seq was read for another change."""
        table = relation_of(change)
        tree = None if table is None or self.catalog is None else self.catalog.tree_of(table)
        key, said = (tree, change.seq), digest(change)
        if (before := self.known.get(key)) is not None:
            return False if before == said else None
        self.known[key] = said
        self.count(change.seq, change.op)
        return True

    def count(self, seq: int, op: str) -> None:
        """Take a change of which no other one of its table has the number."""
        place = seq >> self.bits
        self.lasts[place] = max(seq, self.lasts.get(place, seq))
        if op == "commit":
            self.ended.add(place)
        elif op != "read":
            self.changed.add(place)

    @property
    def last(self) -> int | None:
        """The last seq that was read."""
        return max(self.lasts.values(), default=None)

    @property
    def whole(self) -> bool:
        """Whether nothing more is to come at the last place."""
        newest = max(self.lasts, default=-1)
        return newest in self.ended or newest not in self.changed

    def cut(self, closed: bool) -> int | None:
        """The last seq at which all places are complete; None when no change is."""
        if closed or self.whole or self.last is None:
            return self.last
        return self.boundary(self.last)

    def boundary(self, seq: int) -> int | None:
        """The last seq before the place of a change; None where there is none above start."""
        return max((last for last in self.lasts.values() if last < seq), default=None)
