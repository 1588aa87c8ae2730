"""What a run writes of its targets: rows of the ledger, and the marks that stand with their data.

Example
    context.pending.append(entry(context, target, "applied", 17))    # in with the next commit
    intend(context, [entry(context, target, "applying", 17)])    # before the MERGE
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from filtersql.feeds.formats import end_of_place
from filtersql.names import RelationName
from filtersql.run import definitions_in_force
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.holding import held_row, note, now
from filtersql.run.ledger_entry import Entry, Phase, named_definition, stored_place
from filtersql.targets.marks import Mark

__all__ = ["commit", "entry", "hold", "intend", "mark", "reached", "read_row"]

#: how many marks may be asked for in each run, until another commit takes what they prove along,
#: and for how long: some day maintenance expires the snapshots that hold them
MOST_PROVED = 16
_LONGEST_PROVED = timedelta(days=1)


def commit(context: RunContext, entries: Sequence[Entry], *, last: bool = False) -> None:
    """Write the pending rows of the ledger and these, in one commit.

    They renew the run's lease; the last ones give it back.
    """
    proved = [*context.proved.values()]
    due = last and (len(proved) > MOST_PROVED or any(map(_is_old, proved)))
    if context.pending or entries or due:
        rows = [*context.pending, *entries]
        newer = {row.key for row in rows}
        rows = [*(row for key, row in context.proved.items() if key not in newer), *rows]
        with context.spent.on("commit"):
            _store_definitions(context, rows)
            note(context, context.engine, rows, last=last, made=context.ledgers.made)
        context.prepared = True
        context.ledgers.wrote(len(rows))
        context.pending.clear()
        context.proved.clear()


def hold(context: RunContext) -> None:
    """Take the lease before anything is written that no intention names. Raises Mistakes."""
    if not context.engine.atomic and (context.lease.ends_by_marks or not context.lease.held):
        commit(context, [held_row(context)])


def _is_old(row: Entry) -> bool:
    return not row.at or datetime.now(UTC) - datetime.fromisoformat(row.at) > _LONGEST_PROVED


def _store_definitions(context: RunContext, rows: Sequence[Entry]) -> None:
    """The texts of definitions that the ledger is about to name for the first time."""
    fresh = {row.definition for row in rows} - context.defined - {""}
    if fresh:
        named = {target.compiled.definition.hash: target.compiled for target in context.targets}
        chosen = [named[each].definition for each in sorted(fresh & named.keys())]
        definitions_in_force.store(context.engine, context.inputs.state_schema, chosen)
        context.defined |= fresh


def intend(context: RunContext, entries: Sequence[Entry]) -> None:
    """Write what is about to be done: the marks of all of these will tell that the run is over."""
    if context.files:
        context.pending.append(read_row(context, None))
    commit(context, entries)
    context.lease.ends_by_marks = True


def read_row(context: RunContext, position: int | None) -> Entry:
    """A row on the feed: which files need not be opened again, and where all targets stand."""
    files, context.files = context.files, ()
    return replace(held_row(context), phase="read", position=position, files=files)


def mark(context: RunContext, target: TargetRun, upto: int | None) -> Mark:
    """What is committed with the target's data, which is brought to a cut."""
    compiled = target.compiled
    at = target.position_at(context.subscription.changes, upto)
    generation = target.standing.generation
    return Mark(compiled.subscription, compiled.relation, generation, at, target.clock)


def entry(context: RunContext, target: TargetRun, phase: Phase, upto: int | None) -> Entry:
    """A row for the ledger on a target that is brought to a cut; it is numbered when written."""
    compiled, standing = target.compiled, target.standing
    own = target.position_at(context.subscription.changes, upto)
    read_to = target.reached_at(upto)
    apart = own != read_to or target.position != target.reached
    kept = standing.accepted or (standing.entry is not None and standing.entry.stale)
    return Entry(
        ordinal=0,
        subscription=compiled.subscription,
        relation_schema=compiled.relation.schema,
        relation_name=compiled.relation.name,
        target=compiled.target_sql,
        filter_hash=named_definition(compiled, stale=kept and not standing.copy),
        via_partition_root=compiled.via_partition_root,
        generation=standing.generation,
        phase=phase,
        from_position=target.reached,
        position=read_to,
        rows_inserted=target.written.inserted,
        rows_updated=target.written.updated,
        rows_deleted=target.written.deleted,
        changes_read=target.read,
        changes_skipped=target.skipped,
        conflicts=dict(target.conflicts),
        at=now(),
        clock=target.clock,
        own=stored_place(own) if apart else None,
        own_before=stored_place(target.position) if apart else None,
        tables=None if target.newest is None else _tables(context, target.newest, upto),
    )


def _tables(
    context: RunContext, newest: Mapping[RelationName, int], upto: int | None
) -> tuple[tuple[str, str, int], ...]:
    """What a row tells of tables: no change behind the place of the cut."""
    last = -1 if upto is None else end_of_place(context.subscription.changes, upto)
    return tuple((*name, min(seq, last)) for name, seq in sorted(newest.items()))


def reached(context: RunContext, moved: Sequence[TargetRun], upto: int | None) -> None:
    """Say where targets without changes stand: in one row, if the run has all targets there are."""
    if not moved or upto is None:
        return
    if context.whole and context.told is None and upto >= context.furthest:
        context.told = upto
        context.pending.append(read_row(context, upto))
    elif context.told != upto:
        context.pending += [entry(context, target, "applied", upto) for target in moved]
