"""One subscription, from where its targets stand to the cut: all of it, or a refusal.

Example
    1. the feed is judged and staged; the sources of missing targets are judged and staged
    2. missing targets are made and copied (ledger: copying)
    3. every target's rows are staged and judged; nothing was merged so far
    4. ledger: applying, if it does not say so already; one MERGE for each target with its mark;
       of a target from which rows leave since time has passed, too, when no change came

    On DuckDB all of that is one transaction. Elsewhere a refusal after step 2 removes the targets
    that step 2 made, and a kill in step 4 is finished by the next run, with the same cut. A target
    without changes is neither asked nor written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from filtersql.errors import Mistake, Mistakes
from filtersql.feeds.landings import Landing
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import definitions_in_force, ledger, ledger_writer, quarantine
from filtersql.run.aging import going, let_time_pass
from filtersql.run.clock import clock_for, clock_of_run, read_clock
from filtersql.run.conflicting_change import Stop
from filtersql.run.context import RunContext, TargetRun, only_looking
from filtersql.run.copies import copy_missing, take_back
from filtersql.run.feed_reach import Holding, check_reach
from filtersql.run.feed_reading import FeedRead
from filtersql.run.joining import check_joining, check_lost, check_same_table
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import SETTLED, key_of
from filtersql.run.ledger_rows import commit, entry
from filtersql.run.lookups import check_chosen
from filtersql.run.model import TableResult
from filtersql.run.proofs import check_lease
from filtersql.run.quarantine_selection import sort_out
from filtersql.run.rejoining import check_rejoined
from filtersql.run.removed_targets import leaves
from filtersql.run.rounds import below, round_of
from filtersql.run.sizing import size_at_first, size_sessions
from filtersql.run.staged_feed import remember_files, take_feed
from filtersql.run.target_state import Standing, check_held, standings

__all__ = ["apply_subscription"]


def apply_subscription(
    context: RunContext, tables: Sequence[CompiledTable], raising: Mapping[str, Mapping[int, str]]
) -> tuple[list[TableResult], tuple[Mistake, ...]]:
    """Bring all targets of a subscription to the feed's cut. Raises Mistakes.

    `raising` are changes to be put aside, by the name of their target, and why. The mistakes that
    come with the results stopped it at an earlier boundary.
    """
    engine, schema = context.engine, context.inputs.state_schema
    check_chosen(tables)
    context.lanes.configure({k: v for table in tables for k, v in table.settings.items()})
    size_at_first(context)
    name = context.subscription.name
    with context.spent.on("commit"):
        known = context.ledgers.read(engine, schema, name)
    context.ordinal = known.number_of(name)
    context.defined = definitions_in_force.named_by(known)
    check_lease(engine, known, name, context.lease.owner)
    options = context.options
    context.clock = clock_of_run(options.read_at or read_clock(), options.as_of, known, name)
    found = standings(context.lanes, context.subscription, tables, known, context.options)
    context.targets = [_begun(context, known, lane, each) for lane, each in enumerate(found)]
    context.pending += leaves(engine, known, context.subscription, context.options)
    _note_known(context, known)
    landings = [Landing(t.compiled, t.position, t.reached, t.newest) for t in found]
    with context.spent.on("read"):
        feed = context.feeds.of(
            context.subscription, landings, known, context.folder, context.on_read
        )
    if feed is not None:
        take_feed(context, feed, known)
    _check_held(context)
    check_rejoined(context, feed)
    size_sessions(context)
    if feed is not None:
        check_same_table(known, name, feed, context.targets)
        _check_refills(context, feed)
        check_lost(known, context.subscription, feed, context.targets)
        if context.subscription.source is not None:
            check_joining(known, name, feed, context.targets)
    sort_out(context, raising)
    copy_missing(context)
    try:
        _catch_up(context, context.upto)
        remember_files(context)
        if not only_looking(context):
            commit(context, [], last=True)
    except Mistakes:
        take_back(context)
        raise
    ledger_writer.tidy(
        engine, schema, known.rows, known.rows + context.ordinal - known.number_of(name)
    )
    stopped = () if context.stop is None else context.stop.mistakes
    return [_result(target, context.stop) for target in context.targets], stopped


def _begun(context: RunContext, known: Ledger, lane: int, standing: Standing) -> TargetRun:
    assert context.clock is not None  # read before that
    return TargetRun(
        standing,
        standing.position,
        standing.reached,
        lane=lane,
        newest=standing.newest,
        quarantined=key_of(standing.compiled) in known.aside,
        clock=_clock_before(standing, context.clock),
    )


def _clock_before(standing: Standing, clock: datetime) -> str | None:
    """The clock of what a target holds, or of the cut that is finished first; None: not known."""
    entry = standing.entry
    if standing.copy or entry is None:
        return clock_for(standing.compiled, clock)
    known = standing.until is not None or entry.phase in SETTLED
    return entry.clock if known else None


def _note_known(context: RunContext, known: Ledger) -> None:
    """What is known of the targets before anything is read."""
    name = context.subscription.name
    mine = {key_of(target.compiled) for target in context.targets}
    mine |= {row.key for row in context.pending}
    entries = known.of(name)
    context.whole = all(
        entry.key in mine or entry.phase in ("dropped", "left") for entry in entries
    )
    context.left = any(entry.phase == "left" for entry in entries)
    context.furthest = known.reached.get(name, (0, -1))[1]
    for target in context.targets:
        standing = target.standing
        if standing.released and not only_looking(context):
            quarantine.remove_released(context, target.compiled)
        if standing.settled and standing.entry is not None:
            context.proved[standing.entry.key] = replace(standing.entry, files=())
        if standing.accepted:
            # Or the next run would refuse the filter again, where no change comes.
            context.pending.append(entry(context, target, "applied", target.position))


def _check_held(context: RunContext) -> None:
    """Whether the targets are there, and fit where they are asked or written. Raises Mistakes."""
    standing = [target for target in context.targets if not target.standing.copy]
    working = going(context)
    looked = {each.relation for target in working for each in target.compiled.lookups}
    names = {target.name for target in working}
    asked = [t for t in standing if t.name in names or t.compiled.relation in looked]
    others = [t for t in standing if t not in asked]
    check_held(context.lanes, [t.standing for t in asked], [t.standing for t in others])


def _check_refills(context: RunContext, feed: FeedRead) -> None:
    """A target that is copied again must find every change that it had. Raises Mistakes."""
    again = [t for t in context.targets if t.standing.copy and t.standing.refilled and t.staged]
    if not again or feed.lake is not None:
        # A table of a lakehouse tells its present history whole, or was refused; another one's
        # changes are those of a table that was dropped, or rolled back.
        return
    rows = ledger.history(context.engine, context.inputs.state_schema)
    said = context.subscription.changes
    holding = Holding(context.engine, context.inputs.state_schema, said, feed.records)
    mistakes: list[Mistake] = []
    for target in again:
        assert target.staged is not None  # it was chosen for that
        context.engine.view(target.compiled.changes_view, target.staged, target.columns)
        try:
            above = feed.needed_above(target.compiled, target.position, said)
            check_reach(holding, target.compiled, target.name, rows, above)
        except Mistakes as found:
            mistakes += found.mistakes
    if mistakes:
        raise Mistakes(mistakes)


def _catch_up(context: RunContext, cut: int | None) -> None:
    """First what a killed run left undone, then everything up to the cut."""
    unfinished = {t.standing.until for t in context.targets if t.standing.until is not None}
    known = context.stop
    for position in sorted(
        {t.position for t in context.targets if t.releasing and t.position is not None}
    ):
        round_of(
            context,
            [t for t in context.targets if t.releasing and t.position == position],
            position,
        )
    for until in sorted(unfinished):
        round_of(context, [t for t in context.targets if t.standing.until == until], until)
    if context.stop is known:
        let_time_pass(context, cut)
    if cut is not None and context.stop is known:
        going = [t for t in context.targets if not t.untouched and below(t.position, cut)]
        round_of(context, going, cut, last=True)


def _result(target: TargetRun, stop: Stop | None) -> TableResult:
    written, compiled = target.written, target.compiled
    stopped = stop is not None and target.name in stop.targets
    return TableResult(
        compiled=compiled,
        status="error" if stopped else "success",
        message=stop.mistakes[0].message if stop is not None and stopped else _message(target),
        execution_time=target.seconds,
        rows_inserted=written.inserted,
        rows_updated=written.updated,
        rows_deleted=written.deleted,
        changes_read=target.read,
        changes_skipped=target.skipped,
        conflicts=dict(target.conflicts),
        conflict_sample=target.sample,
        quarantined=target.put_aside,
        released=len(target.released),
        held_back=target.held_back,
        position=target.reached,
    )


def _message(target: TargetRun) -> str:
    written = target.written
    if target.repeated:
        return "an interrupted run is finished"
    if not (target.copied or target.read or target.released or target.aged):
        return "the changed filter is accepted" if target.standing.accepted else "nothing new"
    counts = (
        (written.inserted, "inserted"),
        (written.updated, "updated"),
        (written.deleted, "deleted"),
    )
    said = ", ".join(f"{count} {word}" for count, word in counts if count) or "no row changed"
    return f"{'copied: ' if target.copied and not target.read else ''}{said}"
