"""`audit`: a target against filter(source) at the target's position, and what differs.

Example
    audited = audit(inputs, {"s1": (SourcedTarget(compiled, copy), …)}, engine, repair=False)
    found = audited[0].found
    found.leaked, found.missing, found.differing

    1. the source's rows are copied without any filter; the feed's changes above its `seq` and up to
       the target's position are applied to the copy, as a run applies them to a target
    2. audit.sql compares the target with the filter over that copy: one statement
    3. --repair writes the rows that were found, and no other; the position stays

An action that is not published is not applied to the copy either: such rows are meant to differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.applying import TARGET_GONE
from filtersql.errors.auditing import INTERRUPTED, NOT_COMPARABLE, ROWS_STAY, STILL_DIFFERS
from filtersql.errors.stopping import refused_rows
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import ledger
from filtersql.run.audit_findings import Differences, compare
from filtersql.run.clock import clock_for, read_clock
from filtersql.run.holding import beating, held_row, note, release, renew, staying
from filtersql.run.lease import Lease, leased
from filtersql.run.ledger_entry import Entry, key_of
from filtersql.run.model import Inputs
from filtersql.run.proofs import check_lease, proved_row
from filtersql.run.repair import mend
from filtersql.run.source_at_position import SourceAtPosition, SourcedTarget
from filtersql.run.sources import source_named
from filtersql.targets.depth import configure
from filtersql.targets.marks import Written
from filtersql.targets.model import Engine, Undone
from filtersql.targets.work_folder import work_folder

__all__ = ["Audited", "SourcedTarget", "audit"]


class Audited(Struct, frozen=True):
    """What came of one target: what was found, or why nothing could be compared."""

    compiled: CompiledTable
    position: int | None = None
    found: Differences | None = None
    repaired: bool = False
    mistakes: tuple[Mistake, ...] = ()

    @property
    def unique_id(self) -> str:
        """The name of the node."""
        return self.compiled.unique_id

    @property
    def status(self) -> str:
        """`ok`, `found`, `repaired`, `skip` (it is not filled yet) or `error`."""
        if self.mistakes:
            return "error"
        if self.found is None:
            return "skip"
        if not self.found.total:
            return "ok"
        return "repaired" if self.repaired else "found"

    @property
    def right(self) -> bool:
        """Whether the target holds what it should, by now."""
        return not self.mistakes and (self.found is None or not self.found.total or self.repaired)


class _Asked(Struct, frozen=True):
    """What is asked of every target, see audit()."""

    repair: bool
    at: int | None
    clock: datetime | None
    beside: bool


def audit(
    inputs: Inputs,
    tables: Mapping[str, Sequence[SourcedTarget]],
    engine: Engine,
    *,
    repair: bool = False,
    at: int | None = None,
    clock: datetime | None = None,
    beside: bool = False,
) -> list[Audited]:
    """Compare the targets of some subscriptions, given by name.

    `at` is the position of targets that filtersql does not know yet, `clock` the time of those.
    `beside` asks for the whole rows of the samples.
    """
    asked = _Asked(repair, at, clock, beside)
    return [
        _audited(inputs, inputs.subscriptions[name], one, engine, asked)
        for name, targets in tables.items()
        for one in targets
    ]


def _audited(
    inputs: Inputs, subscription: Subscription, one: SourcedTarget, engine: Engine, asked: _Asked
) -> Audited:
    found: list[Audited] = []
    try:
        with leased() as lease, work_folder(engine, "audit") as folder, engine.transaction():
            configure(engine, dict(one.compiled.settings))
            trial = _Trial(inputs, subscription, one, engine, folder, lease, asked)
            found.append(trial.run())
            if not found[0].repaired:
                raise Undone
    except Undone:
        pass
    except Mistakes as wrong:
        told = refused_rows(wrong.mistakes, f'the audit of "{one.compiled.unique_id}"')
        return Audited(one.compiled, mistakes=tuple(source_named(subscription, told)))
    finally:
        engine.clear()
    return found[0]


class _Trial(Struct):
    """One target while it is audited. It holds the lease only while it is repaired."""

    inputs: Inputs
    subscription: Subscription
    sourced: SourcedTarget
    engine: Engine
    folder: Path
    lease: Lease
    asked: _Asked
    #: the ledger's last number
    ordinal: int = 0

    def run(self) -> Audited:
        """Raises Mistakes."""
        compiled, repair, at = self.sourced.compiled, self.asked.repair, self.asked.at
        known = ledger.read(self.engine, self.inputs.state_schema)
        entry = known.newest.get(key_of(compiled))
        self.ordinal = known.number_of(self.subscription.name)
        if repair:
            check_lease(self.engine, known, self.subscription.name, self.lease.owner)
        if at is None:
            if entry is None or entry.phase == "dropped":
                return Audited(compiled)
            entry = proved_row(self.engine, known, entry, compiled.target)
            if entry is None:
                raise Mistakes([INTERRUPTED(name=self._name)])
        # A session of Spark knows a table of the warehouse once it was asked for.
        if not self.engine.exists(compiled.target):
            raise Mistakes([TARGET_GONE(name=self._name, target=compiled.target_sql)])
        if not compiled.definition.comparable:
            raise Mistakes([NOT_COMPARABLE(name=self._name)])
        position = at if entry is None or at is not None else entry.position
        try:
            self._source.bring_forward(position, entry)
            kept = None if entry is None else entry.clock
            self._source.show_beside(kept or clock_for(compiled, self.asked.clock or read_clock()))
            found = compare(self.engine, compiled, beside=self.asked.beside)
            if found.total and compiled.rows_stay:
                table = compiled.relation
                raise Mistakes([ROWS_STAY(name=self._name, count=found.total, table=table)])
            if not repair or not found.total:
                return Audited(compiled, position, found)
            self._repair(entry, found)
        finally:
            self._source.forget()
        return Audited(compiled, position, found, repaired=True)

    def _repair(self, entry: Entry | None, found: Differences) -> None:
        """Write what was found, while no run writes; one that was faster has moved the target."""
        if entry is None:  # only a target of the ledger is repaired
            return
        try:
            note(self, self.engine, [held_row(self)], last=False)
            with beating(self):
                renew(self, self.engine)
                mend(self, self.sourced.compiled)
                left = compare(self.engine, self.sourced.compiled)
            if left.total:
                raise Mistakes([STILL_DIFFERS(name=self._name, count=left.total)])
            told = staying(entry, Written(found.missing, found.differing, found.leaked))
            note(self, self.engine, [told], last=True)
        except BaseException:
            release(self)
            raise

    @property
    def _name(self) -> str:
        return self.sourced.compiled.unique_id

    @property
    def _source(self) -> SourceAtPosition:
        return SourceAtPosition(
            self.inputs, self.subscription, self.sourced, self.engine, self.folder
        )
