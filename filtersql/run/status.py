"""`status`: how far each target got, and when.

Example
    ============= ======== ===== ==================== ========== ==========
    target        position lag   last run             conflicts  quarantine
    ============= ======== ===== ==================== ========== ==========
    s1/public.t1  17       3     2026-11-20T10:00:00Z 0          2
    ============= ======== ===== ==================== ========== ==========
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.feeds.formats import open_files
from filtersql.feeds.lines import find_files
from filtersql.feeds.staging import Place
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import quarantine
from filtersql.run.ledger import INTENDED, Entry, Ledger, key_of, read
from filtersql.run.model import Inputs, no_conflicts
from filtersql.run.proofs import settled
from filtersql.targets.model import Engine

__all__ = ["TargetStatus", "status"]


class TargetStatus(Struct, frozen=True):
    """A target's state. `lag` counts pending changes of its tables; None: the feed is not files."""

    compiled: CompiledTable
    state: str
    position: int | None = None
    lag: int | None = None
    last_run: str | None = None
    conflicts: Mapping[str, int] = field(default_factory=no_conflicts)
    #: changes that were put aside
    quarantine: int = 0


def status(
    inputs: Inputs, tables: Mapping[str, Sequence[CompiledTable]], engine: Engine
) -> tuple[TargetStatus, ...]:
    """The state of some subscriptions' targets, given by name."""
    known = read(engine, inputs.state_schema)
    entries = {
        key_of(table): _true(engine, known, table)
        for compiled in tables.values()
        for table in compiled
    }
    return tuple(
        found
        for name, compiled in tables.items()
        for found in _subscription(inputs, inputs.subscriptions[name], compiled, entries, engine)
    )


def _true(engine: Engine, known: Ledger, table: CompiledTable) -> Entry | None:
    """The newest row of a target, and what its mark says of an intention."""
    entry = known.newest.get(key_of(table))
    return entry and (settled(engine, known, entry, table.target) or entry)


def _subscription(
    inputs: Inputs,
    subscription: Subscription,
    tables: Sequence[CompiledTable],
    entries: Mapping[tuple[str, str, str], Entry | None],
    engine: Engine,
) -> Iterator[TargetStatus]:
    positions = {key_of(table): _position(entries.get(key_of(table))) for table in tables}
    lags = _lags(inputs, subscription, tables, positions)
    for table in tables:
        entry = entries.get(key_of(table))
        lag = None if lags is None else lags[key_of(table)]
        if entry is None or entry.phase == "dropped":
            yield TargetStatus(table, "not yet filled", lag=lag)
            continue
        state = "interrupted" if entry.phase in INTENDED else "filled"
        position = positions[key_of(table)]
        held = quarantine.count(engine, table)
        met = no_conflicts() | dict(entry.conflicts)
        yield TargetStatus(table, state, position, lag, entry.at, met, held)


def _position(entry: Entry | None) -> int | None:
    if entry is None or entry.phase == "dropped":
        return None
    return entry.from_position if entry.phase in INTENDED else entry.position


def _lags(
    inputs: Inputs,
    subscription: Subscription,
    tables: Sequence[CompiledTable],
    positions: Mapping[tuple[str, str, str], int | None],
) -> dict[tuple[str, str, str], int] | None:
    feed = subscription.changes
    if feed is None or feed.path is None:
        return None
    lags = dict.fromkeys(map(key_of, tables), 0)
    interested: dict[str, list[CompiledTable]] = {}
    for table in tables:
        for source in {*table.sources, *(table.truncated_by if table.truncates else ())}:
            interested.setdefault(f"{source.schema}.{source.name}", []).append(table)
    mistakes: list[tuple[Place, Mistake]] = []
    try:
        files = find_files(feed.path, inputs.root, feed.span)
        for _, change in open_files(feed, inputs.catalog, files).records(mistakes):
            relation = change.relation
            shown = ".".join(relation) if isinstance(relation, list) else relation or ""
            for table in interested.get(shown, ()):
                position = positions[key_of(table)]
                lags[key_of(table)] += position is None or change.seq > position
    except Mistakes:
        return None
    return lags
