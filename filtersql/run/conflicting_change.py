"""The change that stops a run because its row exists, as it stops a PostgreSQL subscriber.

`on_conflict: error` of a subscription says so, or, where that says nothing, the project's switch
`existing_target_on_insert: error`: then a missing row is still what `missing_target` makes of it.
Under `toast_unchanged: error` a change that lacks an unchanged value stops it in the same way.

Example
    changes 1 and 2 in transaction a, 3 and 4 in transaction b; 4 inserts a row that exists:
    every target of the subscription stands at 2, and the run says what 4 met

PostgreSQL
    src/backend/replication/logical/conflict.c, ReportApplyConflict(): insert_exists and
    update_exists are errors, update_missing and delete_missing are logged and skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from filtersql.errors import Mistake
from filtersql.errors.stopping import CONFLICT_STOPS, UNCHANGED_NOT_SENT, reached, stands
from filtersql.run.model import STOPPING
from filtersql.run.stage_and_judge import Judgement

__all__ = ["Stop", "first_stop"]


class Stop(Struct, frozen=True):
    """Where a run stops: the last seq that is applied (None: nothing is), and why."""

    upto: int | None
    mistakes: tuple[Mistake, ...]
    #: the names of the targets that stopped it
    targets: frozenset[str]


def first_stop(
    judged: Iterable[Judgement], boundary: Callable[[int], int | None] | None, position: int | None
) -> Stop | None:
    """The first transaction that a subscription that stops at existing rows cannot apply.

    `position` is where its targets stand already.
    """
    stopping = [(one, seq) for one in judged if (seq := one.stops_at) is not None]
    if not stopping or boundary is None:
        return None
    first = min(seq for _, seq in stopping)
    upto = boundary(first)
    applied = position if upto is None else upto
    mistakes = tuple(mistake for one, _ in stopping for mistake in _mistakes(one, first, applied))
    stopped = frozenset(one.compiled.unique_id for one, seq in stopping if seq == first)
    return Stop(upto, mistakes, stopped)


def _mistakes(judgement: Judgement, first: int, upto: int | None) -> Iterator[Mistake]:
    name = judgement.compiled.unique_id
    if judgement.unsent is not None and judgement.unsent[0] == first:
        seq, key = judgement.unsent
        yield UNCHANGED_NOT_SENT(name=name, seq=seq, standing=stands(key, upto))
    for met in judgement.sample:
        if met.seq == first and met.kind in STOPPING:
            yield CONFLICT_STOPS(
                name=name,
                relation=judgement.compiled.relation,
                kind=met.kind,
                seq=met.seq,
                key=met.key,
                applied=reached(upto),
            )
