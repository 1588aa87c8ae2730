"""The adapter of each feed format that is read from files: `open_files(feed, catalog, files)`.

Example
    opened = open_files(feed, catalog, files)
    read(opened.records, catalog, landings, engine, folder, closed=opened.closed)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from filtersql.catalog import Catalog
from filtersql.definitions.formats import FORMATS
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import LOST_BEGINNING
from filtersql.feeds import debezium, native
from filtersql.feeds.blocks import Block, Blocks
from filtersql.feeds.column_blocks import ColumnBlock, ColumnReader
from filtersql.feeds.dms import Dms
from filtersql.feeds.dms_rows import RANK_BITS
from filtersql.feeds.landings import (
    Landing,
    all_needed,
    lowest_position,
    lowest_reached,
    places_of,
)
from filtersql.feeds.lines import FeedFile, chunks
from filtersql.feeds.places import Place, Records
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.records import Record
from filtersql.feeds.wal2json import Wal2json

__all__ = ["Opened", "is_consumed", "lands_apart", "open_files", "own_position", "place_bits"]


_Block = TypeVar("_Block", Block, Block | ColumnBlock)

#: of formats whose changes are numbered by what was read of their place: bits of these numbers
_NUMBERED = {"debezium": SLOT_BITS, "dms": RANK_BITS}
_KEEP = (
    "Keep the files that hold a target's last transaction, or let Debezium number changes:"
    " provide.transaction.metadata."
)


class Opened(Struct, frozen=True):
    """Files that are ready to be read, as often as it takes.

    `closed`: nothing more belongs to their last transaction, though no commit record ends it.
    `last`: the last seq in each file, by its shown name; it is known after a read.
    `blocks` gives what `records` gives, where a format can be read so.
    """

    records: Records
    closed: bool
    last: Mapping[str, int]
    blocks: Blocks | None = None


def open_files(
    feed: Feed,
    catalog: Catalog,
    files: Sequence[FeedFile],
    landings: Sequence[Landing] = (),
) -> Opened:
    """The files of a feed through the adapter of its format, for some targets.

    Values of columns that no target needs need not be told; without targets all are.
    """
    lowest, needed = lowest_reached(landings), all_needed(landings) if landings else None
    match feed.format:
        case "debezium":
            start = lowest_position(landings)
            stands = (lowest, needed, -1 if start is None else start)
            opened = debezium.open_feed(files, feed, catalog, *stands)
            if lowest >= 0 and opened.index.lacks_beginning(lowest):
                raise Mistakes([LOST_BEGINNING(seq=lowest, hint=_KEEP)])
            return Opened(opened.records, opened.closed, opened.index.last())
        case "dms":
            read = places_of(landings, catalog, RANK_BITS)
            found = Dms(files, feed, catalog, lowest, needed, read).index()
            return Opened(found.records, True, found.last)
        case "wal2json":
            stream = Wal2json(files, feed, catalog, lowest, needed)
            return Opened(stream.records, False, stream.last)
        case _:
            return _native(files, catalog)


def place_bits(feed: Feed) -> int | None:
    """How many bits number the changes of a place; None where each change tells its own seq."""
    return _NUMBERED.get(feed.format)


def is_consumed(feed: Feed, last: int, landings: Sequence[Landing]) -> bool:
    """Whether a file whose last seq is known need not be opened: all targets are beyond it."""
    lowest, bits = lowest_reached(landings), place_bits(feed)
    if bits is None:
        return last <= lowest
    # What a target has read last may go on, and all that there is of it gives the numbers: but for
    # the full load of DMS, at 0.
    stands = (lowest, *(one.position for one in landings))
    going_on = {position >> bits for position in stands if position is not None}
    return last < lowest and last >> bits not in going_on - {0}


def lands_apart(feed: Feed | None) -> bool:
    """Whether files land by themselves: a change may come when others behind it are applied."""
    return feed is not None and FORMATS[feed.format].lands_apart


def own_position(feed: Feed | None, newest: int | None, reached: int | None) -> int | None:
    """Where a target stands whose last change is `newest`, of a feed that was read to `reached`.

    Where files land apart, what lies between may still come.
    """
    if feed is None or reached is None or not lands_apart(feed):
        return reached
    return None if newest is None else min(newest, reached)


def _native(files: Sequence[FeedFile], catalog: Catalog) -> Opened:
    last: dict[str, int] = {}

    def seen(blocks: Iterable[_Block]) -> Iterator[_Block]:
        for block in blocks:
            last[block.shown] = max(block.newest, last.get(block.shown, -1))
            yield block

    def blocks(mistakes: list[tuple[Place, Mistake]]) -> Iterator[Block | ColumnBlock]:
        found = (chunk for file in files for chunk in chunks(file))
        return seen(native.column_blocks(found, ColumnReader(catalog), mistakes))

    def records(mistakes: list[tuple[Place, Mistake]]) -> Iterator[tuple[Place, Record]]:
        for block in seen(native.blocks_from_files(files, mistakes)):
            yield from zip(block.places, block.records, strict=True)

    return Opened(records, True, last, blocks)
