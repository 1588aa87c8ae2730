"""The adapter of each feed format that is read from files: `open_files(feed, catalog, files)`.

Example
    opened = open_files(feed, catalog, files)
    read(opened.records, share, closed=opened.closed)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from filtersql.catalog import Catalog
from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feeds import LOST_BEGINNING
from filtersql.feeds import debezium, native
from filtersql.feeds.blocks import Block
from filtersql.feeds.column_blocks import Blocks, ColumnBlock
from filtersql.feeds.dms import Dms
from filtersql.feeds.dms_rows import RANK_BITS
from filtersql.feeds.held import Counted, Held
from filtersql.feeds.landings import Landing, all_needed, lasts_of, lowest_position, lowest_reached
from filtersql.feeds.lines import FeedFile, chunks
from filtersql.feeds.native_columns import ColumnReader, column_blocks
from filtersql.feeds.placed_order import PlacedOrder
from filtersql.feeds.places import PlacedMistake, Records
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.wal2json import Wal2json
from filtersql.names import RelationName

__all__ = [
    "KEEP",
    "Consumption",
    "Opened",
    "end_of_place",
    "open_files",
    "own_position",
    "place_bits",
    "placed_order",
]


#: formats in which the files of each table land by themselves, so that a change may come behind
#: later ones of other tables: how many bits number the changes of a place
_NUMBERED = {"debezium": SLOT_BITS, "dms": RANK_BITS}
KEEP = (
    "Keep the files that hold a target's last transaction, or let Debezium number changes:"
    " provide.transaction.metadata."
)


class Opened(Struct, frozen=True):
    """Files that are ready to be read, as often as it takes.

    `closed`: nothing more belongs to their last transaction, though no commit record ends it.
    `last`: the last seq in each file, by its shown name; it is known when `blocks` was read, or
    `records` where there are none. `held`: what each file has of each table.
    """

    records: Records
    closed: bool
    last: Mapping[str, int]
    #: what `records` gives, where a format can be read so
    blocks: Blocks | None = None
    held: Mapping[str, tuple[Held, ...]] = {}
    #: the places of the snapshots of each table
    snapshots: Mapping[RelationName, Collection[int]] = {}


def open_files(
    feed: Feed,
    catalog: Catalog,
    files: Sequence[FeedFile],
    landings: Sequence[Landing] = (),
    counted: Counted | None = None,
) -> Opened:
    """The files of a feed through the adapter of its format, for some targets.

    `counted` are changes of files that are not opened again.
    Values of columns that no target needs need not be told; without targets all are.
    """
    needed = all_needed(landings)
    match feed.format:
        case "debezium":
            opened = debezium.open_feed(files, feed, catalog, landings, counted or {})
            index = opened.index
            if (lost := index.lacks_beginning(opened.lasts)) is not None:
                raise Mistakes([LOST_BEGINNING(seq=lost, hint=KEEP)])
            told = (opened.closed, index.last(), opened.blocks, index.held(), index.snapshots)
            return Opened(opened.records, *told)
        case "dms":
            found = Dms(files, feed, catalog, lasts_of(landings), needed, counted or {}).index()
            return Opened(found.records, True, found.last, found.blocks, found.held)
        case "wal2json":
            stream = Wal2json(files, feed, catalog, lowest_reached(landings), needed)
            return Opened(stream.records, False, stream.last)
        case _:
            return _native(files, catalog)


def place_bits(feed: Feed | None) -> int | None:
    """How many bits number the changes of a place; None where each change tells its own seq."""
    return None if feed is None else _NUMBERED.get(feed.format)


def end_of_place(feed: Feed | None, seq: int) -> int:
    """The last seq of the place that a seq is in: a reader that got there has all of the place."""
    bits = place_bits(feed)
    return seq if bits is None else seq | ((1 << bits) - 1)


def placed_order(feed: Feed, landings: Sequence[Landing]) -> PlacedOrder | None:
    """The order of changes that are numbered by place; None where each tells its own seq."""
    bits = place_bits(feed)
    if bits is None:
        return None
    # DMS gives each row that it writes a number of its own.
    return PlacedOrder(lowest_position(landings), bits, feed.format != "dms")


class Consumption(Struct, frozen=True):
    """Which files of a feed need not be opened: all targets are beyond them."""

    lowest: int
    #: how many bits number the changes of a place; None: each tells its own seq
    bits: int | None
    #: the places of each table that may go on: what a target has read of it last, or stands at
    going_on: Mapping[RelationName, frozenset[int]] = {}

    @classmethod
    def of(cls, feed: Feed, landings: Sequence[Landing]) -> Consumption:
        """Which files of a feed some targets have consumed."""
        bits, places = place_bits(feed), dict[RelationName, frozenset[int]]()
        if bits is None:
            return cls(lowest_reached(landings), None)
        for one in landings:
            stands = -1 if one.position is None else one.position
            for table in one.compiled.sources:
                own = {seq >> bits for seq in (stands, one.last_of(table))}
                places[table] = places.get(table, frozenset()) | own
        return cls(lowest_reached(landings), bits, places)

    def covers(self, last: int, held: Sequence[Held] | None) -> bool:
        """Whether a file is consumed whose last seq is known, and what it holds."""
        if last > self.lowest or self.bits is None:
            return last <= self.lowest
        if held is None:  # an earlier version did not say
            every = {self.lowest >> self.bits}.union(*self.going_on.values())
            return last < self.lowest and last >> self.bits not in every - {0}
        # All that there is of a place gives numbers to what comes there.
        return not any(
            each.rows is None and each.place in self.going_on.get(each.table, ()) for each in held
        )


def own_position(feed: Feed | None, newest: int | None, reached: int | None) -> int | None:
    """The position of a target whose last change is `newest`, of a feed that was read to `reached`.

    Where files land apart, changes between the two may still come: then it is that of `newest`.
    """
    if reached is None or place_bits(feed) is None:
        return reached
    return None if newest is None else min(newest, reached)


def _native(files: Sequence[FeedFile], catalog: Catalog) -> Opened:
    last: dict[str, int] = {}

    def blocks(mistakes: list[PlacedMistake]) -> Iterator[Block | ColumnBlock]:
        found = (chunk for file in files for chunk in chunks(file))
        for block in column_blocks(found, ColumnReader(catalog), mistakes):
            last[block.shown] = max(block.newest, last.get(block.shown, -1))
            yield block

    return Opened(partial(native.from_files, files), True, last, blocks)
