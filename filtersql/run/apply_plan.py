"""`apply`: a plan is carried out, target by target: rows, definition and position in one commit.

Example
    1. the subscription's lease is free; the plan is made, and its rows are staged
    2. it is shown, and somebody agrees
    3. ledger: changing, with the definition that is to come in force; this takes the lease
    4. one statement for each target, with a mark that has the number of its intention
    5. ledger: applied, which gives the lease back

    A target of which no row moves takes its definition with step 3. Where another process was
    faster, step 3 is refused and nothing was written. On DuckDB all is one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.run import definitions_in_force
from filtersql.run.holding import beating, guarded, note, release, renew, staying
from filtersql.run.lease import Lease, leased
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import CHANGING, Entry, Phase, named_definition, stored_place
from filtersql.run.model import Inputs
from filtersql.run.planned_target import Judge, PlannedTarget
from filtersql.run.planning import plan_targets
from filtersql.run.proofs import changed_mark, check_lease, parts_of
from filtersql.run.source_at_position import SourcedTarget
from filtersql.run.target_landings import tables_of
from filtersql.source import Source
from filtersql.targets.marks import Written
from filtersql.targets.model import Engine, Undone
from filtersql.targets.work_folder import work_folder

__all__ = ["Applied", "apply_plan", "plan"]

#: changes that are carried out by rows of the ledger and one statement
_CARRIED_OUT = frozenset(
    {"equivalent", "narrower", "wider", "mixed", "actions", "columns", "rebuild"}
)


class Applied(Struct, frozen=True):
    """What `apply` did to a target; `written` is None where it was committed before."""

    planned: PlannedTarget
    written: Written | None = Written()


def plan(
    inputs: Inputs,
    tables: Mapping[str, Sequence[SourcedTarget]],
    engine: Engine,
    judge: Judge | None = None,
    defined: frozenset[tuple[str, str, str]] | None = None,
) -> list[PlannedTarget]:
    """Every target that changes; nothing is written. Mistakes of a target are in its record."""
    found: list[PlannedTarget] = []
    try:
        with work_folder(engine, "plan") as folder, engine.transaction():
            found += plan_targets(inputs, tables, engine, folder, judge, defined, keeps=False)[1]
            raise Undone
    except Undone:
        return found
    finally:
        engine.clear()


def apply_plan(
    inputs: Inputs,
    tables: Mapping[str, Sequence[SourcedTarget]],
    engine: Engine,
    approve: Callable[[Sequence[PlannedTarget]], bool],
    judge: Judge | None = None,
    defined: frozenset[tuple[str, str, str]] | None = None,
    *,
    drop_removed: bool = False,
) -> list[Applied] | None:
    """Plan, ask, carry out. None: it was not approved. Raises Mistakes: nothing was written then.

    A target that cannot be planned refuses the whole, but for a new one: nothing is done to it.
    """
    done: list[Applied] = []
    try:
        with leased() as lease, work_folder(engine, "plan") as folder, engine.transaction():
            known, planned = plan_targets(
                inputs, tables, engine, folder, judge, defined, drop_removed=drop_removed
            )
            _check(engine, known, planned, lease)
            if not approve(planned):
                raise Undone
            for name in dict.fromkeys(each.subscription for each in planned):
                mine = [each for each in planned if each.subscription == name]
                holder = _Holder(inputs, _named(inputs, name), lease, engine, known.number_of(name))
                done += _carried_out(holder, mine)
    except Undone:
        return None
    finally:
        engine.clear()
    return done


class _Holder(Struct):
    """What holds a subscription's lease while its targets change."""

    inputs: Inputs
    subscription: Subscription
    lease: Lease
    engine: Engine
    #: the ledger's last number
    ordinal: int


def _named(inputs: Inputs, name: str) -> Subscription:
    """A subscription; one that is gone has nothing but its name."""
    gone = Subscription(name, Source("", "").span(0, 0), ())
    return inputs.subscriptions.get(name, gone)


def _check(engine: Engine, known: Ledger, planned: Sequence[PlannedTarget], lease: Lease) -> None:
    """Raises everything that forbids to carry out a plan."""
    mistakes = [mistake for each in planned if each.change != "new" for mistake in each.mistakes]
    if mistakes:
        raise Mistakes(mistakes)
    for name in dict.fromkeys(each.subscription for each in planned):
        check_lease(engine, known, name, lease.owner)


def _carried_out(holder: _Holder, planned: Sequence[PlannedTarget]) -> list[Applied]:
    """The targets of one subscription. Raises Mistakes."""
    engine, schema = holder.engine, holder.inputs.state_schema
    changing = [each for each in planned if each.change in _CARRIED_OUT]
    dropped = [each for each in planned if each.change == "removed" and each.delete is not None]
    if not (changing or dropped):
        return []
    definitions_in_force.store(
        engine, schema, (each.compiled.definition for each in changing if each.compiled)
    )
    moving = [each for each in changing if each.moved is not None and each.moved.writes]
    resting = [each for each in changing if each not in moving]
    # A mark has the number that the ledger is about to give to its intention.
    intended = [
        replace(_row(each, CHANGING), ordinal=0 if engine.atomic else number)
        for number, each in enumerate(moving, holder.ordinal + 1)
    ]
    rows = [] if engine.atomic else [*intended]
    rows += (_row(each, "applied") for each in resting)
    try:
        held = bool(moving or dropped)
        if rows:
            note(holder, engine, rows, last=not held)
        with beating(holder):
            done = [
                Applied(each, _written(holder, each, row))
                for each, row in zip(moving, intended, strict=True)
            ]
            for each in dropped:
                renew(holder, engine)
                assert each.entry is not None  # the ledger named it
                guarded(holder, engine).drop(parts_of(each.entry))
        ended = [_row(each.planned, "applied", each.written) for each in done]
        ended += [_row(each, "dropped") for each in dropped]
        if ended:
            note(holder, engine, ended, last=True)
    except BaseException:
        release(holder)
        raise
    return [*done, *map(Applied, (*resting, *dropped))]


def _written(holder: _Holder, planned: PlannedTarget, intended: Entry) -> Written | None:
    compiled, moved = planned.compiled, planned.moved
    assert compiled is not None  # it is defined
    assert moved is not None  # rows of it move
    renew(holder, holder.engine)
    written = guarded(holder, holder.engine).write(moved.merge, compiled, changed_mark(intended))
    # Not every engine says what a DELETE took; a table that takes another's place never does.
    told = not moved.rebuilds and moved.merge != moved.statement
    return written if told or written is None else Written(moved.insert, moved.update, moved.delete)


def _row(planned: PlannedTarget, phase: Phase, written: Written | None = None) -> Entry:
    """A row of the ledger: the position is the one that was."""
    entry, compiled = planned.entry, planned.compiled
    assert entry is not None  # only a target of the ledger changes
    compared = planned.moved is not None and planned.moved.reads_source
    kept = planned.stale and not compared
    own = entry.own
    if compiled is not None and entry.tables is not None:
        tables = tables_of(compiled)
        if planned.change in ("actions", "rebuild") or entry.read.keys() != tables:
            # It may take changes that it did not take when they were read.
            own = stored_place(entry.read_of(tables))
    named = entry.filter_hash
    if compiled is not None:
        named = named_definition(compiled, stale=kept)
    return replace(
        staying(entry, written or Written()),
        filter_hash=named,
        via_partition_root=(compiled or entry).via_partition_root,
        phase=phase,
        own=own,
        own_before=own,
        position=None if phase == "dropped" else entry.position,
        clock=planned.clock,
    )
