"""Missing targets are made and filled from their sources; a refusal takes them away again.

Example
    1. all sources are staged and judged
    2. ledger: copying, with the cut that the changes will bring them to
    3. each is made and filled; what a filter looks up is there before it is asked
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.errors import Mistakes
from filtersql.errors.stopping import refused_rows
from filtersql.run import quarantine
from filtersql.run.clock import show_clock
from filtersql.run.context import RunContext, TargetRun, only_looking, say_started, timed
from filtersql.run.holding import guarded, held_row, note, renew
from filtersql.run.ledger_entry import Entry, Phase
from filtersql.run.ledger_rows import commit, entry, intend, mark, reached
from filtersql.run.lookups import define_lookups
from filtersql.run.rounds import below
from filtersql.run.sources import stage_source
from filtersql.targets.marks import Written
from filtersql.targets.model import Engine

__all__ = ["copy_missing", "take_back"]


def copy_missing(context: RunContext) -> None:
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
        take_back(context)
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
    say_started(context, target)
    renew(context, engine)
    with timed(target):
        config = dict(context.subscription.target_config)
        if target.quarantined:
            quarantine.drop(context, engine, compiled)
        if target.standing.unfinished:
            # What a killed run asked a server may go on there: into that table, not a new one.
            guarded(context, engine).drop(compiled.target)
        guarded(context, engine).create(compiled.target, compiled.column_definitions_sql, config)
        target.copied = True
        if has_source:
            define_lookups(engine, target, context.targets, None, completing=False)
            show_clock(engine, compiled, target.clock)
            target.written += _filled(context, engine, target) or Written()


def _filled(context: RunContext, engine: Engine, target: TargetRun) -> Written | None:
    copied = mark(context, target, target.position)
    try:
        return guarded(context, engine).write(
            target.compiled.initial_copy_sql, target.compiled, copied
        )
    except Mistakes as refused:
        doing = f'the initial copy of "{target.name}"'
        raise Mistakes(refused_rows(refused.mistakes, doing)) from None


def take_back(context: RunContext) -> None:
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
        guarded(context, context.engine).drop(target.compiled.target)
    commit(context, [entry(context, target, "dropped", None) for target in begun], last=True)
