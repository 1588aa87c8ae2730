"""The changes of a large feed of Debezium, judged and staged: `take_placed`, `take_halves`.

Example
    3. take_placed(placing, portion)   the changes of a portion. Halves of UPDATEs that changed a
                                       key are put aside, as the other one may be in another file
    4. take_halves(placing, range)     the UPDATEs of these between two log positions

    debezium_places said before what their seqs are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow

from filtersql.feeds.blocks import blocks_of
from filtersql.feeds.debezium_changes import Read, message
from filtersql.feeds.debezium_messages import Status
from filtersql.feeds.debezium_places import Placing, messages_of
from filtersql.feeds.judged_portions import Taken, take_placed_blocks
from filtersql.feeds.placed import Range, seqs_of
from filtersql.feeds.places import Place
from filtersql.feeds.portions import Portion
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.records import Record
from filtersql.feeds.row_files import RowFile, read_rows
from filtersql.feeds.table_feeds import Found

__all__ = ["take_halves", "take_placed"]

_HALF = (pyarrow.int64(), pyarrow.binary())
_SEQ = "c0"


def take_placed(placing: Placing, portion: Portion) -> Taken:
    """Judge and stage the changes of a portion, and put halves aside."""
    halves = RowFile.at(_halves(placing, portion.number), _HALF)
    count = 0

    def records(mistakes: list[Found]) -> Iterator[tuple[Place, Record]]:
        nonlocal count
        changes = placing.changes()
        seqs = seqs_of(placing.share, portion.number)
        for number, (at, read) in enumerate(messages_of(portion, mistakes)):
            count = number + 1
            if number not in seqs:
                continue
            seq, half = seqs[number]
            if isinstance(read, Status):
                yield at, Record(seq, "commit", tx=read.tx)
            elif half:
                halves.add(seq, at[2])
            else:
                yield from changes.of(at, seq, read, read, mistakes)

    try:
        taken = take_placed_blocks(placing.share, f"{portion.number}.parquet", blocks_of(records))
    finally:
        halves.close()
    # A file that changed meanwhile has other numbers.
    return taken if count == placing.counts[portion.number] else Taken(usual=False)


def take_halves(placing: Placing, among: Range) -> Taken:
    """Judge and stage the UPDATEs of a range whose halves were put aside."""
    blocks = blocks_of(partial(_joined, placing, among))
    return take_placed_blocks(placing.share, f"halves-{among.number}.parquet", blocks)


def _joined(
    placing: Placing, among: Range, mistakes: list[Found]
) -> Iterator[tuple[Place, Record]]:
    """The UPDATEs of two halves each."""
    changes = placing.changes()
    waiting: dict[int, Read] = {}
    for portion in among.portions:
        path = _halves(placing, portion)
        for seq, line in read_rows(path, among.bounds(_SEQ, SLOT_BITS)):
            read = message(line)
            assert isinstance(read, Read)  # as when it was put aside
            if seq not in waiting:
                waiting[seq] = read
                continue
            other = waiting.pop(seq)
            old, new = (other, read) if read.event.op == "c" else (read, other)
            yield from changes.of(("", 0, line), seq, old, new, mistakes)


def _halves(placing: Placing, portion: int) -> Path:
    return placing.share.folder / "halves" / f"{portion}.parquet"
