"""One subscription, from where its targets stand to the cut: all of it, or a refusal.

Example
    1. the feed is judged and staged; the sources of missing targets are judged and staged
    2. missing targets are made and copied
    3. every target's rows are staged and judged; nothing was merged so far
    4. ledger: applying; one MERGE for each target with its mark; ledger: applied

    On DuckDB all of that is one transaction. Elsewhere a refusal after step 2 removes the targets
    that step 2 made, and a kill in step 4 is finished by the next run, with the same cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.raising import CopyRefused
from filtersql.errors.targets import EngineRefused
from filtersql.feeds.images import Landing
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import ledger, quarantine
from filtersql.run.conflicting_change import Stop
from filtersql.run.context import (
    Target,
    Work,
    begin,
    commit,
    entry,
    mark,
    now,
    only_looking,
    renew,
    settled_phase,
    timed,
)
from filtersql.run.feed_reach import check_reach
from filtersql.run.lease import check_free
from filtersql.run.ledger import Entry
from filtersql.run.lookups import check_chosen, define_lookups
from filtersql.run.model import TableResult
from filtersql.run.quarantine_selection import sort_out
from filtersql.run.removed_targets import leaves
from filtersql.run.rounds import below, round_of
from filtersql.run.sources import FeedRead, stage_source
from filtersql.run.target_state import standings
from filtersql.targets.depth import configure
from filtersql.targets.model import Engine, Written

__all__ = ["apply_subscription"]


def apply_subscription(
    work: Work, tables: Sequence[CompiledTable], raising: Mapping[str, Mapping[int, str]]
) -> tuple[list[TableResult], tuple[Mistake, ...]]:
    """Bring all targets of a subscription to the feed's cut. Raises Mistakes.

    `raising` are changes to be put aside, by the name of their target, and why. The mistakes that
    come with the results stopped it at an earlier boundary.
    """
    engine, schema = work.engine, work.inputs.state_schema
    check_chosen(tables)
    for each in work.lanes.engines:
        configure(each, {k: v for table in tables for k, v in table.settings.items()})
    known = ledger.read(engine, schema)
    work.ordinal, work.made, work.feeds.known = known.ordinal, known.made, known
    check_free(work.subscription.name, known.last.get(work.subscription.name), work.lease.owner)
    found = standings(work.lanes, work.subscription, tables, known.newest, work.options)
    work.targets = [
        Target(
            standing,
            standing.position,
            lane=lane,
            quarantined=ledger.key_of(standing.compiled) in known.aside,
        )
        for lane, standing in enumerate(found)
    ]
    work.pending += leaves(known, work.subscription, work.options)
    for target in work.targets:
        if target.standing.released and not only_looking(work):
            quarantine.remove_released(engine, target.compiled)
        if target.standing.settled:
            target.settled = True
            work.pending.append(entry(work, target, settled_phase(target), target.position))
        elif target.standing.accepted:
            # Else the next run would refuse the filter again, though nothing may have come since.
            work.pending.append(entry(work, target, "applied", target.position))
    landings = [Landing(standing.compiled, standing.position) for standing in found]
    feed = work.feeds.of(work.subscription, landings, known, work.folder, work.on_read)
    if feed is not None:
        work.boundary, work.records = feed.reading.boundary, feed.records
        for target, staged in zip(work.targets, feed.reading.staged, strict=True):
            target.staged, target.columns = staged.path, staged.columns
            target.skipped = staged.skipped
            whole = not feed.reading.waiting and work.stop is None
            if whole and target.standing.until is None:
                target.pending = staged.read
        _check_refills(work)
    sort_out(work, raising)
    _copy(work)
    try:
        work.cut = None if feed is None else feed.reading.cut
        _catch_up(work, work.upto)
        _remember(work, feed)
        if not only_looking(work):
            commit(work, [], last=True)
    except Mistakes:
        _take_back(work)
        raise
    ledger.tidy(engine, schema, known.ordinal, work.ordinal)
    stopped = () if work.stop is None else work.stop.mistakes
    return [_result(target, work.stop) for target in work.targets], stopped


def _check_refills(work: Work) -> None:
    """A target that is copied again must find every change that it had. Raises Mistakes."""
    again = [t for t in work.targets if t.standing.copy and t.standing.refilled and t.staged]
    if not again:
        return
    rows = ledger.history(work.engine, work.inputs.state_schema)
    mistakes: list[Mistake] = []
    for target in again:
        assert target.staged is not None  # it was chosen for that
        work.engine.view(target.compiled.changes_view, target.staged, target.columns)
        try:
            check_reach(work.engine, target.compiled, target.name, rows, target.position)
        except Mistakes as found:
            mistakes += found.mistakes
    if mistakes:
        raise Mistakes(mistakes)


def _copy(work: Work) -> None:
    """Make and fill the targets that are missing; all sources are judged before."""
    missing = [target for target in work.targets if target.standing.copy]

    def source(engine: Engine, target: Target) -> bool | Mistakes:
        path = work.folder / f"source-{target.lane}.parquet"
        try:
            return stage_source(work.inputs, engine, work.subscription, target.compiled, path)
        except Mistakes as found:
            return found

    sources = work.lanes.each([(target.lane, target) for target in missing], source)
    mistakes = [m for one in sources if isinstance(one, Mistakes) for m in one.mistakes]
    if mistakes:
        raise Mistakes(mistakes)
    if not missing or only_looking(work):
        return
    commit(work, [entry(work, target, "copying", target.position) for target in missing])
    try:
        filling = list(zip(missing, sources, strict=True))
        for asks in (False, True):
            # What a filter looks up is there before it is asked.
            work.lanes.each(
                [
                    (pair[0].lane, pair)
                    for pair in filling
                    if asks is bool(pair[0].compiled.lookups)
                ],
                lambda engine, pair: _fill(work, engine, pair[0], has_source=bool(pair[1])),
            )
        work.pending += [entry(work, target, "copied", target.position) for target in missing]
    except Mistakes:
        _take_back(work)
        raise


def _fill(work: Work, engine: Engine, target: Target, *, has_source: bool) -> None:
    compiled = target.compiled
    begin(work, target)
    renew(work, engine)
    with timed(target):
        config = dict(work.subscription.target_config)
        if target.quarantined:
            quarantine.drop(engine, compiled)
        if target.standing.unfinished:
            # What a killed run asked a server may go on there: into that table, not a new one.
            engine.drop(compiled.target)
        engine.create(compiled.target, compiled.column_definitions_sql, config)
        target.copied = True
        if has_source:
            define_lookups(engine, target, work.targets, None, completing=False)
            target.written += _filled(engine, target) or Written()


def _filled(engine: Engine, target: Target) -> Written | None:
    try:
        return engine.write(target.compiled.initial_copy_sql, target.compiled, mark(target))
    except Mistakes as refused:
        if type(mistake := refused.mistakes[0]) is not EngineRefused:
            raise  # what is said of it helps more
        raise Mistakes([CopyRefused(target.name, mistake)]) from None


def _catch_up(work: Work, cut: int | None) -> None:
    """First what a killed run left undone, then everything up to the cut."""
    unfinished = {t.standing.until for t in work.targets if t.standing.until is not None}
    known = work.stop
    for position in sorted(
        {t.position for t in work.targets if t.releasing and t.position is not None}
    ):
        round_of(
            work, [t for t in work.targets if t.releasing and t.position == position], position
        )
    for until in sorted(unfinished):
        round_of(work, [t for t in work.targets if t.standing.until == until], until)
    if cut is not None and work.stop is known:
        round_of(work, [t for t in work.targets if below(t.position, cut)], cut)


def _take_back(work: Work) -> None:
    """A refusal changes nothing: targets that this run made are removed again."""
    if work.engine.atomic or work.options.full_refresh:
        return
    filled = (work.options.refills(t.compiled) or t.standing.refilled for t in work.targets)
    fresh = [t for t, before in zip(work.targets, filled, strict=True) if not before]
    made = [target for target in fresh if target.copied]
    if any(target.position != target.standing.position for target in made):
        return
    for target in made:
        work.engine.drop(target.compiled.target)
    begun = [t for t in fresh if t.standing.copy] if work.prepared else []
    work.pending = [row for row in work.pending if row.phase != "copied"]
    commit(work, [entry(work, target, "dropped", None) for target in begun], last=True)


def _remember(work: Work, feed: FeedRead | None) -> None:
    """The files that were consumed, for the next commit of the ledger."""
    if feed is None or not feed.files:
        return
    name = work.subscription.name
    work.pending.append(
        Entry(0, name, "", "", "", "", False, 0, "read", files=feed.files, at=now())
    )


def _result(target: Target, stop: Stop | None) -> TableResult:
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


def _message(target: Target) -> str:
    written = target.written
    if target.repeated or target.settled:
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
