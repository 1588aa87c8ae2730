"""A cut of the feed: all targets are judged up to it, then all of them are written.

Example
    round_of(context, targets, 17)    targets that stood at 12 stand at 17, or at the boundary
                                      before a conflict that stops the subscription
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.errors import Mistake, Mistakes
from filtersql.run.clock import show_clock
from filtersql.run.conflicting_change import first_stop
from filtersql.run.context import RunContext, TargetRun, only_looking, say_started, timed
from filtersql.run.entering import entering, enters
from filtersql.run.feed_reading import no_changes
from filtersql.run.holding import guarded, renew
from filtersql.run.ledger_entry import Entry, Phase
from filtersql.run.ledger_rows import commit, entry, intend, mark, reached
from filtersql.run.lookups import define_lookups
from filtersql.run.passing import judge_passing
from filtersql.run.quarantine_selection import put_aside, release_begins, release_ends
from filtersql.run.stage_and_judge import Judgement, StageRefused, judge_changes
from filtersql.targets.model import Engine

__all__ = ["below", "round_of"]


def round_of(
    context: RunContext, targets: Sequence[TargetRun], upto: int | None, *, last: bool = False
) -> None:
    """Judge the changes of all targets up to a cut; then write them all.

    `upto` None: before any change. `last`: it is the cut of the feed, where targets without changes
    stand, too.
    """
    judged = _judged(context, targets, upto)
    stop = first_stop((judgement for _, judgement in judged), context.boundary, context.position)
    if stop is not None:
        context.stop = stop
        # Targets that are further already stay where they are: nothing is taken back.
        targets = [t for t in targets if stop.upto is not None and below(t.position, stop.upto)]
        for target in targets:
            target.pending = None
        judged = [] if stop.upto is None else _judged(context, targets, stop.upto)
        upto = upto if stop.upto is None else stop.upto
    _count(judged)
    if not only_looking(context):
        # A stop before the first change that is pending moves nobody.
        moving = last and (stop is None or stop.upto is not None)
        moved = [t for t in context.targets if moving and t.untouched and below(t.reached, upto)]
        if stop is not None:
            _stay(context, [t for t, _ in judged] + moved)
        _write(context, judged, upto, moved)


def below(position: int | None, upto: int | None) -> bool:
    """Whether a target has not got to a cut yet."""
    return upto is not None and (position is None or position < upto)


def _stay(context: RunContext, going: Sequence[TargetRun]) -> None:
    """Say that a target which a stop leaves at its copy stands there, not at the cut."""
    names = {target.name for target in going}
    context.pending += [
        entry(context, target, "copied", target.position)
        for target in context.targets
        if target.intended is not None and target.name not in names
    ]


def _count(judged: Sequence[tuple[TargetRun, Judgement]]) -> None:
    for target, judgement in judged:
        if not target.releasing:
            target.read += judgement.changes
        target.sample = (*target.sample, *judgement.sample)
        for kind, count in judgement.conflicts.items():
            target.conflicts[kind] += count


def _judged(
    context: RunContext, targets: Sequence[TargetRun], upto: int | None
) -> list[tuple[TargetRun, Judgement]]:
    """What is about to be written to each target. Raises Mistakes."""
    looking = only_looking(context)
    judging = [t for t in targets if t.staged is not None or t.compiled.clock]
    judging = [t for t in judging if not (looking and t.standing.copy)]
    with context.spent.on("reduce"):
        found = context.lanes.each(
            [(target.lane, target) for target in judging],
            lambda engine, target: _judge(context, engine, target, upto),
        )
    mistakes = [mistake for _, wrong in found for mistake in wrong]
    if mistakes:
        raise Mistakes(mistakes)
    return [(target, judgement) for target, (judgement, _) in zip(judging, found, strict=True)]


def _write(
    context: RunContext,
    judged: Sequence[tuple[TargetRun, Judgement]],
    upto: int | None,
    moved: Sequence[TargetRun],
) -> None:
    judged = [pair for pair in judged if not _is_idle(*pair, upto)]
    writing = [(target, judgement) for target, judgement in judged if judgement.staged]
    for target, _ in judged:
        put_aside(context, target, upto)
        if target.releasing:
            release_begins(context, target)
    reached(context, moved, upto)
    # Of its tables more was read than its own row tells, though nothing that it takes.
    context.pending += [
        entry(context, target, "applied", upto)
        for target in moved
        if target.newest != target.standing.newest
    ]
    if not context.engine.atomic:
        context.pending += [
            _row(context, pair, "applied", upto) for pair in judged if not pair[1].staged
        ]
        _intend(context, writing, upto)
    with context.spent.on("merge"):
        context.lanes.each(
            [(pair[0].lane, pair) for pair in writing],
            lambda engine, pair: _merge(context, engine, *pair, upto),
        )
    if context.engine.atomic:
        context.pending += [_row(context, pair, "applied", upto) for pair in judged]
    for target in (*(target for target, _ in judged), *moved):
        at = target.position_at(context.subscription.changes, upto)
        target.position, target.reached = at, target.reached_at(upto)
    _end_releases(context, [target for target, _ in judged if target.releasing])


def _is_idle(target: TargetRun, judgement: Judgement, upto: int | None) -> bool:
    """Whether only time has passed, and no row left because of it."""
    moves = below(target.position, upto) or target.releasing or target.standing.until is not None
    return not (moves or judgement.staged or judgement.changes)


def _intend(
    context: RunContext, writing: Sequence[tuple[TargetRun, Judgement]], upto: int | None
) -> None:
    """Write what is about to be merged, but for what the intention of a copy says already."""
    rows = [
        _row(context, pair, "releasing" if pair[0].releasing else "applying", upto)
        for pair in writing
        if not _is_intended(*pair, upto)
    ]
    if rows:
        intend(context, rows)


def _row(
    context: RunContext, pair: tuple[TargetRun, Judgement], phase: Phase, upto: int | None
) -> Entry:
    """What is written of one cut: its changes alone, whatever cut was finished before it."""
    target, judgement = pair
    changes = 0 if target.releasing else judgement.changes
    return replace(entry(context, target, phase, upto), changes_read=changes)


def _is_intended(target: TargetRun, judgement: Judgement, upto: int | None) -> bool:
    said = target.intended
    same = said is not None and (said.position, said.changes_read) == (upto, judgement.changes)
    return same and not any(judgement.conflicts.values())


def _end_releases(context: RunContext, targets: Sequence[TargetRun]) -> None:
    """What was released is forgotten once the ledger says that it was applied."""
    if targets and not context.engine.atomic:
        commit(context, [entry(context, target, "applied", target.position) for target in targets])
    for target in targets:
        release_ends(context, target)


def _judge(
    context: RunContext, engine: Engine, target: TargetRun, upto: int | None
) -> tuple[Judgement, list[Mistake]]:
    compiled, stage = target.compiled, f"filtersql_stage__{target.lane}"
    with timed(target):
        show_clock(engine, compiled, target.clock)
        try:
            if enters(target, upto):
                with entering(context, engine, target):
                    return judge_changes(engine, compiled, stage, 0)
            passes = not (target.releasing or below(target.position, upto))
            if target.staged is None or passes:
                engine.define(compiled.changes_view, no_changes(compiled, engine.dialect))
            else:
                engine.view(
                    compiled.changes_view,
                    target.staged,
                    target.columns,
                    above=None if target.releasing else target.position,
                    upto=-1 if upto is None else upto,
                )
            define_lookups(engine, target, context.targets, upto, completing=context.completing)
            if passes and target.clock is not None:
                return judge_passing(engine, compiled, stage, target.clock), []
            return judge_changes(
                engine,
                compiled,
                stage,
                target.pending,
                completing=context.completing,
                truncates=target.truncates,
            )
        except StageRefused:
            raise
        except Mistakes as found:
            if engine.atomic:
                raise  # a statement that failed has ended the transaction: no other can be judged
            return Judgement(compiled, "", 0, 0, {}), list(found.mistakes)


def _merge(
    context: RunContext, engine: Engine, target: TargetRun, judgement: Judgement, upto: int | None
) -> None:
    say_started(context, target)
    renew(context, engine)
    with timed(target):
        written = guarded(context, engine).write(
            judgement.merge, target.compiled, mark(context, target, upto)
        )
    if written is None:
        target.repeated += 1
    else:
        target.written += written
        target.aged = target.aged or not judgement.changes
