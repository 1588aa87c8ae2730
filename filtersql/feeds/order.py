"""What the order of a feed's changes must keep: seq, transactions, prev_seq; and where to cut.

Example
    ==== ==== ========================================================
    seq  tx
    ==== ==== ========================================================
    1    a
    2    a    complete: a later transaction follows
    3    b    complete when the feed is closed or a commit record ends it
    ==== ==== ========================================================

The cut is the last seq at which every transaction is complete; later changes wait for the next run.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from msgspec import Struct, field

from filtersql.feeds.records import Record, digest

__all__ = ["Disorder", "Order"]


class Disorder(Struct, frozen=True):
    """The change `seq` breaks the order: `tx` interleaves, or changes after `last` are missing."""

    seq: int
    tx: str | None = None
    prev_seq: int = -1
    last: int = -1


class Order(Struct):
    """The changes above `start` that were read so far, in any order."""

    start: int | None
    seqs: array[int] = field(default_factory=lambda: array("q"))
    txs: array[int] = field(default_factory=lambda: array("q"))
    previous: array[int] = field(default_factory=lambda: array("q"))
    digests: array[int] = field(default_factory=lambda: array("q"))
    commits: bytearray = field(default_factory=bytearray)
    names: dict[str, int] = field(default_factory=dict)
    sorted: bool = True
    #: seq -> digest, kept only once the changes turn out not to come in order
    known: dict[int, int] = field(default_factory=dict)

    @property
    def last(self) -> int | None:
        """The last seq that was read."""
        return max(self.seqs, default=None)

    def add(self, change: Record) -> bool | None:
        """Remember a change. False: it was read before; None: seq was read for another change."""
        seq, tx, said = change.seq, change.tx, digest(change)
        if self.sorted and self.seqs and seq <= self.seqs[-1]:
            self.sorted = False
            self.known = dict(zip(self.seqs, self.digests, strict=True))
        if not self.sorted:
            before = self.known.get(seq)
            if before is not None:
                return False if before == said else None
            self.known[seq] = said
        self.seqs.append(seq)
        self.txs.append(-1 if tx is None else self.names.setdefault(str(tx), len(self.names)))
        self.previous.append(-1 if change.prev_seq is None else change.prev_seq)
        self.digests.append(said)
        self.commits.append(change.op == "commit")
        return True

    def disorders(self) -> Iterator[Disorder]:
        """Every change that breaks the order."""
        last, open_tx = self.start, -1
        ended: set[int] = set()
        titles = list(self.names)
        for index in self._indexes():
            seq, tx, previous = self.seqs[index], self.txs[index], self.previous[index]
            if tx != open_tx:
                ended.add(open_tx)
            if tx >= 0 and tx in ended:
                yield Disorder(seq, tx=titles[tx])
            open_tx = tx
            if self.commits[index]:
                ended.add(tx)
                open_tx = -1
            if previous >= 0 and last is not None and previous > last:
                yield Disorder(seq, prev_seq=previous, last=last)
            last = seq

    def cut(self, closed: bool) -> int | None:
        """The last seq at which all transactions are complete; None when no change is."""
        indexes = self._indexes()
        if not indexes:
            return None
        newest = indexes[-1]
        if closed or self.txs[newest] < 0 or self.commits[newest]:
            return self.seqs[newest]
        for index in reversed(indexes):
            if self.txs[index] != self.txs[newest]:
                return self.seqs[index]
        return None

    def boundary(self, seq: int) -> int | None:
        """The last seq before the transaction of a change; None where there is none above start."""
        before, open_tx, closed = None, -1, True
        last: int | None = None
        for index in self._indexes():
            tx = self.txs[index]
            if closed or tx < 0 or tx != open_tx:
                before = last
            if self.seqs[index] >= seq:
                return before
            open_tx, closed = tx, bool(self.commits[index])
            last = self.seqs[index]
        return last

    def _indexes(self) -> range | list[int]:
        indexes = range(len(self.seqs))
        return indexes if self.sorted else sorted(indexes, key=self.seqs.__getitem__)
