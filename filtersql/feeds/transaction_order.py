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

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from operator import lt

import pyarrow
from msgspec import Struct
from pyarrow import compute

from filtersql.feeds.records import Record
from filtersql.feeds.spill import Numbers

__all__ = ["KnownOrder", "TransactionOrder", "Unordered"]

_NONE = type(None)


class Unordered(Exception):
    """The changes do not come in their order, or not all of them."""


class KnownOrder(Struct, frozen=True):
    """An order that was found before the changes above `start` were read."""

    start: int | None


@dataclass(slots=True)
class TransactionOrder:
    """The changes above `start`, in their order, that were read so far.

    `follows`: no change is missing between `start` and the first one; else some may be.
    """

    start: int | None
    #: the last seq of each transaction, and the hash of each name
    lasts: Numbers = field(default_factory=Numbers)
    names: Numbers = field(default_factory=Numbers)
    open: str | None = None
    #: whether the newest change ends its transaction
    whole: bool = True
    newest: int | None = None
    follows: bool = True

    def __post_init__(self) -> None:
        self.newest = self.start if self.follows else None

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

    def extend(self, changes: Sequence[Record]) -> None:
        """Remember changes that come one after the other. Raises Unordered."""
        seqs = [change.seq for change in changes]
        txs = [change.tx for change in changes]
        plain = {*map(type, txs)} in ({str}, {_NONE})
        if not plain or any(c.op == "commit" or c.prev_seq is not None for c in changes):
            for change in changes:
                self.add(change)
            return
        before = -1 if self.newest is None else self.newest
        if seqs[0] <= before or not all(map(lt, seqs, islice(seqs, 1, None))):
            raise Unordered
        tx = txs[-1]
        if tx is None:
            self.lasts.extend(seqs)
        else:
            ends = [n for n, (one, other) in enumerate(pairwise(txs)) if one != other]
            ends.append(len(txs) - 1)
            lasts, names = [seqs[n] for n in ends], [hash(txs[n]) for n in ends]
            if txs[0] == self.open:
                self.lasts.change_last(lasts.pop(0))
                names.pop(0)
            self.lasts.extend(lasts)
            self.names.extend(names)
        self.newest, self.open, self.whole = seqs[-1], None if tx is None else str(tx), tx is None

    def extend_columns(
        self,
        seq: pyarrow.Int64Array,
        tx: pyarrow.StringArray,
        previous: pyarrow.Int64Array,
        is_commit: pyarrow.BooleanArray,
    ) -> None:
        """The same, told by columns. Raises Unordered."""
        newest = self.newest
        if newest is None:
            # Nothing is known of what comes before them.
            newest = -1
            previous = pyarrow.concat_arrays([pyarrow.array([None], previous.type), previous[1:]])
        before = pyarrow.concat_arrays([pyarrow.array([newest]), seq[:-1]])
        follows = compute.all(compute.less_equal(previous, before)).as_py() is not False
        if not follows or not compute.all(compute.greater(seq, before)).as_py():
            raise Unordered
        # A transaction ends with its commit, too: what follows then begins one.
        left_open = compute.if_else(is_commit, None, tx)
        opened = pyarrow.concat_arrays([pyarrow.array([self.open], tx.type), left_open[:-1]])
        begins = compute.fill_null(compute.not_equal(tx, opened), True)
        first = compute.index(begins, True).as_py()
        ends = pyarrow.concat_arrays([begins[1:], pyarrow.array([True])])
        lasts = seq.filter(ends)
        if first != 0:
            self.lasts.change_last(lasts[0].as_py())
            lasts = lasts[1:]
        self.lasts.extend(lasts.to_pylist())
        names = tx.filter(begins).drop_null()
        self.names.extend([hash(name) for name in names.to_pylist()])
        self.newest, self.open = seq[-1].as_py(), left_open[-1].as_py()
        self.whole = self.open is None

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
