"""`on_conflict: error`: the change that stops a run, as it stops a PostgreSQL subscriber.

Example
    changes 1 and 2 in transaction a, 3 and 4 in transaction b; 4 inserts a row that exists:
    every target of the subscription stands at 2, and the run says what 4 met

PostgreSQL
    src/backend/replication/logical/conflict.c, ReportApplyConflict(): insert_exists and
    update_exists are errors, update_missing and delete_missing are logged and skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from filtersql.applying.judging import Judgement
from filtersql.applying.model import STOPPING
from filtersql.errors import Mistake
from filtersql.errors.conflicts import ConflictStops

__all__ = ["Stop", "first_stop"]


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a run stops: the last seq that is applied (None: nothing is), and why."""

    upto: int | None
    mistakes: tuple[Mistake, ...]
    #: the names of the targets that stopped it
    targets: frozenset[str]


def first_stop(
    judged: Iterable[Judgement],
    boundary: Callable[[int], int | None] | None,
    position: int | None,
) -> Stop | None:
    """The first transaction that a subscription with `on_conflict: error` cannot apply.

    `position` is where its targets stand already.
    """
    stopping = [
        one for one in judged if one.compiled.on_conflict == "error" and one.first_stop is not None
    ]
    if not stopping or boundary is None:
        return None
    first = min(_first(one) for one in stopping)
    upto = boundary(first)
    applied = position if upto is None else upto
    mistakes = tuple(mistake for one in stopping for mistake in _mistakes(one, first, applied))
    return Stop(upto, mistakes, frozenset(_name(one) for one in stopping if _first(one) == first))


def _first(judgement: Judgement) -> int:
    assert judgement.first_stop is not None
    return judgement.first_stop


def _mistakes(judgement: Judgement, first: int, upto: int | None) -> Iterator[Mistake]:
    for met in judgement.sample:
        if met.seq == first and met.kind in STOPPING:
            relation = str(judgement.compiled.relation)
            yield ConflictStops(_name(judgement), relation, met.kind, met.seq, met.key, upto)


def _name(judgement: Judgement) -> str:
    return judgement.compiled.unique_id
