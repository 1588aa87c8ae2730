"""A statement that is tried on cases: the smallest one that goes wrong.

Example
    attempt = Attempt(Kind.MERGE, sql, layout, trial)
    attempt.first_wrong(tried)           a Counterexample, or None

A counterexample has changes or rows of the source, rows before, expected and found.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from filtersql.errors import Mistakes
from filtersql.verify.expected_rows import Tried
from filtersql.verify.kinds import Kind
from filtersql.verify.layout import Case, Layout, Rows
from filtersql.verify.loading import TrialEngine
from filtersql.verify.model import Change

__all__ = ["BATCH", "Attempt", "Counterexample"]

#: enough for every case that tells statements apart; more are only slower
BATCH = 20_000
_FEW = 4


class Counterexample(Struct, frozen=True):
    """A case whose rows are not the expected ones, with all rows as an engine has them.

    `expected` None: the statement was to stop; `found` None: it stopped.
    """

    kind: Kind
    changes: tuple[Change, ...]
    before: Rows
    expected: Rows | None
    found: Rows | None
    #: why it stopped
    reason: str | None = None


class Attempt(Struct, frozen=True):
    """One statement, tried on cases."""

    kind: Kind
    sql: str
    layout: Layout
    trial: TrialEngine

    def first_wrong(self, tried: Tried) -> Counterexample | None:
        """The smallest case that goes wrong."""
        ordered = sorted(tried.together, key=lambda case: case.size)
        for begin in range(0, len(ordered), BATCH):
            some = dict(enumerate(ordered[begin : begin + BATCH]))
            if wrong := self._wrong(some):
                return wrong
        # On Spark each of these takes seconds, and they differ in the column alone.
        few = tried.alone if self.trial.engine.dialect == "duckdb" else tried.alone[:_FEW]
        for case in few:
            if wrong := self._alone(case):
                return wrong
        return None

    def _wrong(self, cases: Mapping[int, Case]) -> Counterexample | None:
        reason = self._run(cases)
        if reason is not None:
            return self._stopping(cases, reason)
        differing = self.trial.differing(self.layout, self.kind)
        if not differing:
            return None
        number = differing[0]
        held = self.trial.held(self.layout, number, self.kind)
        return Counterexample(self.kind, cases[number].changes, *held)

    def _stopping(self, cases: Mapping[int, Case], reason: str) -> Counterexample | None:
        """Of cases that stop the statement together, the first that does so alone."""
        while len(cases) > 1:
            numbers = [*cases]
            half = {number: cases[number] for number in numbers[: len(numbers) // 2]}
            other = {number: cases[number] for number in numbers[len(numbers) // 2 :]}
            again = self._run(half)
            cases, reason = (half, again) if again is not None else (other, reason)
        (case,) = cases.values()
        return self._stopped(case, self._run(cases) or reason)

    def _alone(self, case: Case) -> Counterexample | None:
        """A case that has to stop, or may."""
        reason = self._run({0: case})
        if reason is not None:
            stops = case.expected is None or case.may_stop
            return None if stops else self._stopped(case, reason)
        if case.expected is not None and not self.trial.differing(self.layout, self.kind):
            return None
        before, rows, found = self.trial.held(self.layout, 0, self.kind)
        expected = None if case.expected is None else rows
        return Counterexample(self.kind, case.changes, before, expected, found)

    def _stopped(self, case: Case, reason: str) -> Counterexample:
        return Counterexample(self.kind, case.changes, case.before, case.expected, None, reason)

    def _run(self, cases: Mapping[int, Case]) -> str | None:
        """None, or why the statement stopped."""
        self.trial.load(self.layout, cases, self.kind)
        try:
            return self.trial.carry_out(self.layout, self.sql, self.kind)
        except Mistakes as refused:
            return refused.mistakes[0].message
