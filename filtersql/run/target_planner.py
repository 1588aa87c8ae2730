"""One target while it is planned: which rows its changed definition moves.

Example
    ======================== ================================================================
    what differs             then
    ======================== ================================================================
    nothing                  there is no plan for it
    no condition of a filter the rows of the target are counted
    a filter                 those that move are staged and counted
    a column, or the key     all rows of the table that takes the target's place are
    ======================== ================================================================

    A target that is not there, or that an interrupted run left behind, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import TARGET_GONE, TARGET_MOVED
from filtersql.errors.auditing import CHANGED_BY_HAND, ROWS_STAYED, UNFINISHED_CHANGE
from filtersql.errors.stopping import refused_rows
from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.definition import Definition
from filtersql.rendering.definition_changes import (
    Change,
    FilterVerdict,
    Kind,
    change_between,
    doubts,
    kind_by_data,
    rows_tell,
)
from filtersql.run.clock import clock_for
from filtersql.run.counts import count_table
from filtersql.run.feed_reading import check_reads
from filtersql.run.ledger_entry import INTENDED, Entry, is_in_force
from filtersql.run.model import Inputs
from filtersql.run.moved_rows import Moved, moved_rows
from filtersql.run.planned_target import Judge, PlannedTarget
from filtersql.run.rebuilt_rows import rebuilt_rows
from filtersql.run.source_at_position import SourceAtPosition, SourcedTarget
from filtersql.run.table_columns import unfit
from filtersql.targets.model import Engine

__all__ = ["Planner"]

_NO_VERDICT = FilterVerdict()


class Planner(Struct, frozen=True):
    """One target while it is planned."""

    inputs: Inputs
    subscription: Subscription
    sourced: SourcedTarget
    engine: Engine
    folder: Path
    judge: Judge | None
    clock: datetime
    number: int
    keeps: bool

    @property
    def compiled(self) -> CompiledTable:
        """What was compiled for it."""
        return self.sourced.compiled

    def plan(self, entry: Entry | None, before: Definition | None) -> PlannedTarget | None:
        """None where the definition is the same. Raises Mistakes."""
        if entry is None:
            check_reads(self.subscription)
            return self._planned(None, "new", says=("the next run makes and copies it",))
        if self._same(entry):
            return None
        if entry.target != self.compiled.target_sql:
            name, target = self.compiled.unique_id, self.compiled.target_sql
            raise Mistakes([TARGET_MOVED(name=name, before=entry.target, now=target)])
        change = self._change(entry) if before is None else change_between(before, self._now)
        says = list(change.said)
        if before is None:
            says.append("of the definition in force only the hash is known: the data decides")
        self._check(entry, rebuilds=bool(change.rebuilds or change.columns))
        planned = self._changed(entry, change, before, says)
        # What is published from now on does not explain the rows of before either.
        return replace(planned, stale=entry.stale or bool(change.actions))

    def _changed(
        self, entry: Entry, change: Change, before: Definition | None, says: list[str]
    ) -> PlannedTarget:
        """What moves. Raises Mistakes."""
        if not (change.rebuilds or change.columns or change.filters):
            kind: Kind = "actions" if change.actions else "equivalent"
            return self._counted(entry, kind, None, says)
        if change.rebuilds or change.columns:
            return self._rebuilt(entry, change, before, says)
        verdict, trusts = _NO_VERDICT, not (entry.stale or change.actions)
        if entry.stale:
            says.append("rows of an earlier definition were kept: the data decides")
        elif trusts and before is not None and self.judge is not None:
            verdict = self.judge(self.compiled, before)
        if (verdict.enters, verdict.leaves) == (False, False):
            return self._counted(entry, "equivalent", None, [*says, "no row can tell them apart"])
        return self._moving(entry, verdict, says, trusts=trusts)

    @property
    def _now(self) -> Definition:
        return self.compiled.definition

    def _same(self, entry: Entry) -> bool:
        """Whether the definition is the one in force, as far as an earlier version told it."""
        if entry.definition:
            return is_in_force(entry, self.compiled)
        return self._change(entry) == Change()

    def _change(self, entry: Entry) -> Change:
        """What differs where only the hash of the filters is known."""
        compiled, held = self.compiled, self.engine.columns(self.compiled.target)
        names = [name.lower() for name, _ in held]
        others = names != [each.name.lower() for each in compiled.columns]
        rebuilds: list[str] = []
        if entry.via_partition_root != compiled.via_partition_root:
            rebuilds.append("the partition root flag changed")
        if held and (others or unfit(compiled.unique_id, compiled, held, self.engine.dialect)):
            rebuilds.append("the table has other columns")
        return Change(tuple(rebuilds), filters=entry.judged_by != compiled.filter_hash)

    def refused(self, entry: Entry | None, wrong: Mistakes) -> PlannedTarget:
        """What cannot be planned, and why."""
        mistakes = refused_rows(wrong.mistakes, f'the plan of "{self.compiled.unique_id}"')
        return replace(self._planned(entry, "mixed" if entry else "new"), mistakes=mistakes)

    def _check(self, entry: Entry, *, rebuilds: bool) -> None:
        """Whether the target is there as it should be. Raises Mistakes."""
        name, compiled = self.compiled.unique_id, self.compiled
        if entry.phase in INTENDED:
            table = str(compiled.relation)
            raise Mistakes([UNFINISHED_CHANGE(name=name, table=table)])
        held = self.engine.columns(compiled.target)
        if not held:
            raise Mistakes([TARGET_GONE(name=name, target=compiled.target_sql)])
        if not rebuilds and (wrong := unfit(name, compiled, held, self.engine.dialect)):
            raise Mistakes(wrong)

    def _source(self, entry: Entry) -> SourceAtPosition:
        """What reads the source; what the target's filters ask beside a row is shown."""
        way = "filtersql run under the earlier definition"
        source = SourceAtPosition(
            self.inputs, self.subscription, self.sourced, self.engine, self.folder, way
        )
        source.show_beside(self._clock(entry))
        return source

    @property
    def _stage(self) -> str:
        return f"filtersql_change__{self.number}"

    def _rebuilt(
        self, entry: Entry, change: Change, before: Definition | None, says: Sequence[str]
    ) -> PlannedTarget:
        """The rows of the table that takes the target's place. Raises Mistakes."""
        kind: Kind = "rebuild" if change.rebuilds else "columns"
        source = self._source(entry)
        moved = rebuilt_rows(self.engine, source, entry, change, before, self._stage)
        verdict, judge = _NO_VERDICT, None if entry.stale else self.judge
        if before is not None and judge is not None and rows_tell(before, self._now):
            verdict = judge(self.compiled, before)
            says = (*says, *doubts(verdict, delete=moved.delete, insert=moved.insert))
        return _shown(self._counted(entry, kind, moved, says), moved, verdict)

    def _moving(
        self, entry: Entry, verdict: FilterVerdict, says: Sequence[str], *, trusts: bool
    ) -> PlannedTarget:
        """The rows that move, staged and counted. Raises Mistakes."""
        moved = moved_rows(
            self.engine, self._source(entry), entry, self._stage, verdict, keeps=self.keeps
        )
        if moved.unexplained and trusts:
            raise Mistakes([self._unexplained(moved.unexplained)])
        words = (*says, *doubts(verdict, delete=moved.delete, insert=moved.insert))
        kind = kind_by_data(verdict, delete=moved.delete, insert=moved.insert, update=moved.update)
        return _shown(self._counted(entry, kind, moved, words), moved, verdict)

    def _unexplained(self, count: int) -> Mistake:
        """What is said of rows that the definition in force does not explain."""
        name, target = self.compiled.unique_id, self.compiled.target_sql
        table = str(self.compiled.relation)
        if self.compiled.rows_stay:
            return ROWS_STAYED(name=name, target=target, count=count, table=table)
        return CHANGED_BY_HAND(name=name, target=target, count=count, table=table)

    def _counted(
        self, entry: Entry, kind: Kind, moved: Moved | None, says: Sequence[str]
    ) -> PlannedTarget:
        held = count_table(self.engine, self.compiled.target_sql)
        delete, update = (moved.delete, moved.update) if moved else (0, 0)
        return replace(
            self._planned(entry, kind, says=tuple(says)),
            delete=delete,
            insert=moved.insert if moved else 0,
            update=update,
            unchanged=held - delete - update,
            statement=moved.statement if moved and moved.writes else None,
            reads_source=bool(moved and moved.reads_source),
            moved=moved,
        )

    def _planned(
        self, entry: Entry | None, kind: Kind, says: tuple[str, ...] = ()
    ) -> PlannedTarget:
        compiled = self.compiled
        return PlannedTarget(
            compiled.subscription,
            compiled.relation,
            compiled.target_sql,
            kind,
            None if entry is None else entry.position,
            says=says,
            before="" if entry is None else entry.definition,
            now=compiled.definition.hash,
            compiled=compiled,
            entry=entry,
            clock=self._clock(entry),
        )

    def _clock(self, entry: Entry | None) -> str | None:
        """The clock that a target stands at; where it had no window yet, that of a run."""
        kept = None if entry is None else entry.clock
        return clock_for(self.compiled, datetime.fromisoformat(kept) if kept else self.clock)


def _shown(planned: PlannedTarget, moved: Moved, verdict: FilterVerdict) -> PlannedTarget:
    """With a row that leaves and one that enters; a constructed one where the data has none."""
    leaving, entering, constructed = moved.leaves, moved.enters, False
    if not moved.delete and verdict.leaving is not None:
        leaving, constructed = dict(verdict.leaving), True
    if not moved.insert and verdict.entering is not None:
        entering, constructed = dict(verdict.entering), True
    return replace(planned, leaves=leaving, enters=entering, constructed=constructed)
