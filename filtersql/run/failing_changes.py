"""The changes that a statement stops at: looked for only where it failed.

Example
    1. the statement over changes 1 to 1000 fails, and so do the filters alone over these
    2. over 1 to 500 they do not; over 501 to 750 they do; … the first that fails is 612

    What fails over no change at all, as Spark's analyzer does where it gives up, is no change's.

    A change that comes before the last TRUNCATE of a batch is not judged by the statement, so it is
    not looked at here either.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from filtersql.changes import Form
from filtersql.errors import Mistakes
from filtersql.errors.stopping import UNKNOWN_VALUE
from filtersql.errors.targets import EngineRefused
from filtersql.feeds.staged_files import staged_columns
from filtersql.run.clock import show_clock
from filtersql.run.context import TargetRun
from filtersql.targets.model import Engine, Undone

__all__ = ["Raising", "all_raising", "first_lacking", "first_raising"]


class Raising(Struct, frozen=True):
    """A change, and what the engine says of its filter."""

    target: TargetRun
    seq: int
    reason: str


def first_raising(engine: Engine, target: TargetRun, upto: int) -> Raising | None:
    """The first change of a target on which a filter raises an error."""
    seqs = _judged(target, upto)
    if not seqs or (reason := _reason(engine, target, seqs)) is None:
        return None
    if _fails_alone(engine, target, seqs):
        return None
    low, high = 0, len(seqs)
    while high - low > 1:
        middle = (low + high) // 2
        found = _reason(engine, target, seqs[low:middle])
        if found is None:
            low = middle
        else:
            high, reason = middle, found
    return Raising(target, seqs[low], _reason(engine, target, seqs[low:high]) or reason)


def first_lacking(engine: Engine, target: TargetRun, upto: int) -> int | None:
    """The change that brings a row without a value that was not sent: up to it, a statement stops.

    Up to the change before it does not. A target that the run made, and that is gone again, is
    made for as long as it takes.
    """
    seqs = _judged(target, upto) if target.compiled.may_be_unchanged else []
    if not seqs or not _lacks(engine, target, seqs[-1]):
        return None
    last = len(seqs) - 1
    return seqs[bisect_left(seqs, True, hi=last, key=partial(_lacks, engine, target))]


def _lacks(engine: Engine, target: TargetRun, upto: int) -> bool:
    assert target.staged is not None
    compiled = target.compiled
    above = None if target.releasing else target.position
    engine.view(compiled.changes_view, target.staged, target.columns, above=above, upto=upto)
    source = compiled.completing_source_sql or compiled.merge_source_sql
    show_clock(engine, compiled, target.clock)
    try:
        with engine.transaction():
            if target.copied:
                engine.create(compiled.target, compiled.column_definitions_sql, {})
            engine.stage("filtersql_lacking", source)
            raise Undone
    except Undone:
        return False
    except Mistakes as refused:
        return any(UNKNOWN_VALUE in one.message for one in refused.mistakes)


def all_raising(engine: Engine, target: TargetRun, upto: int) -> list[Raising]:
    """All changes of a target on which a filter raises an error."""
    seqs = _judged(target, upto)
    return [] if seqs and _fails_alone(engine, target, seqs) else _all(engine, target, seqs)


def _all(engine: Engine, target: TargetRun, seqs: Sequence[int]) -> list[Raising]:
    if not seqs or (reason := _reason(engine, target, seqs)) is None:
        return []
    if len(seqs) == 1:
        return [Raising(target, seqs[0], reason)]
    middle = len(seqs) // 2
    return _all(engine, target, seqs[:middle]) + _all(engine, target, seqs[middle:])


def _judged(target: TargetRun, upto: int) -> list[int]:
    """The changes that the statement judges, in their order."""
    if target.staged is None:
        return []
    rows = zip(*staged_columns(target.staged, (0, 2)), strict=True)
    above = -1 if target.releasing or target.position is None else target.position
    pending = sorted((int(seq), op) for seq, op in rows if above < seq <= upto)
    if target.compiled.truncates and target.compiled.form != Form.KEYED_KEEPING:
        last = max((seq for seq, op in pending if op == "truncate"), default=-1)
        pending = [(seq, op) for seq, op in pending if seq > last]
    return [seq for seq, _ in pending]


def _fails_alone(engine: Engine, target: TargetRun, seqs: Sequence[int]) -> bool:
    """Whether the filters fail even over no change: the engine refuses them, and no row."""
    return _failure(engine, target, seqs[-1], seqs[-1]) is not None


def _reason(engine: Engine, target: TargetRun, seqs: Sequence[int]) -> str | None:
    """Why the filters fail over some changes that follow each other; None where they do not."""
    return _failure(engine, target, seqs[0] - 1, seqs[-1])


def _failure(engine: Engine, target: TargetRun, above: int, upto: int) -> str | None:
    assert target.staged is not None
    compiled = target.compiled
    engine.view(compiled.changes_view, target.staged, target.columns, above=above, upto=upto)
    show_clock(engine, compiled, target.clock)
    try:
        engine.rows(compiled.judged_sql)
    except Mistakes as refused:
        (mistake,) = refused.mistakes
        return mistake.reason if isinstance(mistake, EngineRefused) else mistake.message
    return None
