"""Transactions of Debezium whose end is in the feed, but none of their changes: `Ends`.

Example
    ends at 1040, 1100 and 1180; of the second one nothing is here, and its table has a change
    behind 1100: a file of the table is gone, or comes late

The place of a transaction is the end of the one before it, or lies between that end and its own. A
target that has read no change of a table at or behind the former end has not read the transaction.
Where no later change of the table is here either, the table's file may still come.

Debezium
    TransactionMonitor.java; TransactionContext.java
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow
from msgspec import Struct
from pyarrow import compute, parquet

from filtersql.feeds.debezium_messages import Status
from filtersql.feeds.landings import Lasts
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.records import relation_name
from filtersql.feeds.staged_files import Bound, read_rows
from filtersql.names import RelationName

__all__ = ["END", "END_TX", "Ends", "Spans", "ends_behind", "lacks_whole", "spans_of"]

#: a file of ends: the number of the message, the transaction, the line, the place; -1: it begins
END = (pyarrow.int64(), pyarrow.string(), pyarrow.binary(), pyarrow.int64())
END_TX, _PLACE = "c1", "c3"
#: the first and the last place between which all changes of a table have to be here
Spans = Mapping[RelationName, tuple[int, int]]


class Ends(Struct, frozen=True):
    """The places of all ends, in their order."""

    places: Sequence[int]
    spans: Spans

    def missing(self, status: Status) -> Iterator[tuple[RelationName, int, int]]:
        """As in `lacks_whole`."""
        at = bisect_left(self.places, status.bucket)
        return lacks_whole(status, self.places[at - 1], self.spans) if at else iter(())


def spans_of(
    lasts: Lasts,
    snapshots: Mapping[RelationName, Collection[int]],
    ordered: Mapping[RelationName, int],
) -> Spans:
    """The spans of the tables that targets have.

    `lasts` was read before, `ordered` is the last place of each table's numbered changes.
    """
    return {
        table: (max((min(lasts[table]) >> SLOT_BITS) + 1, *snapshots.get(table, (0,))), last)
        for table, last in ordered.items()
        if table in lasts
    }


def lacks_whole(
    status: Status, before: int, spans: Spans
) -> Iterator[tuple[RelationName, int, int]]:
    """The tables whose changes in a transaction should be here, as in `Index.lacking`.

    `before` is the place of the end before its own. None of its changes is here.
    """
    for each in status.data_collections or []:
        name = relation_name(each.data_collection)
        if name is not None and name in spans:
            first, last = spans[name]
            if first <= before and status.bucket <= last:
                yield name, 0, each.event_count


def ends_behind(
    files: Sequence[Path], first: int, stop: int | None
) -> Iterator[tuple[int, int, bytes]]:
    """The place of an end from `first` on and below `stop`, and place and line of the next one."""
    files = [file for file in files if file.exists()]
    bounds: list[Bound] = [(_PLACE, ">=", first)]
    if stop is not None:
        nexts = (_first_place(file, stop) for file in files)
        bounds.append((_PLACE, "<=", min((at for at in nexts if at is not None), default=stop)))
    told = [(at, line) for file in files for _, _, line, at in read_rows(file, bounds)]
    before = {at: place for place, at in pairwise(sorted({at for at, _ in told}))}
    return ((before[at], at, line) for at, line in told if at in before)


def _first_place(file: Path, stop: int) -> int | None:
    """The first place of a file from one on."""
    later = parquet.read_table(file, columns=[_PLACE], filters=[(_PLACE, ">=", stop)])
    found: int | None = compute.min(later.column(0)).as_py()
    return found
