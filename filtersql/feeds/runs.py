"""The order of a feed that keeps it: what is remembered of each transaction, not of each change.

Example
    ===== ==== ====================================================
    first last transaction
    ===== ==== ====================================================
    1     2    a
    3     9    b; a change without one is a transaction of its own
    ===== ==== ====================================================

    Anything else than rising numbers, whole transactions and no gap makes it `Unordered`: then the
    feed is read again with order.Order, which remembers every change and says what is wrong.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field

from filtersql.feeds.records import Record

__all__ = ["Runs", "Unordered"]


class Unordered(Exception):
    """The changes do not come in their order, or not all of them."""


@dataclass(slots=True)
class Runs:
    """The changes above `start`, in their order, that were read so far."""

    start: int | None
    #: the last seq of each transaction, and a number that two with one name share
    lasts: array[int] = field(default_factory=lambda: array("q"))
    names: array[int] = field(default_factory=lambda: array("q"))
    open: str | None = None
    #: whether the newest change ends its transaction
    whole: bool = True

    @property
    def last(self) -> int | None:
        """The last seq that was read."""
        return self.lasts[-1] if self.lasts else None

    def add(self, change: Record) -> bool:
        """Remember a change. Raises Unordered."""
        seq, tx = change.seq, None if change.tx is None else str(change.tx)
        before = self.lasts[-1] if self.lasts else self.start
        previous = change.prev_seq
        if before is not None and (seq <= before or (previous is not None and previous > before)):
            raise Unordered
        if tx is None or tx != self.open:
            self.lasts.append(seq)
            if tx is not None:
                self.names.append(hash(tx))
        else:
            self.lasts[-1] = seq
        committed = change.op == "commit"
        self.open = None if committed else tx
        self.whole = committed or tx is None
        return True

    def check(self) -> None:
        """Raises Unordered where a transaction may come again after another one."""
        import pyarrow
        from pyarrow import compute

        count = len(self.names)
        names = pyarrow.Array.from_buffers(
            pyarrow.int64(), count, [None, pyarrow.py_buffer(self.names)]
        )
        if compute.count_distinct(names).as_py() != count:
            raise Unordered

    def cut(self, closed: bool) -> int | None:
        """The last seq at which all transactions are complete; None when no change is."""
        if closed or self.whole:
            return self.last
        return self.lasts[-2] if len(self.lasts) > 1 else None

    def boundary(self, seq: int) -> int | None:
        """The last seq before the transaction of a change; None where there is none above start."""
        place = bisect_left(self.lasts, seq)
        return self.lasts[place - 1] if place else None
