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

from dataclasses import dataclass, field

from filtersql.feeds.records import Record
from filtersql.feeds.spooled import Numbers

__all__ = ["Runs", "Unordered"]


class Unordered(Exception):
    """The changes do not come in their order, or not all of them."""


@dataclass(slots=True)
class Runs:
    """The changes above `start`, in their order, that were read so far."""

    start: int | None
    #: the last seq of each transaction, and a number that two with one name share
    lasts: Numbers = field(default_factory=Numbers)
    names: Numbers = field(default_factory=Numbers)
    open: str | None = None
    #: whether the newest change ends its transaction
    whole: bool = True
    newest: int | None = None

    def __post_init__(self) -> None:
        self.newest = self.start

    @property
    def last(self) -> int | None:
        """The last seq that was read."""
        return self.lasts.last()

    def add(self, change: Record) -> bool:
        """Remember a change. Raises Unordered."""
        seq, tx = change.seq, None if change.tx is None else str(change.tx)
        before = self.newest
        previous = change.prev_seq
        if before is not None and (seq <= before or (previous is not None and previous > before)):
            raise Unordered
        if tx is None or tx != self.open:
            self.lasts.append(seq)
            if tx is not None:
                self.names.append(hash(tx))
        else:
            self.lasts.change_last(seq)
        self.newest = seq
        committed = change.op == "commit"
        self.open = None if committed else tx
        self.whole = committed or tx is None
        return True

    def check(self) -> None:
        """Raises Unordered where a transaction may come again after another one."""
        if self.names.repeats():
            raise Unordered

    def cut(self, closed: bool) -> int | None:
        """The last seq at which all transactions are complete; None when no change is."""
        if closed or self.whole:
            return self.last
        return self.lasts.last(1)

    def boundary(self, seq: int) -> int | None:
        """The last seq before the transaction of a change; None where there is none above start."""
        return self.lasts.last_below(seq)
