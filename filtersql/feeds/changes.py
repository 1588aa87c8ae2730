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

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct

from filtersql.errors.feeds import FEED_GAP, INTERLEAVED_TRANSACTION
from filtersql.feeds.blocks import blocks_of
from filtersql.feeds.column_blocks import Blocks
from filtersql.feeds.dispatch import Tally
from filtersql.feeds.intake import Intake
from filtersql.feeds.landings import Share
from filtersql.feeds.lines import line_span
from filtersql.feeds.order import Order
from filtersql.feeds.placed_order import PlacedOrder
from filtersql.feeds.places import MOST_MISTAKES, Records, in_order, raise_first
from filtersql.feeds.staged_files import StagedColumn
from filtersql.feeds.staging import ChangeStage
from filtersql.feeds.transaction_order import TransactionOrder, Unordered
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["Reading", "StagedChanges", "read", "staged_changes"]


class StagedChanges(Struct, frozen=True):
    """The changes of one target as a Parquet file, which may hold some below its position, too.

    `read` counts those above it.
    """

    path: Path
    columns: tuple[StagedColumn, ...]
    read: int
    skipped: int
    #: whether a TRUNCATE is among them
    truncates: bool


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
    #: as in Tally
    newest: Mapping[RelationName, int] = {}

    @property
    def waiting(self) -> bool:
        """Whether changes above the cut wait for the next run."""
        return self.last is not None and self.last != self.cut


def read(
    records: Records,
    share: Share,
    *,
    closed: bool = True,
    on_progress: Callable[[int], None] | None = None,
    blocks: Blocks | None = None,
    placed: PlacedOrder | None = None,
) -> Reading:
    """Judge all changes of a feed and stage those that are pending. Raises Mistakes.

    `closed` says that nothing more will be written to what is read: its last transaction is
    complete. `blocks` gives the changes of `records` some thousand at a time. `placed` is
    the order of changes that have their places.
    """
    every = (records, blocks or blocks_of(records), share, closed, on_progress)
    if placed is not None:
        return _read(*every, placed)
    try:
        return _read(*every, TransactionOrder(share.start))
    except Unordered:
        return _read(*every, Order(share.start))


def _read(
    records: Records,
    blocks: Blocks,
    share: Share,
    closed: bool,
    on_progress: Callable[[int], None] | None,
    order: TransactionOrder | Order | PlacedOrder,
) -> Reading:
    intake = Intake.opened(share, order, lambda index: share.folder / f"changes-{index}.parquet")
    tally = intake.tally
    try:
        for block in blocks(tally.mistakes):
            intake.take(block)
            if on_progress:
                on_progress(tally.total)
            if len(tally.mistakes) >= MOST_MISTAKES:
                break
    finally:
        intake.close()
    _raise(records, order, tally)
    if on_progress:
        on_progress(tally.total)
    told = (tally.read, tally.skipped, intake.truncates)
    staged = staged_changes(intake.stages, *told)
    cut = order.cut(closed)
    counts = (tally.total, tally.unpublished)
    return Reading(staged, cut, order.last, *counts, order.boundary, tally.newest)


def staged_changes(
    stages: Sequence[ChangeStage],
    read: Sequence[int],
    skipped: Sequence[int],
    truncates: Sequence[bool],
) -> tuple[StagedChanges, ...]:
    """What was staged for each target."""
    every = zip(stages, read, skipped, truncates, strict=True)
    return tuple(
        StagedChanges(stage.path, stage.columns, count, known, truncating)
        for stage, count, known, truncating in every
    )


def _raise(records: Records, order: TransactionOrder | Order | PlacedOrder, tally: Tally) -> None:
    mistakes = in_order(tally.mistakes)
    # Where records could not be read, the order of the others tells nothing.
    if isinstance(order, TransactionOrder) and not mistakes:
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
    raise_first(mistakes)


def _places(records: Records, seqs: set[int]) -> Mapping[int, Span]:
    """Read the feed once more for the lines of a few changes."""
    if not seqs:
        return {}
    found = ((change.seq, place) for place, change in records([]) if change.seq in seqs)
    return {seq: line_span(*place) for seq, place in found}
