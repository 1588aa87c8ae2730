"""What a run does where a row filter raised an error in its first attempt.

Example
    on_filter_error: stop           the second attempt stops before the transaction of the first
                                    change on which a filter raises
    on_filter_error: quarantine     the second attempt puts all such changes aside
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.errors.old_rows import CannotJudge
from filtersql.errors.stopping import (
    FILTER_RAISES,
    UNKNOWN_SOMEWHERE,
    UNKNOWN_UNCHANGED_VALUE,
    UNKNOWN_VALUE,
    stands,
)
from filtersql.feeds.staged_files import staged_columns
from filtersql.run.conflicting_change import Stop
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.failing_changes import Raising, all_raising, first_lacking, first_raising
from filtersql.run.lookups import show_nothing

__all__ = ["changes_that_raise", "stop_before_error", "why_refused"]


def stop_before_error(context: RunContext) -> Stop | None:
    """Where to stop, if a filter raises an error on a change up to the feed's cut."""
    if context.cut is None or context.boundary is None:
        return None
    show_nothing(context.engine, context.targets)
    found = [first_raising(context.engine, target, context.cut) for target in context.targets]
    raising = sorted((one for one in found if one is not None), key=lambda one: one.seq)
    if not raising:
        return None
    upto = context.boundary(raising[0].seq)
    first = [one for one in raising if one.seq == raising[0].seq]
    applied = context.position if upto is None else upto
    mistakes = (_mistake(one, applied) for one in first)
    return Stop(upto, tuple(mistakes), frozenset(one.target.name for one in first))


def _mistake(one: Raising, applied: int | None) -> Mistake:
    """PostgreSQL's own refusal of the change, or the error of a filter."""
    key = _key(one.target, one.seq)
    if CannotJudge.is_told(one.reason):
        return CannotJudge(one.reason, f"Change {one.seq}: {stands(key, applied)}")
    return FILTER_RAISES(
        name=one.target.name, seq=one.seq, reason=one.reason, standing=stands(key, applied)
    )


def changes_that_raise(context: RunContext) -> dict[str, dict[int, str]]:
    """All changes up to the feed's cut on which a filter raises an error, by target."""
    show_nothing(context.engine, context.targets)
    found: dict[str, dict[int, str]] = {}
    for target in context.targets:
        position = target.position if target.releasing else None
        upto = max((seq for seq in (context.cut, position) if seq is not None), default=None)
        for one in [] if upto is None else all_raising(context.engine, target, upto):
            found.setdefault(target.name, {})[one.seq] = one.reason
    return found


def why_refused(context: RunContext, refused: Sequence[Mistake]) -> Sequence[Mistake]:
    """What an engine refused, in words of rows and changes where it can be told."""
    if found := _values_not_sent(context):
        return found
    if not any(UNKNOWN_VALUE in each.message for each in refused):
        return refused
    lacking = [target.name for target in context.targets if target.compiled.may_be_unchanged]
    return [UNKNOWN_SOMEWHERE(names=lacking)]


def _values_not_sent(context: RunContext) -> list[Mistake]:
    """The first change of each target that stops it for a value that was not sent.

    Not of one that this run made and that is gone again, where it held rows of a source, or where
    making it again is no matter of a transaction.
    """
    if context.cut is None:
        return []
    empty = context.engine.atomic and context.subscription.source is None
    looked = [target for target in context.targets if empty or not target.copied]
    show_nothing(context.engine, context.targets)
    found = [(target, first_lacking(context.engine, target, context.cut)) for target in looked]
    return [
        UNKNOWN_UNCHANGED_VALUE(
            name=target.name,
            columns=target.compiled.may_be_unchanged,
            seq=seq,
            key=_key(target, seq),
        )
        for target, seq in found
        if seq is not None
    ]


def _key(target: TargetRun, seq: int) -> dict[str, object]:
    """The key (without one: the row) of a change: the new one where there is one."""
    compiled, names = target.compiled, [column.name for column in target.columns]
    wanted = compiled.key or tuple(column.name for column in compiled.columns)
    places = [names.index(f"{side}_{name}") for name in wanted for side in ("after", "before")]
    assert target.staged is not None  # the change was found there
    seqs, *values = staged_columns(target.staged, (0, *places))
    rows = [[column[n] for column in values] for n, each in enumerate(seqs) if each == seq]
    keys = [
        [old if new is None else new for new, old in zip(row[::2], row[1::2], strict=True)]
        for row in rows
    ]
    # Leaves of one root may have changes with one number: it is one of these.
    return {
        name: some[0] if len(some) == 1 else " or ".join(map(str, some))
        for name, *some in zip(wanted, *keys, strict=True)
    }
