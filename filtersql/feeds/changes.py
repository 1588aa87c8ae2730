"""One captured feed, judged and staged for every target that it serves: `read(...)`.

Example
    A change at or below a target's position is a replay: counted, not staged. A change for a table
    that the project knows but nobody subscribes to is counted as unpublished. Everything that is
    wrong is reported together, before anything is written to a target.

PostgreSQL
    src/backend/replication/pgoutput/pgoutput.c, pgoutput_truncate(): a partition's TRUNCATE is not
    sent when its changes are published as those of its root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from filtersql.catalog import Catalog
from filtersql.errors import Mistakes
from filtersql.errors.feeds import FEED_GAP, INTERLEAVED_TRANSACTION, TOO_MANY_FEED_MISTAKES
from filtersql.feeds.blocks import Blocks, blocks_of
from filtersql.feeds.dispatch import MOST_MISTAKES, Taker, Tally
from filtersql.feeds.images import Landing
from filtersql.feeds.lines import line_span
from filtersql.feeds.order import Order
from filtersql.feeds.ordered_runs import Runs, Unordered
from filtersql.feeds.staging import ChangeStage, Place, Records, StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.source import Span
from filtersql.storage import Engine

__all__ = ["Reading", "Records", "StagedChanges", "read"]

#: what is buffered before it is written: so many changes, or so many bytes of lines
_BATCH = 50_000
_BATCH_BYTES = 16 * 2**20


class StagedChanges(Struct, frozen=True):
    """The changes of one target as a Parquet file, which may hold some below its position, too.

    `read` counts those above it.
    """

    compiled: CompiledTable
    path: Path
    columns: tuple[StagedColumn, ...]
    read: int
    skipped: int


class Reading(Struct, frozen=True):
    """What a feed holds. `cut` is the last seq to apply (None: nothing new), `last` the last read.

    `waiting` tells that a transaction is not complete yet.
    """

    staged: tuple[StagedChanges, ...]
    cut: int | None
    last: int | None
    total: int
    unpublished: int
    #: the last seq before the transaction of a change
    boundary: Callable[[int], int | None]

    @property
    def waiting(self) -> bool:
        """Whether changes above the cut wait for the next run."""
        return self.last is not None and self.last != self.cut


def read(
    records: Records,
    catalog: Catalog,
    landings: Sequence[Landing],
    engine: Engine,
    folder: Path,
    *,
    closed: bool = True,
    on_progress: Callable[[int], None] | None = None,
    blocks: Blocks | None = None,
) -> Reading:
    """Judge all changes of a feed and stage those that are pending. Raises Mistakes.

    `closed` says that nothing more will be written to what is read: its last transaction is
    complete. `blocks` gives the changes of `records` some thousand at a time.
    """
    start = _lowest(landings)
    every = (records, blocks or blocks_of(records), catalog, landings, engine, folder, closed)
    try:
        return _read(*every, on_progress, Runs(start))
    except Unordered:
        return _read(*every, on_progress, Order(start))


def _read(
    records: Records,
    blocks: Blocks,
    catalog: Catalog,
    landings: Sequence[Landing],
    engine: Engine,
    folder: Path,
    closed: bool,
    on_progress: Callable[[int], None] | None,
    order: Runs | Order,
) -> Reading:
    tally = Tally(read=[0] * len(landings), skipped=[0] * len(landings))
    files: dict[object, ChangeStage] = {}
    for index, landing in enumerate(landings):
        path = folder / f"changes-{index}.parquet"
        stage = ChangeStage(landing.compiled, engine, path, tally.mistakes, _span)
        files.setdefault(_shape(landing.compiled), stage)
    stages = [files[_shape(landing.compiled)] for landing in landings]
    taker = Taker(catalog, landings, stages, order, tally)
    buffered = size = 0
    try:
        for whole in blocks(tally.mistakes):
            for block in whole.parts(_BATCH_BYTES):
                if size and size + block.size > _BATCH_BYTES:
                    _flush(files.values())
                    buffered = size = 0
                if taken := taker.take_all(block):
                    buffered += taken
                    size += block.size
                if buffered >= _BATCH:
                    _flush(files.values())
                    buffered = size = 0
            if on_progress and whole.records:
                on_progress(tally.total)
            if len(tally.mistakes) >= MOST_MISTAKES:
                break
    except Unordered:
        _close(files.values())
        raise
    _close(files.values())
    _raise(records, order, tally)
    if on_progress:
        on_progress(tally.total)
    staged = (
        StagedChanges(landing.compiled, stage.path, stage.columns, count, skipped)
        for landing, stage, count, skipped in zip(
            landings, stages, tally.read, tally.skipped, strict=True
        )
    )
    cut = order.cut(closed)
    return Reading(tuple(staged), cut, order.last, tally.total, tally.unpublished, order.boundary)


def _shape(compiled: CompiledTable) -> object:
    """What targets have in common that take the same changes in the same columns: one file."""
    only_from = tuple(sorted(compiled.only_from.items()))
    taken = (compiled.relation, compiled.sources, compiled.truncates, compiled.truncated_by)
    return (*taken, only_from, compiled.feed_columns)


def _flush(stages: Iterable[ChangeStage]) -> None:
    for stage in stages:
        stage.flush()


def _close(stages: Iterable[ChangeStage]) -> None:
    for stage in stages:
        stage.close()


def _lowest(landings: Sequence[Landing]) -> int | None:
    positions = [landing.position for landing in landings]
    known = [position for position in positions if position is not None]
    return min(known) if known and len(known) == len(positions) else None


def _raise(records: Records, order: Runs | Order, tally: Tally) -> None:
    mistakes = [mistake for _, mistake in sorted(tally.mistakes, key=lambda item: item[0][:2])]
    # Where records could not be read, the order of the others tells nothing.
    if isinstance(order, Runs) and not mistakes:
        order.check()
    elif isinstance(order, Order) and not mistakes:
        disorders = list(islice(order.disorders(), MOST_MISTAKES))
        places = _places(records, {disorder.seq for disorder in disorders})
        for found in disorders:
            span = places.get(found.seq)
            if found.tx is not None:
                mistakes.append(INTERLEAVED_TRANSACTION(span, tx=found.tx, seq=found.seq))
            else:
                mistakes.append(
                    FEED_GAP(span, seq=found.seq, prev_seq=found.prev_seq, last=found.last)
                )
    if len(mistakes) >= MOST_MISTAKES:
        mistakes = [*mistakes[:MOST_MISTAKES], TOO_MANY_FEED_MISTAKES(count=MOST_MISTAKES)]
    if mistakes:
        raise Mistakes(mistakes)


def _places(records: Records, seqs: set[int]) -> Mapping[int, Span]:
    """Read the feed once more for the lines of a few changes."""
    if not seqs:
        return {}
    found = ((change.seq, place) for place, change in records([]) if change.seq in seqs)
    return {seq: _span(place) for seq, place in found}


def _span(place: Place) -> Span:
    return line_span(*place)
