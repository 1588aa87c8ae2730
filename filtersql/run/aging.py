"""Rows leave a target when their time is over, and enter it when it begins, without a change.

Example
    ==================== ===================== =====================================
    the target           the clock has moved   then
    ==================== ===================== =====================================
    has changes          whether or not        its MERGE lets both rows and changes
                                               be judged at the run's clock
    has none             yes                   a MERGE of its own, at its position
    has none             no                    nothing is asked
    has a delay          yes                   the second, and then the first
    ==================== ===================== =====================================

Where no row leaves, nothing is written: what a target holds at the earlier clock is what it holds
at this one.
"""

from __future__ import annotations

from filtersql.run.clock import clock_for
from filtersql.run.context import RunContext, TargetRun
from filtersql.run.rounds import below, round_of

__all__ = ["going", "let_time_pass"]


def _aging(context: RunContext) -> list[TargetRun]:
    """The targets whose windows have moved since they were written."""
    assert context.clock is not None  # read before the feed is
    found = [(target, clock_for(target.compiled, context.clock)) for target in context.targets]
    return [target for target, clock in found if clock != target.clock]


def going(context: RunContext) -> list[TargetRun]:
    """The targets that are worked at: they have changes, or release some, or windows have moved."""
    moved = {target.name for target in _aging(context)}
    release = context.options.release
    return [
        one
        for one in context.targets
        if not one.untouched or one.name in moved or (release and one.quarantined)
    ]


def let_time_pass(context: RunContext, cut: int | None) -> None:
    """From here on judge at the run's clock; judge targets without changes up to the cut at once.

    A target whose cut was begun by a killed run was brought there at the clock of that run.
    """
    assert context.clock is not None
    moved = _aging(context)
    for target in moved:
        target.stood_at, target.clock = target.clock, clock_for(target.compiled, context.clock)
    alone = [
        one for one in moved if one.untouched or not below(one.position, cut) or one.compiled.delays
    ]
    for position in dict.fromkeys(target.position for target in alone):
        round_of(context, [one for one in alone if one.position == position], position)
