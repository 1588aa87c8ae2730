"""A large feed in portions, each of which is read by itself: `portions(files)`, `take(share, one)`.

Example
    ========== ======== ======= ======= ====================================================
    portion    file     first   last
    ========== ======== ======= ======= ====================================================
    0          a.jsonl  1       40000   ends within a transaction …
    1          a.jsonl  40001   60000   … which goes on here: it is one
    2          b.jsonl  60001   70000   small files share a portion; each is a segment of it
    2          c.jsonl  70001   80000
    ========== ======== ======= ======= ====================================================

    What judges a whole feed judges each segment. Where that finds a mistake, or an order that is
    not the usual one, nothing of the portions is used: one reader reads the feed again, and says
    what is wrong and where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise, repeat
from pathlib import Path

import pyarrow
from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import Catalog, Table
from filtersql.errors import Mistakes
from filtersql.feeds.blocks import Block, blocks_of
from filtersql.feeds.images import Landing
from filtersql.feeds.intake import Intake
from filtersql.feeds.lines import FeedFile, line_blocks, lines
from filtersql.feeds.native import sound_block
from filtersql.feeds.ordered_runs import Runs, Unordered
from filtersql.feeds.rows import row_stage, take_source_rows
from filtersql.feeds.staging import StagedFile
from filtersql.feeds.table_feeds import Changes, Found, Row
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = [
    "ENDS",
    "NAMES",
    "Chain",
    "Portion",
    "Share",
    "SourceShare",
    "Taken",
    "chained",
    "file_of",
    "portions",
    "take",
    "take_rows",
    "take_source",
]

_Blocks = Callable[[list[Found]], Iterator[Block | None]]

#: folders of the numbers at which transactions end, and of the numbers of their names
ENDS, NAMES = "ends", "names"
_BYTES = 16 * 2**20


class Piece(Struct, frozen=True):
    """The lines of a file that begin in a range of its bytes; `stop` None: to its end."""

    file: FeedFile
    start: int = 0
    stop: int | None = None


class Portion(Struct, frozen=True):
    """What is read by itself; no other portion has its number."""

    number: int
    pieces: Sequence[Piece]


class Share(Struct, frozen=True):
    """What all who read are told. `folder` takes what is staged: all of them must see it."""

    catalog: Catalog
    landings: Sequence[Landing]
    engine: Engine
    folder: Path
    start: int | None


class SourceShare(Struct, frozen=True):
    """The same for the rows of a source."""

    compiled: CompiledTable
    table: Table
    engine: Engine
    folder: Path


class Segment(Struct, frozen=True):
    """Changes of one piece; those above the start have an order."""

    file: str
    #: the largest seq, of changes at or below the start, too
    newest: int = -1
    first: int | None = None
    #: prev_seq and transaction of the first change
    previous: int | None = None
    transaction: str | None = None
    last: int | None = None
    #: the transaction that the last change leaves open
    open: str | None = None
    #: whether the last change ends its transaction
    whole: bool = True


class Taken(Struct, frozen=True):
    """What was made of a portion; `usual` False: nothing that may be used."""

    usual: bool
    segments: Sequence[Segment] = ()
    total: int = 0
    unpublished: int = 0
    read: Sequence[int] = ()
    skipped: Sequence[int] = ()
    transactions: int = 0
    #: equal in two processes that give a transaction's name the same number
    hashed: int = 0


class Chain(Struct, frozen=True):
    """Segments that follow each other: `inner` are ends of segments within a transaction."""

    last: int | None
    whole: bool
    inner: frozenset[int]


def portions(files: Sequence[FeedFile]) -> list[Portion]:
    """All lines of some files, in portions of some megabytes."""
    found: list[list[Piece]] = []
    size = _BYTES
    for file in files:
        for piece in _pieces(file):
            if size >= _BYTES:
                found.append([])
                size = 0
            found[-1].append(piece)
            size += (file.size if piece.stop is None else piece.stop) - piece.start
    return [Portion(number, pieces) for number, pieces in enumerate(found)]


def file_of(folder: Path, index: int, name: str) -> Path:
    """The file of a target for what a portion holds, in the target's folder."""
    return folder / f"changes-{index}" / name


def take(share: Share, portion: Portion) -> Taken:
    """Judge and stage a portion."""
    return _take(
        share, portion.number, [(p.file.shown, partial(_blocks, p)) for p in portion.pieces]
    )


def take_rows(share: Share, changes: Changes, number: int, rows: Iterator[Row]) -> Taken:
    """The same for rows of a feed that is a table, in its order."""
    blocks = blocks_of(lambda mistakes: changes(rows, mistakes))
    return _take(share, number, [("", blocks)])


def _take(share: Share, number: int, segments: Sequence[tuple[str, _Blocks]]) -> Taken:
    name = f"{number}.parquet"
    intake = Intake.opened(
        share.catalog,
        share.landings,
        share.engine,
        Runs(share.start, follows=False),
        lambda index: file_of(share.folder, index, name),
    )
    mistakes = intake.tally.mistakes
    numbers = [StagedFile(share.folder / kind / name, [pyarrow.int64()]) for kind in (ENDS, NAMES)]
    taken: list[Segment] = []
    transactions = 0
    try:
        for file, blocks in segments:
            order = Runs(share.start, follows=False)
            intake.taker = replace(intake.taker, order=order)
            segment = Segment(file)
            for block in blocks(mistakes):
                if block is None or mistakes:
                    return Taken(usual=False)
                intake.take(block)
                segment = _grown(segment, block, order)
            taken.append(segment)
            transactions += order.names.count
            for written, found in zip(numbers, (order.lasts, order.names), strict=True):
                for array in found.arrays():
                    written.write([array])
        intake.close(rows_only=True)
    except (Mistakes, Unordered):
        return Taken(usual=False)
    finally:
        for written in numbers:
            written.close(rows_only=True)
    tally = intake.tally
    counts = (tally.total, tally.unpublished, tally.read, tally.skipped, transactions)
    return Taken(not mistakes, taken, *counts, hash(NAMES))


def take_source(share: SourceShare, portion: Portion) -> bool:
    """Judge and stage the rows of a portion of a source; False: nothing that may be used."""
    path = share.folder / f"{portion.number}.parquet"
    stage = row_stage(share.compiled, share.engine, path)
    places = (
        (piece.file.shown, *line)
        for piece in portion.pieces
        for line in lines(piece.file, piece.start, piece.stop)
    )
    try:
        take_source_rows(places, stage, share.table)
        stage.close(rows_only=True)
    except Mistakes:
        return False
    return not stage.mistakes


def chained(taken: Sequence[Taken], start: int | None) -> Chain | None:
    """The segments of all portions, one behind the other; None where they do not follow so."""
    found = [one for each in taken for one in each.segments if one.first is not None]
    found.sort(key=lambda one: (one.first, one.last))
    inner: set[int] = set()
    last, going_on = start, None
    for one in found:
        first, previous = one.first or 0, one.previous
        if last is not None and (first <= last or (previous is not None and previous > last)):
            return None
        if last is not None and one.transaction is not None and one.transaction == going_on:
            inner.add(last)
        last, going_on = one.last, one.open
    newest = found[-1] if found else None
    whole = newest is None or newest.whole
    return Chain(None if newest is None else newest.last, whole, frozenset(inner))


def _pieces(file: FeedFile) -> Iterator[Piece]:
    if file.path.suffix == ".gz" or file.size <= _BYTES:
        yield Piece(file)
        return
    places = [*range(0, file.size, _BYTES), file.size]
    for start, stop in pairwise(places):
        yield Piece(file, start, stop)


def _blocks(piece: Piece, _: list[Found]) -> Iterator[Block | None]:
    """The blocks of a piece; None for one whose lines have to be looked at one by one."""
    for numbers, some in line_blocks(piece.file, piece.start, piece.stop):
        yield sound_block(list(zip(repeat(piece.file.shown), numbers, some)), some)


def _grown(segment: Segment, block: Block, order: Runs) -> Segment:
    """The segment with one more block."""
    if not block.records:
        return segment
    newest = max(segment.newest, max(change.seq for change in block.records))
    segment = replace(segment, newest=newest)
    if order.last is None:
        return segment
    if segment.first is None:
        start = -1 if order.start is None else order.start
        first = next(change for change in block.records if change.seq > start)
        transaction = None if first.tx is None else str(first.tx)
        segment = replace(
            segment, first=first.seq, previous=first.prev_seq, transaction=transaction
        )
    return replace(segment, last=order.last, open=order.open, whole=order.whole)
