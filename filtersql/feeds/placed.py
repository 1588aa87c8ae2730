"""Where the changes of a large feed stand whose lines are not in their order: `Places`.

Example
    ranges([(0, 10, 40), (1, 30, 90)])   portion 0 has buckets 10 to 40, portion 1 30 to 90:
                                         the range from 10 of portion 0, that from 30 of both
    places.add(seq, 33, name, (0, 17))   in bucket 33, the change of number 17 in portion 0
    places.settle(share, one)            the order of a range; into files what its seqs are
    seqs_of(share, 0)                    all of these of portion 0: {17: (seq, False), …}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow
from msgspec import Struct, field

from filtersql.feeds.judged_portions import write_orders
from filtersql.feeds.landings import Share
from filtersql.feeds.placed_order import ends_of_places
from filtersql.feeds.segments import Segment
from filtersql.feeds.staged_files import Bound, RowFile, read_rows
from filtersql.feeds.transaction_order import TransactionOrder
from filtersql.names import RelationName

__all__ = ["Placed", "Places", "Range", "ranges", "seqs_of"]

#: number in the portion, seq, whether it is one of two halves
_PLACE = (pyarrow.int64(), pyarrow.int64(), pyarrow.bool_())


class Range(Struct, frozen=True):
    """Buckets of changes, up to `stop` (None: all), and the portions that have changes there."""

    number: int
    first: int
    stop: int | None
    portions: Sequence[int]

    def bounds(self, column: str, bits: int = 0) -> list[Bound]:
        """The bounds of a column of buckets, or of numbers that have so many bits more."""
        found: list[Bound] = [(column, ">=", self.first << bits)]
        return found if self.stop is None else [*found, (column, "<", self.stop << bits)]


class Placed(Struct, frozen=True):
    """Where the changes of a range stand; `usual` False: nothing of it may be used."""

    usual: bool
    segment: Segment = Segment("")
    halves: int = 0
    #: places at which a change came again, and the last seqs of the places that were asked for
    repeated: Sequence[int] = ()
    ends: Mapping[int, int] = {}


class Places(Struct):
    """The places of the changes of a range: of each portion, and in their order."""

    #: a seq has so many bits more than its bucket
    bits: int
    rows: dict[int, list[tuple[int, int, bool]]] = field(default_factory=dict)
    #: seq, bucket, op, table
    changes: list[tuple[int, int, str, RelationName | None]] = field(default_factory=list)
    halves: int = 0
    repeated: set[int] = field(default_factory=set)
    ends: Mapping[int, int] = {}

    def add(
        self,
        seq: int,
        bucket: int,
        table: RelationName | None,
        *parts: tuple[int, int],
        op: str = "",
    ) -> None:
        """Take a change, by the portions and numbers of its row or its two halves."""
        half = len(parts) > 1
        for portion, number in parts:
            self.rows.setdefault(portion, []).append((number, seq, half))
        self.changes.append((seq, bucket, op, table))
        self.halves += half

    def settle(self, share: Share, among: Range) -> Placed:
        """Write the seqs for each portion, and where transactions end."""
        found = self._order(share.start)
        if found is None:
            return Placed(usual=False)
        order, segment = found
        name = f"{among.number}.parquet"
        for portion, some in self.rows.items():
            file = RowFile.at(_folder(share, portion) / name, _PLACE)
            file.rows += some
            file.close()
        write_orders(share, name, [order])
        return Placed(True, segment, self.halves, sorted(self.repeated), self.ends)

    def _order(self, start: int | None) -> tuple[TransactionOrder, Segment] | None:
        """The order of changes above the start; None where two of one table share a number."""
        order, segment = TransactionOrder(start, follows=False), Segment("")
        if not self.changes:
            return order, segment
        every, buckets, _, tables = zip(*self.changes, strict=True)
        if len({*zip(every, tables, strict=True)}) < len(every):
            return None
        if [seq >> self.bits for seq in every] != [*buckets]:
            return None
        seqs = sorted(seq for seq in every if start is None or seq > start)
        if seqs:
            order.lasts.extend(ends_of_places(seqs, self.bits))
            ops = {op for seq, bucket, op, _ in self.changes if bucket == seqs[-1] >> self.bits}
            whole = "commit" in ops or ops == {"r"}
            segment = Segment("", first=seqs[0], last=seqs[-1], whole=whole)
        return order, segment


def ranges(spans: Iterable[tuple[int, int, int]], together: int = -1) -> list[Range]:
    """All buckets, in not more ranges than portions; those up to `together` are in one.

    A span is a portion, its first bucket and its last one.
    """
    known = list(spans)
    firsts = sorted({first if first > together else 0 for _, first, _ in known})
    return [
        Range(number, first, stop, [
            portion for portion, begin, end in known
            if end >= first and (stop is None or begin < stop)
        ])
        for number, (first, stop) in enumerate(zip(firsts, [*firsts, None][1:], strict=True))
    ]  # fmt: skip


def seqs_of(share: Share, portion: int) -> dict[int, tuple[int, bool]]:
    """The seq of each change of a portion, by its number, and whether it is one of two halves."""
    return {
        number: (seq, half)
        for path in sorted(_folder(share, portion).glob("*"))
        for number, seq, half in read_rows(path)
    }


def _folder(share: Share, portion: int) -> Path:
    return share.folder / "places" / str(portion)
