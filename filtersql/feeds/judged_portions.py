"""Judging and staging a portion of a feed, or of a source, by itself: `take(share, portion)`.

Example
    ======================= ==============================================
    in the folder           holds
    ======================= ==============================================
    changes-0/3.parquet     what portion 3 has for the first target
    ends/3.parquet          at which numbers its transactions end
    names/3.parquet         the numbers of their names
    ======================= ==============================================

    What judges a whole feed judges each segment. Where that finds a mistake, or an order that is
    not the usual one, nothing of the portions is used: one reader reads the feed again, and says
    what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow
from msgspec import Struct
from msgspec.structs import replace

from filtersql.errors import Mistakes
from filtersql.feeds.blocks import Block, blocks_of
from filtersql.feeds.column_blocks import Blocks, ColumnBlock
from filtersql.feeds.intake import Intake
from filtersql.feeds.landings import Share, SourceShare
from filtersql.feeds.native_columns import ColumnReader, column_blocks
from filtersql.feeds.places import PlacedMistake
from filtersql.feeds.portions import Portion
from filtersql.feeds.rows import take_source_rows
from filtersql.feeds.segments import Segment, grown
from filtersql.feeds.staged_files import StagedFile
from filtersql.feeds.staging import RowStage
from filtersql.feeds.table_feeds import Changes, Row
from filtersql.feeds.transaction_order import KnownOrder, TransactionOrder, Unordered
from filtersql.names import RelationName

__all__ = [
    "ENDS",
    "NAMES",
    "Portioned",
    "Taken",
    "file_of",
    "take",
    "take_placed_blocks",
    "take_rows",
    "take_segments",
    "take_source",
    "write_orders",
]

#: blocks in their order; None where something goes on in the next portion
Portioned = Callable[[list[PlacedMistake]], Iterator[Block | ColumnBlock | None]]
#: folders of the numbers at which transactions end, and of the numbers of their names
ENDS, NAMES = "ends", "names"


class Taken(Struct, frozen=True):
    """What was made of a portion; `usual` False: nothing of it may be used."""

    usual: bool
    segments: Sequence[Segment] = ()
    total: int = 0
    unpublished: int = 0
    read: Sequence[int] = ()
    skipped: Sequence[int] = ()
    truncates: Sequence[bool] = ()
    #: as in Tally
    newest: Mapping[RelationName, int] = {}
    #: equal in two processes that give a transaction's name the same number
    hashed: int = 0
    #: the last seq of each file of DMS
    lasts: Mapping[str, int] = {}


def file_of(folder: Path, index: int, name: str) -> Path:
    """The file of a target for what a portion holds, in the target's folder."""
    return folder / f"changes-{index}" / name


def take(share: Share, portion: Portion) -> Taken:
    """Judge and stage a portion."""
    segments = [
        (each.file.shown, partial(column_blocks, each.chunks(), ColumnReader(share.catalog)))
        for each in portion.pieces
    ]
    return take_segments(share, portion.number, segments)


def take_rows(share: Share, changes: Changes, number: int, rows: Iterator[Row]) -> Taken:
    """The same for rows of a feed that is a table, in its order."""
    blocks = blocks_of(lambda mistakes: changes(rows, mistakes))
    return take_segments(share, number, [("", blocks)])


def take_segments(share: Share, number: int, segments: Sequence[tuple[str, Portioned]]) -> Taken:
    """The same for blocks of changes, each with the file that it is from."""
    name = f"{number}.parquet"
    intake = _intake(share, name, TransactionOrder(share.start, follows=False))
    mistakes = intake.tally.mistakes
    taken: list[Segment] = []
    orders: list[TransactionOrder] = []
    try:
        for file, blocks in segments:
            order = TransactionOrder(share.start, follows=False)
            intake.taker = replace(intake.taker, order=order)
            segment = Segment(file)
            for block in blocks(mistakes):
                if block is None or mistakes:
                    return Taken(usual=False)
                intake.take(block)
                segment = grown(segment, block, order)
            taken.append(segment)
            orders.append(order)
        intake.close(rows_only=True)
    except (Mistakes, Unordered):
        return Taken(usual=False)
    write_orders(share, name, orders)
    return _taken(intake, taken)


def take_placed_blocks(share: Share, name: str, blocks: Blocks) -> Taken:
    """Judge and stage changes whose places are known, into files of a name."""
    intake = _intake(share, name, KnownOrder(share.start))
    try:
        for block in blocks(intake.tally.mistakes):
            if intake.tally.mistakes:
                return Taken(usual=False)
            intake.take(block)
        intake.close(rows_only=True)
    except Mistakes:
        return Taken(usual=False)
    return _taken(intake)


def write_orders(share: Share, name: str, orders: Sequence[TransactionOrder]) -> None:
    """Where transactions end, and the numbers of their names, into files of a name."""
    for kind in (ENDS, NAMES):
        file = StagedFile(share.folder / kind / name, [pyarrow.int64()])
        for order in orders:
            for array in (order.lasts if kind == ENDS else order.names).arrays():
                file.write([array])
        file.close(rows_only=True)


def take_source(share: SourceShare, portion: Portion) -> bool:
    """Judge and stage the rows of a portion of a source; False: nothing that may be used."""
    path = share.folder / f"{portion.number}.parquet"
    stage = RowStage(share.compiled, share.engine, path)
    try:
        take_source_rows(portion.chunks(), stage, share.table)
        stage.close(rows_only=True)
    except Mistakes:
        return False
    return not stage.mistakes


def _intake(share: Share, name: str, order: TransactionOrder | KnownOrder) -> Intake:
    return Intake.opened(share, order, lambda index: file_of(share.folder, index, name))


def _taken(intake: Intake, segments: Sequence[Segment] = ()) -> Taken:
    tally = intake.tally
    counts = (tally.total, tally.unpublished, tally.read, tally.skipped)
    told = (*counts, intake.truncates, tally.newest)
    return Taken(not tally.mistakes, segments, *told, hash(NAMES))
