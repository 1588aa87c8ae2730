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
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from filtersql.catalog import Catalog
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import (
    ContradictingReplay,
    FeedGap,
    InterleavedTransaction,
    TooManyFeedMistakes,
)
from filtersql.feeds.images import Judged, judge
from filtersql.feeds.lines import line_span
from filtersql.feeds.order import Order
from filtersql.feeds.records import Record
from filtersql.feeds.runs import Runs, Unordered
from filtersql.feeds.staging import ChangeStage, Place, Records, StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.source import Span
from filtersql.storage import Engine

__all__ = ["Landing", "Reading", "Records", "StagedChanges", "read"]

#: what is buffered before it is written: so many changes, or so many bytes of lines
_BATCH = 50_000
_BATCH_BYTES = 16 * 2**20
_MOST_MISTAKES = 100


@dataclass(frozen=True, slots=True)
class Landing:
    """A target that the feed serves, and how far it got; None: nothing was applied yet."""

    compiled: CompiledTable
    position: int | None


@dataclass(frozen=True, slots=True)
class StagedChanges:
    """The changes of one target as a Parquet file, which may hold some below its position, too.

    `read` counts those above it.
    """

    compiled: CompiledTable
    path: Path
    columns: tuple[StagedColumn, ...]
    read: int
    skipped: int


@dataclass(frozen=True, slots=True)
class Reading:
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


@dataclass(slots=True)
class _Tally:
    """What was counted while reading."""

    total: int = 0
    unpublished: int = 0
    read: list[int] = field(default_factory=list)
    skipped: list[int] = field(default_factory=list)
    mistakes: list[tuple[Place, Mistake]] = field(default_factory=list)
    tables: dict[str, Judged] = field(default_factory=dict)


def read(
    records: Records,
    catalog: Catalog,
    landings: Sequence[Landing],
    engine: Engine,
    folder: Path,
    *,
    closed: bool = True,
    on_progress: Callable[[int], None] | None = None,
) -> Reading:
    """Judge all changes of a feed and stage those that are pending. Raises Mistakes.

    `closed` says that nothing more will be written to what is read: its last transaction is
    complete.
    """
    start = _lowest(landings)
    every = (records, catalog, landings, engine, folder, closed, on_progress)
    try:
        return _read(*every, Runs(start))
    except Unordered:
        return _read(*every, Order(start))


def _read(
    records: Records,
    catalog: Catalog,
    landings: Sequence[Landing],
    engine: Engine,
    folder: Path,
    closed: bool,
    on_progress: Callable[[int], None] | None,
    order: Runs | Order,
) -> Reading:
    tally = _Tally(read=[0] * len(landings), skipped=[0] * len(landings))
    shapes: dict[object, ChangeStage] = {}
    for index, landing in enumerate(landings):
        path = folder / f"changes-{index}.parquet"
        stage = ChangeStage(landing.compiled, engine, path, tally.mistakes, _span)
        shapes.setdefault(_shape(landing.compiled), stage)
    stages = [shapes[_shape(landing.compiled)] for landing in landings]
    buffered = size = 0
    try:
        for place, change in records(tally.mistakes):
            tally.total += 1
            if taken := _take(place, change, catalog, landings, stages, order, tally):
                buffered += taken
                size += len(place[2])
                if buffered >= _BATCH or size >= _BATCH_BYTES:
                    _flush(shapes.values())
                    buffered = size = 0
            if on_progress and tally.total % 5_000 == 0:
                on_progress(tally.total)
            if len(tally.mistakes) >= _MOST_MISTAKES:
                break
    except Unordered:
        _close(shapes.values())
        raise
    _close(shapes.values())
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


def _take(
    place: Place,
    change: Record,
    catalog: Catalog,
    landings: Sequence[Landing],
    stages: Sequence[ChangeStage],
    order: Runs | Order,
    tally: _Tally,
) -> int:
    """Judge one change and hand it to its targets; how many took it."""
    if order.start is None or change.seq > order.start:
        new = order.add(change)
        if new is None:
            tally.mistakes.append((place, ContradictingReplay(change.seq, _span(place))))
            return 0
    else:
        new = False
    judged = judge(change, catalog, landings, tally.tables)
    if isinstance(judged, Judged):
        targets = judged.targets
        if judged.partial is not None:
            targets = judged.partial.get(change.op, targets)
    else:
        tally.mistakes += [(place, mistake(_span(place))) for mistake in judged]
        return 0
    if not targets and change.op not in ("commit", "truncate"):
        tally.unpublished += 1
    takers: dict[int, ChangeStage] = {}
    for index in targets:
        position = landings[index].position
        if not new or (position is not None and change.seq <= position):
            tally.skipped[index] += 1
        else:
            tally.read[index] += 1
            takers[id(stages[index])] = stages[index]
    for stage in takers.values():
        stage.add(change, place)
    return len(takers)


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


def _raise(records: Records, order: Runs | Order, tally: _Tally) -> None:
    mistakes = [mistake for _, mistake in sorted(tally.mistakes, key=lambda item: item[0][:2])]
    # Where records could not be read, the order of the others tells nothing.
    if isinstance(order, Runs) and not mistakes:
        order.check()
    elif isinstance(order, Order) and not mistakes:
        disorders = list(islice(order.disorders(), _MOST_MISTAKES))
        places = _places(records, {disorder.seq for disorder in disorders})
        for found in disorders:
            span = places.get(found.seq)
            if found.tx is not None:
                mistakes.append(InterleavedTransaction(found.tx, found.seq, span))
            else:
                mistakes.append(FeedGap(found.seq, found.prev_seq, found.last, span))
    if len(mistakes) >= _MOST_MISTAKES:
        mistakes = [*mistakes[:_MOST_MISTAKES], TooManyFeedMistakes(_MOST_MISTAKES)]
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
