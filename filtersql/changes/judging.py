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

    Where a switch says so, an old row is not judged by itself:

    =========================== ======================= =====================================
    switch                      old row of the change   so that the change
    =========================== ======================= =====================================
    update: new_only            judged as the new one   stays an UPDATE, or is not sent
    update: target_existence    always matches          stays an UPDATE, or becomes a DELETE
    delete: key_only_filter     identity columns only   is judged with all others NULL
    delete: target_existence    always matches          stays a DELETE
    =========================== ======================= =====================================

PostgreSQL
    pgoutput.c, pgoutput_row_filter(): the filter is chosen by the original action.
    pglogical_output_plugin.c, pglogical_change_filter(): the new row where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from filtersql.definitions.model import Action
from filtersql.errors.old_rows import refusals
from filtersql.filters.model import Filter
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.semantics import Semantics

__all__ = ["Arm", "Criterion", "Judgements", "judgements", "stopping"]


class Criterion(Struct, frozen=True):
    """One alternative under which a row matches. Without a filter, `matches` says yes or no."""

    label: str
    filter: Filter | None = None
    matches: bool = True
    #: no row can be judged: the statement stops with this message
    stops: str | None = None


class Arm(Struct, frozen=True):
    """For these ops, the image matches if any of the criteria does (or all: `Judgements.every`)."""

    ops: tuple[str, ...]
    criteria: tuple[Criterion, ...]
    #: which row of the change the criteria read
    image: Literal["old", "new"]


class Judgements(Struct, frozen=True):
    """How the old and the new row are judged, and the rows of the initial copy."""

    old: tuple[Arm, ...]
    new: tuple[Arm, ...]
    copy: tuple[Criterion, ...]
    #: whether a row must match all criteria of an arm, not any
    every: bool = False
    #: whether a row matches for which they are NULL
    unknown_matches: bool = False
    #: whether a row may stay that left the filter: of an UPDATE, or of a DELETE, not all is judged
    rows_stay: bool = False

    @property
    def expires(self) -> bool:
        """Whether rows leave when their time is over: all actions have the filters of the copy."""
        return any(one.filter is not None and one.filter.over is not None for one in self.copy)

    @property
    def stay_otherwise(self) -> bool:
        """Whether `rows_stay` is not what the way to combine filters tells: pglogical's, BDR's."""
        # As the definition knows them; an old row that nothing judges leaves no row behind.
        arms = [arm for arm in self.new if "update" in arm.ops]
        arms += [arm for arm in self.old if "delete" in arm.ops]
        judges = any(one.filter is not None for arm in arms for one in arm.criteria)
        return judges and self.rows_stay != (self.every or self.unknown_matches)

    @property
    def filter_columns(self) -> set[str]:
        """The columns that any of the filters reads."""
        arms = (one for arm in (*self.old, *self.new) for one in arm.criteria)
        filters = (one.filter for one in (*arms, *self.copy) if one.filter is not None)
        return {name for each in filters for name in each.columns}


def judgements(resolved: ResolvedTable, filter_of: Callable[[Contribution], Filter]) -> Judgements:
    """The arms for one table; ops with the same criteria share an arm."""
    rules = resolved.semantics
    copy = _of(resolved.copy_filters, filter_of, "the initial copy takes every row")
    stop = _stop(resolved)
    by_op = {
        action.value: stop.get(action) or _criteria(resolved, action, filter_of)
        for action in (Action.INSERT, Action.UPDATE, Action.DELETE)
    }
    update, delete = _old_of_update(by_op["update"], rules), _old_of_delete(by_op["delete"], rules)
    by_part = [update] if rules.update_decision == "new_only" else []
    by_part += [delete] if rules.delete_policy == "key_only_filter" else []
    return Judgements(
        old=_arms([update, delete]),
        new=_arms(
            [
                Arm(("insert",), by_op["insert"], "new"),
                Arm(("update",), by_op["update"], "new"),
                Arm(("read",), copy, "new"),
            ]
        ),
        copy=copy,
        every=rules.combine == "and",
        unknown_matches=rules.null_policy == "keep",
        rows_stay=any(one.filter is not None for arm in by_part for one in arm.criteria),
    )


def stopping(resolved: ResolvedTable) -> dict[Action, str]:
    """The actions whose first change stops a run, and what PostgreSQL says of it."""
    published = [action for action in (Action.UPDATE, Action.DELETE) if action in resolved.filters]
    refused = refusals(resolved.unjudged, published)
    return {action: refused[action] for action in published if action in refused}


def _stop(resolved: ResolvedTable) -> dict[Action, tuple[Criterion, ...]]:
    """With `identity_check: run`: what stops at the first update or delete that is published."""
    label = "no old row can be judged: the run stops"
    return {
        action: (Criterion(label, stops=refusal),) for action, refusal in stopping(resolved).items()
    }


def _old_of_update(criteria: tuple[Criterion, ...], rules: Semantics) -> Arm:
    if rules.update_decision == "target_existence" and _is_published(criteria):
        return Arm(("update",), (Criterion("the target decides whether it has the row"),), "old")
    image: Literal["old", "new"] = "new" if rules.update_decision == "new_only" else "old"
    return Arm(("update",), criteria, image)


def _old_of_delete(criteria: tuple[Criterion, ...], rules: Semantics) -> Arm:
    if rules.delete_policy == "target_existence" and _is_published(criteria):
        criteria = (Criterion("no filter judges a delete: the target decides"),)
    return Arm(("delete",), criteria, "old")


def _is_published(criteria: tuple[Criterion, ...]) -> bool:
    return any(criterion.filter is not None or criterion.matches for criterion in criteria)


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
    return _of(resolved.filters[action], filter_of, f"{by}every row")


def _of(
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


def _arms(single: Sequence[Arm]) -> tuple[Arm, ...]:
    """Those alike in one."""
    arms: list[Arm] = []
    for arm in single:
        alike = next((one for one in arms if _same(one, arm)), None)
        if alike is None:
            arms.append(arm)
        else:
            arms[arms.index(alike)] = Arm((*alike.ops, *arm.ops), alike.criteria, alike.image)
    return tuple(arms)


def _same(left: Arm, right: Arm) -> bool:
    return left.image == right.image and [
        (criterion.filter, criterion.matches, criterion.stops) for criterion in left.criteria
    ] == [(criterion.filter, criterion.matches, criterion.stops) for criterion in right.criteria]
