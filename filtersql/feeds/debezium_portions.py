"""The changes of a large feed of Debezium, judged and staged: `take_placed`, `take_halves`.

Example
    3. take_placed(placing, portion)   the changes of a portion. Halves of UPDATEs that changed a
                                       key are put aside, as the other one may be in another file
    4. take_halves(placing, range)     the UPDATEs of these between two log positions

    debezium_places said before what their seqs are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path

import pyarrow

from filtersql.errors import Mistakes
from filtersql.errors.feeds import FILE_CHANGED
from filtersql.feeds.blocks import Block, blocks_of, in_blocks
from filtersql.feeds.column_blocks import ColumnBlock
from filtersql.feeds.debezium_changes import Changes, Read, message, messages_in, numbered_chunks
from filtersql.feeds.debezium_columns import ColumnReader
from filtersql.feeds.debezium_messages import Status
from filtersql.feeds.debezium_places import Placing
from filtersql.feeds.judged_portions import Taken, take_placed_blocks
from filtersql.feeds.lines import Chunk
from filtersql.feeds.placed import Range, seqs_of
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.portions import Portion
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.records import Record
from filtersql.feeds.staged_files import RowFile, read_rows

__all__ = ["take_halves", "take_placed"]

_HALF = (pyarrow.int64(), pyarrow.binary())
_SEQ = "c0"


def take_placed(placing: Placing, portion: Portion) -> Taken:
    """Judge and stage the changes of a portion, and put halves aside."""
    halves = RowFile.at(_halves(placing, portion.number), _HALF)

    def blocks(mistakes: list[PlacedMistake]) -> Iterator[Block | ColumnBlock]:
        reader = ColumnReader(placing.changes())
        for chunk, numbered in _chunks(placing, portion):
            seqs = pyarrow.array([seq for seq, _ in numbered], pyarrow.int64())
            parted = any(half for _, half in numbered)
            columns = None if parted else reader.read(chunk, seqs)
            if columns is None:
                every = _one_by_one(chunk, numbered, halves, reader.changes, mistakes)
                yield from in_blocks(every)
                continue
            yield columns.block
            yield from in_blocks(_apart(columns.apart, reader.changes, mistakes))

    try:
        return take_placed_blocks(placing.share, f"{portion.number}.parquet", blocks)
    finally:
        halves.close()


def _chunks(placing: Placing, portion: Portion) -> Iterator[tuple[Chunk, list[tuple[int, bool]]]]:
    """The lines, and of each message its seq (-1: it is passed over) and whether it is a half."""
    seqs, counts = seqs_of(placing.share, portion.number), placing.counts[portion.number]
    shown = portion.pieces[-1].file.shown
    for chunk, numbers in numbered_chunks(portion.chunks(), counts, shown):
        yield chunk, [seqs.get(number, (-1, False)) for number in numbers]


def _apart(
    lines: Iterable[tuple[Place, int]], changes: Changes, mistakes: list[PlacedMistake]
) -> Iterator[tuple[Place, Record]]:
    for at, seq in lines:
        read = message(at[2])
        if seq >= 0 and isinstance(read, Read):
            yield from changes.of(at, seq, read, read, mistakes)


def _one_by_one(
    chunk: Chunk,
    numbered: Iterable[tuple[int, bool]],
    halves: RowFile,
    changes: Changes,
    mistakes: list[PlacedMistake],
) -> Iterator[tuple[Place, Record]]:
    for message_read, known in zip_longest(messages_in(chunk, mistakes), numbered):
        if message_read is None or known is None:
            raise Mistakes([FILE_CHANGED(path=chunk.shown)])
        (at, read), (seq, half) = message_read, known
        if seq < 0:
            continue
        if isinstance(read, Status):
            yield at, Record(seq, "commit", tx=read.tx)
        elif half:
            halves.add(seq, at[2])
        else:
            yield from changes.of(at, seq, read, read, mistakes)


def take_halves(placing: Placing, among: Range) -> Taken:
    """Judge and stage the UPDATEs of a range whose halves were put aside."""
    blocks = blocks_of(partial(_joined, placing, among))
    return take_placed_blocks(placing.share, f"halves-{among.number}.parquet", blocks)


def _joined(
    placing: Placing, among: Range, mistakes: list[PlacedMistake]
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
