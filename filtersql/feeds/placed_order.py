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

A place is a transaction, the rows of a snapshot, or what happened at one moment. None is ever cut.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable

import pyarrow
from msgspec import Struct, field
from pyarrow import compute

from filtersql.feeds.records import Record, digest, relation_of
from filtersql.names import RelationName

__all__ = ["PlacedOrder", "ends_of_places"]


class PlacedOrder(Struct):
    """The changes above `start` that were read so far, in any order.

    `repeats`: a change may come again with its number, so its text is kept, too.
    """

    start: int | None
    #: a seq has so many bits more than its place
    bits: int
    repeats: bool
    seqs: array[int] = field(default_factory=lambda: array("q"))
    #: the text of each change, by its table and its seq
    known: dict[RelationName | None, dict[int, int]] = field(default_factory=dict)
    #: the last place, whether a transaction is there, and whether it ends as far as is known
    place: int = -1
    changed: bool = False
    ended: bool = False

    def add(self, change: Record) -> bool | None:
        """Remember a change. False: it was read before; None: seq was read for another change."""
        seq, place = change.seq, change.seq >> self.bits
        if self.repeats:
            said = digest(change)
            known = self.known.setdefault(relation_of(change), {})
            if (before := known.get(seq)) is not None:
                return False if before == said else None
            known[seq] = said
        self.seqs.append(seq)
        self._reach(place, [change.op])
        return True

    def extend_columns(self, seq: pyarrow.Int64Array, op: pyarrow.StringArray) -> None:
        """Remember changes, each with a number that no other change of its table has."""
        self.seqs.extend(seq.to_pylist())
        places = compute.shift_right(seq, self.bits)
        last = compute.max(places)
        self._reach(last.as_py(), op.filter(compute.equal(places, last)).unique().to_pylist())

    def _reach(self, place: int, ops: Collection[str]) -> None:
        """Changes of some ops are at a place."""
        if place > self.place:
            self.place, self.changed, self.ended = place, False, False
        if place == self.place:
            self.ended = self.ended or "commit" in ops
            self.changed = self.changed or not {"commit", "read"}.issuperset(ops)

    @property
    def last(self) -> int | None:
        """The last seq that was read."""
        return max(self.seqs, default=None)

    def cut(self, closed: bool) -> int | None:
        """The last seq at which all places are complete; None when no change is."""
        if closed or self.ended or not self.changed or self.last is None:
            return self.last
        return self.boundary(self.last)

    def boundary(self, seq: int) -> int | None:
        """The last seq before the place of a change; None where there is none above start."""
        ends = ends_of_places(self.seqs, self.bits)
        return max((end for end in ends if end < seq), default=None)


def ends_of_places(seqs: Iterable[int], bits: int) -> list[int]:
    """The last seq of each place."""
    lasts = {seq >> bits: seq for seq in sorted(seqs)}
    return sorted(lasts.values())
