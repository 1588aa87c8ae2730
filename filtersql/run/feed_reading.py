"""Where a run reads a subscription's changes: files, or a table of the engine.

Example
    changes: {format: filtersql, path: "changes/*.jsonl"}      JSON lines
    changes: {format: filtersql, table: lake.changes}          a table of the engine
    changes: {format: wal2json, table: lake.bronze, column: value, order: offset}
    changes: {postgres: erp}                                   what `capture` wrote
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp, select

from filtersql.definitions.model import Feed, Subscription
from filtersql.errors import Mistakes
from filtersql.errors.applying import NOTHING_TO_READ
from filtersql.errors.feeds import LOST_BEGINNING
from filtersql.errors.live import NOTHING_CAPTURED, SLOT_ANEW
from filtersql.feeds.changes import Reading, read
from filtersql.feeds.debezium_snapshots import read_before
from filtersql.feeds.formats import KEEP, Opened, open_files, place_bits, placed_order
from filtersql.feeds.held import Seen
from filtersql.feeds.lake import KEPT_OF_TABLE, LakeFeed
from filtersql.feeds.landings import Landing, Share, lasts_of
from filtersql.feeds.lines import FeedFile, while_written
from filtersql.feeds.places import Place, PlacedMistake, Records
from filtersql.feeds.records import Record
from filtersql.feeds.table_feeds import TableFeed
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.engine_tables import LAKES, refusals_of_lakes, table_feed
from filtersql.run.fetching import fetched, found_files, pending_files
from filtersql.run.ledger_entry import SeenFile
from filtersql.run.message_tables import message_table
from filtersql.run.model import Inputs
from filtersql.run.read_places import check_read_places
from filtersql.run.spread_feeds import spread_feed, spread_table
from filtersql.run.spread_formats import Spread
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine

__all__ = ["FeedRead", "change_columns", "check_reads", "no_changes", "read_feed"]


class FeedRead(Struct, frozen=True):
    """What a feed held, and the files that need not be opened again."""

    reading: Reading
    #: reads the changes again
    records: Records
    files: tuple[SeenFile, ...] = ()
    #: all files that are there, those that were not opened, too
    present: frozenset[str] = frozenset()
    #: as in Opened
    snapshots: Mapping[RelationName, Collection[int]] = {}
    #: a table of a lakehouse; what it is known by stands among `files`
    lake: LakeFeed | None = None

    def needed_above(self, compiled: CompiledTable, position: int | None, feed: Feed | None) -> int:
        """The seq behind which a target needs changes that it does not hold at a position.

        What stands before a snapshot of all of its tables is none of these.
        """
        places = [max(self.snapshots.get(table, (0,))) for table in compiled.sources]
        return max(
            (min(places) << (place_bits(feed) or 0)) - 1, -1 if position is None else position
        )


def check_reads(subscription: Subscription) -> None:
    """Raises Mistakes where it would have empty targets, as if its source had no rows."""
    if subscription.changes is None and subscription.source is None:
        raise Mistakes([NOTHING_TO_READ(subscription.span, name=subscription.name)])


def read_feed(
    inputs: Inputs,
    engine: Engine,
    subscription: Subscription,
    landings: Sequence[Landing],
    seen: Seen,
    folder: Path,
    on_progress: Callable[[int], None] | None,
) -> FeedRead | None:
    """Judge and stage a subscription's feed; None where it has none. Raises Mistakes."""
    feed = subscription.changes
    if feed is None:
        return None
    share = Share(feed, inputs.catalog, landings, engine.dialect, folder)
    if feed.column is not None:
        messages = message_table(engine, feed)
        read = _read_files(engine, share, messages.files, messages.fetched, seen, on_progress)
        known = {**seen, **{file[0]: file[1:] for file in read.files}}
        messages.check_parted(known, lasts_of(landings).keys())
        return read
    if feed.path is None:
        table = table_feed(engine, feed, share.lowest, landings, inputs.catalog)
        with refusals_of_lakes(engine, table):
            return _read_table(engine, share, table, on_progress)
    found = _feed_files(engine, feed, feed.path, inputs.root)
    if inputs.goes_on and feed.format != "dms":
        found = tuple(map(while_written, found))
    if feed.postgres is not None:
        filled = [one for one in landings if subscription.source and one.compiled.copy_data]
        _check_slot(feed, feed.postgres, found[-1], filled)
    return _read_files(engine, share, found, partial(fetched, engine), seen, on_progress)


def _read_files(
    engine: Engine,
    share: Share,
    found: Sequence[FeedFile],
    fetch: Callable[[Sequence[FeedFile], Path], tuple[FeedFile, ...]],
    seen: Seen,
    on_progress: Callable[[int], None] | None,
    going_on: frozenset[tuple[RelationName, int]] = frozenset(),
) -> FeedRead:
    """The same of files, which `fetch` brings to this machine.

    `going_on`: tables and places of which consumed files are opened, too.
    """
    feed, landings = share.feed, share.landings
    pending = pending_files(feed, found, seen, landings, going_on)
    files, counted = fetch(pending.files, share.folder), pending.counted
    check_read_places(feed, files, found, seen, landings)
    share = replace(share, counted=counted)
    opening = partial(open_files, feed, share.catalog, files, landings, counted)
    records: Records = partial(_reopened, opening)
    spread = spread_feed(engine, share, files, on_progress)
    told: Opened | Spread
    if spread is not None:
        reading, told = spread
    else:
        told = opened = opening()
        records = opened.records
        lasts = lasts_of(landings)
        again = {
            (name, at) for at, name in read_before(opened.snapshots, counted, share.catalog, lasts)
        }
        if again & going_on:
            # The file that had them is gone: nobody can say whether these are others.
            lost = max(at for _, at in again) << (place_bits(feed) or 0)
            raise Mistakes([LOST_BEGINNING(seq=lost, hint=KEEP)])
        if again:
            # These may be the same rows.
            return _read_files(engine, share, found, fetch, seen, on_progress, going_on | again)
        reading = read(
            records,
            share,
            closed=opened.closed,
            on_progress=on_progress,
            blocks=opened.blocks,
            placed=placed_order(feed, landings),
        )
    every = tuple(
        (one.shown, one.size, one.modified, told.last.get(one.shown, -1), told.held.get(one.shown))
        for one in pending.files
    )
    present = frozenset(file.shown for file in found)
    return FeedRead(reading, records, every, present, told.snapshots)


def _reopened(
    opening: Callable[[], Opened], mistakes: list[PlacedMistake]
) -> Iterator[tuple[Place, Record]]:
    """The changes of files that are read once more."""
    return opening().records(mistakes)


def no_changes(compiled: CompiledTable, dialect: Dialect) -> str:
    """A query of changes that has none: what a subscription without a feed gives."""
    return change_columns(compiled, dialect, {}).where(exp.false()).sql(dialect)


def change_columns(
    compiled: CompiledTable, dialect: Dialect, given: Mapping[str, exp.Expr]
) -> exp.Select:
    """The columns of a view of changes; those that are not given are NULL."""

    def column(kind: str, name: str) -> exp.Expr:
        value = given.get(name, exp.null())
        return exp.cast(value, exp.DataType.build(kind, dialect=dialect)).as_(name, quoted=True)

    text = "STRING" if dialect == "spark" else "VARCHAR"
    texts = "ARRAY<STRING>" if dialect == "spark" else "VARCHAR[]"
    columns = [column("BIGINT", "seq"), column(text, "tx"), column(text, "op")]
    for side in ("before", "after"):
        columns += [column(each.sql_type, f"{side}_{each.name}") for each in compiled.feed_columns]
    columns.append(column(texts, "unchanged"))
    return select(*columns)


def _feed_files(engine: Engine, feed: Feed, path: str, root: Path) -> tuple[FeedFile, ...]:
    """The files of a feed; a live source may not have been captured yet."""
    try:
        return found_files(engine, path, root, feed.span)
    except Mistakes:
        if feed.postgres is None:
            raise
        wrong = NOTHING_CAPTURED(feed.span, what="changes", source=feed.postgres)
        raise Mistakes([wrong]) from None


def _check_slot(feed: Feed, source: str, newest: FeedFile, landings: Sequence[Landing]) -> None:
    """A slot that was made anew begins with an empty file: no change tells yet what is missing."""
    begins = int(newest.path.stem) if newest.size == 0 and newest.path.stem.isdecimal() else -1
    behind = [one.position for one in landings if one.position is not None]
    if behind and min(behind) < begins:
        last = min(behind)
        raise Mistakes([SLOT_ANEW(feed.span, source=source, seq=begins, last=last)])


def _read_table(
    engine: Engine,
    share: Share,
    told: TableFeed | LakeFeed,
    on_progress: Callable[[int], None] | None,
) -> FeedRead:
    """Judge and stage a feed that is a table of the engine."""
    lake = told if isinstance(told, LakeFeed) else None
    table = told.changes if isinstance(told, LakeFeed) else told

    def records(mistakes: list[PlacedMistake]) -> Iterator[tuple[Place, Record]]:
        if table is None:
            return iter(())
        return table.changes(engine.stream(table.ordered().sql(engine.dialect)), mistakes)

    # A change may still be written to a table behind those that are read.
    closed = share.feed.format in LAKES
    spread = None if table is None else spread_table(engine, share, table, closed=closed)
    return FeedRead(
        spread or read(records, share, closed=closed, on_progress=on_progress),
        records,
        () if lake is None else lake.kept(),
        frozenset({KEPT_OF_TABLE}),
        lake=lake,
    )
