"""`status`: how far each target got, and when.

Example
    ============= ======== ===== ==================== ========== ==========
    target        position lag   last run             conflicts  quarantine
    ============= ======== ===== ==================== ========== ==========
    s1/public.t1  17       3     2026-11-20T10:00:00Z 0          2
    ============= ======== ===== ==================== ========== ==========

    The definition is in force since 2026-11-01T08:00:00Z; the next row leaves at 2026-11-21 00:00.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.feeds.formats import open_files, own_position, place_bits
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import FeedFile, find_files
from filtersql.feeds.records import relation_name
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import quarantine
from filtersql.run.applied_cuts import changes_per_run
from filtersql.run.clock import show_clock
from filtersql.run.fetching import pending_files
from filtersql.run.ledger import Ledger, read_all
from filtersql.run.ledger_entry import BEGUN, INTENDED, Entry, Key, is_in_force, key_of
from filtersql.run.model import Inputs, no_conflicts
from filtersql.run.proofs import true_row
from filtersql.run.target_landings import tables_of
from filtersql.targets.depth import configure
from filtersql.targets.model import Engine

__all__ = ["TargetStatus", "status"]


#: a date that Python has
_YEARS = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?!.*BC)")


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
    #: of a target with a window: the clock that it stands at, and when the time of its next row is
    #: over; of several windows, before when no row leaves
    clock: str | None = None
    next_leaves: str | None = None
    #: since when the definition is in force by which its rows were judged
    in_force_since: str | None = None
    #: whether that is still the project's; None: the target is not filled
    definition_changed: bool | None = None
    #: of the last runs since it was filled, the oldest first
    changes_per_run: tuple[int, ...] = ()


def status(
    inputs: Inputs, tables: Mapping[str, Sequence[CompiledTable]], engine: Engine
) -> tuple[TargetStatus, ...]:
    """The state of some subscriptions' targets, given by name."""
    known, rows = read_all(engine, inputs.state_schema)
    entries = {
        key_of(table): _true(engine, known, table)
        for compiled in tables.values()
        for table in compiled
    }
    positions = {key: _position(entry) for key, entry in entries.items()}
    counts = changes_per_run(rows, positions)
    return tuple(
        replace(found, changes_per_run=counts.get(key_of(found.compiled), ()))
        for name, compiled in tables.items()
        for found in _subscription(
            inputs, inputs.subscriptions[name], compiled, entries, known, engine
        )
    )


def _true(engine: Engine, known: Ledger, table: CompiledTable) -> Entry | None:
    try:
        return true_row(engine, known, table)
    except Mistakes:  # of a mark that is gone a run tells
        return known.newest[key_of(table)]


def _subscription(
    inputs: Inputs,
    subscription: Subscription,
    tables: Sequence[CompiledTable],
    entries: Mapping[Key, Entry | None],
    known: Ledger,
    engine: Engine,
) -> Iterator[TargetStatus]:
    own = {key_of(table): _own(subscription, entries[key_of(table)]) for table in tables}
    lags = _lags(inputs, subscription, tables, own, known)
    for table in tables:
        entry = entries[key_of(table)]
        lag = None if lags is None else lags[key_of(table)]
        if entry is None:
            yield TargetStatus(table, "not yet filled", lag=lag)
            continue
        state = "interrupted" if entry.phase in INTENDED else "filled"
        held = quarantine.count(engine, table)
        met = no_conflicts() | dict(entry.conflicts)
        changed = not is_in_force(entry, table)
        # The cuts of another definition are not those that hold these rows.
        next_leaves = None if changed else _next_leaves(engine, table, entry.clock)
        yield TargetStatus(
            table,
            state,
            _position(entry),
            lag,
            entry.at,
            met,
            held,
            entry.clock,
            next_leaves,
            _since(known, entry),
            changed,
        )


def _since(known: Ledger, entry: Entry) -> str | None:
    """When the definition of a row came in force; None where the target is still being filled."""
    if entry.phase in BEGUN:
        return None
    newest = known.newest[entry.key]
    return known.since[entry.key] if entry.filter_hash == newest.filter_hash else entry.at


def _next_leaves(engine: Engine, table: CompiledTable, clock: str | None) -> str | None:
    """When the time of the next row is over; None where none of the target's rows will leave."""
    if clock is None or not engine.exists(table.target):
        return None
    configure(engine, dict(table.settings))
    show_clock(engine, table, clock)
    found: list[datetime] = []
    for each in table.next_leaving:
        ((oldest,),) = engine.rows(each.query)
        if oldest is not None and _YEARS.match(str(oldest)):
            value = datetime.fromisoformat(str(oldest)).replace(tzinfo=None)
            over = each.cut.over_at(value)
            found += () if over is None else (over,)
    return min(found).isoformat(" ") if found else None


def _position(entry: Entry | None) -> int | None:
    if entry is None:
        return None
    return entry.from_position if entry.phase in INTENDED else entry.position


def _own(subscription: Subscription, entry: Entry | None) -> int | None:
    """Where a target stands with its own changes."""
    if entry is None:
        return None
    stands = entry.stood if entry.phase in INTENDED else entry.stands
    return own_position(subscription.changes, stands, _position(entry))


def _lags(
    inputs: Inputs,
    subscription: Subscription,
    tables: Sequence[CompiledTable],
    positions: Mapping[Key, int | None],
    known: Ledger,
) -> dict[Key, int] | None:
    feed = subscription.changes
    if feed is None or feed.path is None:
        return None
    lags = dict.fromkeys(map(key_of, tables), 0)
    interested: dict[RelationName | None, list[Key]] = {}
    for table in tables:
        for source in tables_of(table):
            interested.setdefault(source, []).append(key_of(table))
    try:
        files: Sequence[FeedFile] = find_files(feed.path, inputs.root, feed.span)
        if place_bits(feed) is None:
            seen = known.files.get(subscription.name, {})
            landings = [Landing(table, positions[key_of(table)]) for table in tables]
            files = pending_files(feed, files, seen, landings).files
        for _, change in open_files(feed, inputs.catalog, files).records([]):
            # Only a TRUNCATE may name its tables in `relations` alone.
            named = (change.relation,) if change.relation else change.relations or ()
            for key in {key for name in named for key in interested.get(relation_name(name), ())}:
                position = positions[key]
                lags[key] += position is None or change.seq > position
    except Mistakes:
        return None
    return lags
