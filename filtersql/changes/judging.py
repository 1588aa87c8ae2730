"""Which filters judge the old and the new row of a change: those of the change's own action.

Example
    ======== =================== ===================
    change   old row judged by   new row judged by
    ======== =================== ===================
    insert   –                   insert filters
    update   update filters      update filters
    delete   delete filters      –
    read     –                   filters of the copy
    ======== =================== ===================

An UPDATE is judged by the UPDATE filters on both sides, also where it becomes an INSERT or a
DELETE. An action that no publication publishes matches nothing; one that an unfiltered
publication publishes matches every row.

PostgreSQL
    pgoutput.c, pgoutput_row_filter(): the filter is chosen by the original action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from filtersql.definitions.model import Action
from filtersql.filters.model import Filter
from filtersql.publications.model import Contribution, ResolvedTable

__all__ = ["Arm", "Criterion", "Judgements", "judgements"]


@dataclass(frozen=True, slots=True)
class Criterion:
    """One alternative under which a row matches. Without a filter, `matches` says yes or no."""

    label: str
    filter: Filter | None = None
    matches: bool = True


@dataclass(frozen=True, slots=True)
class Arm:
    """For these ops, a row matches if any of the criteria is true (NULL is not a match)."""

    ops: tuple[str, ...]
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Judgements:
    """How the old and the new row are judged, and the rows of the initial copy."""

    old: tuple[Arm, ...]
    new: tuple[Arm, ...]
    copy: tuple[Criterion, ...]


def judgements(resolved: ResolvedTable, filter_of: Callable[[Contribution], Filter]) -> Judgements:
    """The arms for one table; ops with the same criteria share an arm."""
    copy = _any_of(resolved.copy_filters, filter_of, "the initial copy takes every row")
    by_op = {
        action.value: _criteria(resolved, action, filter_of)
        for action in (Action.INSERT, Action.UPDATE, Action.DELETE)
    }
    return Judgements(
        old=_arms([("update", by_op["update"]), ("delete", by_op["delete"])]),
        new=_arms([("insert", by_op["insert"]), ("update", by_op["update"]), ("read", copy)]),
        copy=copy,
    )


def _criteria(
    resolved: ResolvedTable, action: Action, filter_of: Callable[[Contribution], Filter]
) -> tuple[Criterion, ...]:
    if action not in resolved.filters:
        return (Criterion(f"{action} is not published", matches=False),)
    unfiltered = [
        contribution.publication
        for contribution in resolved.contributions
        if contribution.where is None and action in contribution.actions
    ]
    by = f"publication {', '.join(unfiltered)}: " if unfiltered else ""
    return _any_of(resolved.filters[action], filter_of, f"{by}every row")


def _any_of(
    contributions: Sequence[Contribution],
    filter_of: Callable[[Contribution], Filter],
    unfiltered: str,
) -> tuple[Criterion, ...]:
    if not contributions:
        return (Criterion(unfiltered),)
    criteria: dict[str, Criterion] = {}
    for contribution in contributions:
        row_filter = filter_of(contribution)
        label = f"publication {contribution.publication}: {row_filter.deparsed}"
        criteria.setdefault(label, Criterion(label, row_filter))
    return tuple(criteria.values())


def _arms(by_op: Sequence[tuple[str, tuple[Criterion, ...]]]) -> tuple[Arm, ...]:
    arms: list[Arm] = []
    for op, criteria in by_op:
        alike = next((arm for arm in arms if _same(arm.criteria, criteria)), None)
        if alike is None:
            arms.append(Arm((op,), criteria))
        else:
            arms[arms.index(alike)] = Arm((*alike.ops, op), alike.criteria)
    return tuple(arms)


def _same(left: tuple[Criterion, ...], right: tuple[Criterion, ...]) -> bool:
    return [(one.filter, one.matches) for one in left] == [
        (one.filter, one.matches) for one in right
    ]
