"""One subscription, from where its targets stand to the cut: all of it, or a refusal.

Example
    1. the feed is judged and staged; the sources of missing targets are judged and staged
    2. missing targets are made and copied (ledger: copying)
    3. every target's rows are staged and judged; nothing was merged so far
    4. ledger: applying, if it does not say so already; one MERGE for each target with its mark

    On DuckDB all of that is one transaction. Elsewhere a refusal after step 2 removes the targets
    that step 2 made, and a kill in step 4 is finished by the next run, with the same cut. A target
    without changes is neither asked nor written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.stopping import CopyRefused
from filtersql.errors.targets import EngineRefused
from filtersql.feeds.images import Landing
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import ledger, quarantine
from filtersql.run.conflicting_change import Stop
from filtersql.run.context import (
    RunContext,
    TargetRun,
    begin,
    commit,
    entry,
    held_row,
    intend,
    mark,
    note,
    only_looking,
    read_row,
    renew,
    timed,
)
from filtersql.run.feed_reach import check_reach
from filtersql.run.lease import check_free
from filtersql.run.ledger import Entry, Ledger, Phase
from filtersql.run.lookups import check_chosen, define_lookups
from filtersql.run.model import TableResult
from filtersql.run.proofs import all_done
from filtersql.run.quarantine_selection import sort_out
from filtersql.run.removed_targets import leaves
from filtersql.run.rounds import below, reached, round_of
from filtersql.run.sizing import size_at_first, size_sessions
from filtersql.run.sources import FeedRead, stage_source
from filtersql.run.target_state import check_held, standings
from filtersql.targets.model import Engine, Written

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
    context.ordinal, context.made, context.feeds.known = known.ordinal, known.made, known
    check_free(
        name, known.last.get(name), context.lease.owner, lambda: all_done(engine, known, name)
    )
    found = standings(context.lanes, context.subscription, tables, known, context.options)
    context.targets = [
        TargetRun(
            standing,
            standing.position,
            lane=lane,
            quarantined=ledger.key_of(standing.compiled) in known.aside,
        )
        for lane, standing in enumerate(found)
    ]
    context.pending += leaves(engine, known, context.subscription, context.options)
    _note_known(context, known)
    landings = [Landing(standing.compiled, standing.position) for standing in found]
    with context.spent.on("read"):
        feed = context.feeds.of(
            context.subscription, landings, known, context.folder, context.on_read
        )
    if feed is not None:
        _take_feed(context, feed, known)
    _check_held(context)
    size_sessions(context)
    if feed is not None:
        _check_refills(context)
    sort_out(context, raising)
    _copy(context)
    try:
        _catch_up(context, context.upto)
        if context.files:
            context.pending.append(read_row(context, None))
        if not only_looking(context):
            commit(context, [], last=True)
    except Mistakes:
        _take_back(context)
        raise
    ledger.tidy(engine, schema, known.ordinal, context.ordinal)
    stopped = () if context.stop is None else context.stop.mistakes
    return [_result(target, context.stop) for target in context.targets], stopped


def _note_known(context: RunContext, known: Ledger) -> None:
    """What is known of the targets before anything is read."""
    name = context.subscription.name
    mine = {ledger.key_of(target.compiled) for target in context.targets}
    mine |= {row.key for row in context.pending}
    context.whole = all(
        entry.key in mine or entry.phase in ("dropped", "left")
        for entry in known.newest.values()
        if entry.subscription == name
    )
    context.furthest = known.reached.get(name, (0, -1))[1]
    for target in context.targets:
        standing = target.standing
        if standing.released and not only_looking(context):
            quarantine.remove_released(context.engine, target.compiled)
        if standing.settled and standing.entry is not None:
            context.proved[standing.entry.key] = replace(standing.entry, files=())
        if standing.accepted:
            # Else the next run would refuse the filter again, though nothing may have come since.
            context.pending.append(entry(context, target, "applied", target.position))


def _take_feed(context: RunContext, feed: FeedRead, known: Ledger) -> None:
    """What was staged for each target; those that have changes come first in the lanes."""
    context.boundary, context.records = feed.reading.boundary, feed.records
    context.cut = feed.reading.cut
    seen = known.files.get(context.subscription.name, {})
    context.files = tuple(file for file in feed.files if seen.get(file[0]) != file[1:])
    for target, staged in zip(context.targets, feed.reading.staged, strict=True):
        target.staged, target.columns = staged.path, staged.columns
        target.skipped, target.waiting = staged.skipped, staged.read
        whole = not feed.reading.waiting and context.stop is None
        if whole and target.standing.until is None:
            target.pending = staged.read
    ordered = sorted(context.targets, key=lambda target: target.untouched)
    for lane, target in enumerate(ordered):
        target.lane = lane


def _check_held(context: RunContext) -> None:
    """Whether the targets are there, and fit where they are asked or written. Raises Mistakes."""
    standing = [target for target in context.targets if not target.standing.copy]
    looked = {
        each.relation
        for target in context.targets
        if not target.untouched
        for each in target.compiled.lookups
    }
    asked = [t for t in standing if not t.untouched or t.compiled.relation in looked]
    others = [t for t in standing if t.untouched and t.compiled.relation not in looked]
    check_held(context.lanes, [t.standing for t in asked], [t.standing for t in others])


def _check_refills(context: RunContext) -> None:
    """A target that is copied again must find every change that it had. Raises Mistakes."""
    again = [t for t in context.targets if t.standing.copy and t.standing.refilled and t.staged]
    if not again:
        return
    rows = ledger.history(context.engine, context.inputs.state_schema)
    mistakes: list[Mistake] = []
    for target in again:
        assert target.staged is not None  # it was chosen for that
        context.engine.view(target.compiled.changes_view, target.staged, target.columns)
        try:
            check_reach(context.engine, target.compiled, target.name, rows, target.position)
        except Mistakes as found:
            mistakes += found.mistakes
    if mistakes:
        raise Mistakes(mistakes)


def _copy(context: RunContext) -> None:
    """Make and fill the targets that are missing; all sources are judged before."""
    missing = [target for target in context.targets if target.standing.copy]

    def source(engine: Engine, target: TargetRun) -> bool | Mistakes:
        path = context.folder / f"source-{target.lane}.parquet"
        try:
            return stage_source(context.inputs, engine, context.subscription, target.compiled, path)
        except Mistakes as found:
            return found

    with context.spent.on("read"):
        sources = context.lanes.each([(target.lane, target) for target in missing], source)
    mistakes = [m for one in sources if isinstance(one, Mistakes) for m in one.mistakes]
    if mistakes:
        raise Mistakes(mistakes)
    if not missing or only_looking(context):
        return
    _intend_copies(context, missing)
    try:
        filling = list(zip(missing, sources, strict=True))
        for asks in (False, True):
            # What a filter looks up is there before it is asked.
            chosen = [pair for pair in filling if asks is bool(pair[0].compiled.lookups)]
            with context.spent.on("merge"):
                context.lanes.each(
                    [(pair[0].lane, pair) for pair in chosen],
                    lambda engine, pair: _fill(context, engine, pair[0], has_source=bool(pair[1])),
                )
        context.pending += [
            entry(context, target, "copied", target.position)
            for target in missing
            if target.intended is None
        ]
    except Mistakes:
        _take_back(context)
        raise


def _intend_copies(context: RunContext, missing: Sequence[TargetRun]) -> None:
    """Write which targets are to be made, and the cut that they are to be brought to at once."""
    if context.engine.atomic:
        return
    cut = context.upto
    stays: list[Entry] = []
    goes: list[Entry] = []
    for target in missing:
        going = cut is not None and not target.untouched and below(target.position, cut)
        phase, proved = _copying(context, target)
        row = entry(context, target, phase, cut if going else target.position)
        row = replace(row, changes_read=target.pending or 0 if going else 0)
        target.intended = row if proved else None
        (goes if going else stays).append(row)
    context.pending += stays
    if cut is not None and context.whole and len(missing) == len(context.targets):
        # Behind the rows of those that it speaks of.
        reached(context, [t for t in missing if t.untouched and below(t.position, cut)], cut)
    intend(context, goes)


def _copying(context: RunContext, target: TargetRun) -> tuple[Phase, bool]:
    """The phase of a copy, and whether a mark, or the table itself, will prove it."""
    standing, compiled = target.standing, target.compiled
    if context.subscription.source is not None and compiled.copy_data:
        return "copying", True
    known = standing.entry
    there = standing.refilled or (known is not None and known.phase == "copying")
    return ("copying", False) if there else ("making", True)


def _fill(context: RunContext, engine: Engine, target: TargetRun, *, has_source: bool) -> None:
    compiled = target.compiled
    begin(context, target)
    renew(context, engine)
    with timed(target):
        config = dict(context.subscription.target_config)
        if target.quarantined:
            quarantine.drop(engine, compiled)
        if target.standing.unfinished:
            # What a killed run asked a server may go on there: into that table, not a new one.
            engine.drop(compiled.target)
        engine.create(compiled.target, compiled.column_definitions_sql, config)
        target.copied = True
        if has_source:
            define_lookups(engine, target, context.targets, None, completing=False)
            target.written += _filled(engine, target) or Written()


def _filled(engine: Engine, target: TargetRun) -> Written | None:
    try:
        return engine.write(target.compiled.initial_copy_sql, target.compiled, mark(target))
    except Mistakes as refused:
        if type(mistake := refused.mistakes[0]) is not EngineRefused:
            raise  # what is said of it helps more
        raise Mistakes([CopyRefused(target.name, mistake)]) from None


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
    if cut is not None and context.stop is known:
        going = [t for t in context.targets if not t.untouched and below(t.position, cut)]
        round_of(context, going, cut, last=True)


def _take_back(context: RunContext) -> None:
    """A refusal changes nothing: targets that this run made are removed again."""
    if context.engine.atomic or context.options.full_refresh:
        return
    filled = (context.options.refills(t.compiled) or t.standing.refilled for t in context.targets)
    fresh = [t for t, before in zip(context.targets, filled, strict=True) if not before]
    made = [target for target in fresh if target.copied]
    if any(target.position != target.standing.position for target in made):
        return
    # What is said of a cut was not reached.
    context.pending = [row for row in context.pending if row.phase == "left"]
    context.proved.clear()
    begun = [t for t in fresh if t.standing.copy] if context.prepared else []
    if made:
        try:
            note(context, context.engine, [held_row(context)], last=False)
        except Mistakes:
            return  # another run has them
    for target in made:
        context.engine.drop(target.compiled.target)
    commit(context, [entry(context, target, "dropped", None) for target in begun], last=True)


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
        position=target.position,
    )


def _message(target: TargetRun) -> str:
    written = target.written
    if target.repeated:
        return "an interrupted run is finished"
    if not (target.copied or target.read or target.released):
        return "the changed filter is accepted" if target.standing.accepted else "nothing new"
    counts = (
        (written.inserted, "inserted"),
        (written.updated, "updated"),
        (written.deleted, "deleted"),
    )
    said = ", ".join(f"{count} {word}" for count, word in counts if count) or "no row changed"
    return f"{'copied: ' if target.copied and not target.read else ''}{said}"
