"""What the filters of two definitions say by themselves: whether a row can enter, or leave.

Example
    ============ ========================== ===================================
    before       now                        verdict
    ============ ========================== ===================================
    (a > 5)      ((a > 5) AND (b = 1))      none enters: one condition more
    (a > 5)      (a > 4)                    (a 5) enters
    (a > 5)      (lower(c) = 'x'::text)     not known: the data decides
    ============ ========================== ===================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from filtersql.compile import Node
from filtersql.errors import Mistake, Mistakes
from filtersql.filters import Filter
from filtersql.filters.check.supersets import covers
from filtersql.rendering.definition import COPY, EVERY_ROW, NO_ROW, Definition
from filtersql.rendering.definition_changes import FilterVerdict, MovingFilters, types_differ
from filtersql.rendering.plan_records import PlannedCriterion
from filtersql.review.changed_meaning import condition_of
from filtersql.review.row_trials import Condition, NotTried, Trials

__all__ = ["filter_verdict"]

_UNKNOWN = FilterVerdict()


def filter_verdict(
    before: Definition,
    node: Node,
    trials: Trials,
    read: Callable[[str], Filter],
    write: Callable[[Condition, str], tuple[PlannedCriterion, ...]],
) -> FilterVerdict:
    """Which rows tell the definitions apart; `read` gives the filter of an earlier text.

    `write` gives a condition as the target's engine takes it, over columns with a prefix.
    Nothing is known where filters are combined by AND, other tables are sources, or a type changed.
    """
    now = node.compiled.definition
    ordinary = not any((before.every, before.unknown_matches, now.every, now.unknown_matches))
    same_tables = before.sources == now.sources and dict(before.only_from) == dict(now.only_from)
    if not (ordinary and same_tables) or types_differ(before, now):
        return _UNKNOWN
    verdict = _UNKNOWN
    try:
        was = _condition(before.filters.get(COPY, NO_ROW), read)
        condition = condition_of(node, node.resolved.copy_filters)
        known = {column.name for column in node.compiled.feed_columns}
        # Else the rows of the source lack a column, or do not tell those of the target; and of
        # moments those alone are there that the new filters compare with.
        ages = any(each.over is not None for each in was.filters)
        if _reads(was) <= known and before.comparable and not ages:
            verdict = FilterVerdict(filters=MovingFilters(write(was, ""), write(condition, "t.")))
        compared = trials.compare(was, condition)
    except (NotTried, Mistake, Mistakes):
        return verdict
    gained, lost = compared.gained, compared.lost
    return FilterVerdict(
        enters=_verdict(gained is not None, compared.exhaustive or _within(condition, was)),
        leaves=_verdict(lost is not None, compared.exhaustive or _within(was, condition)),
        entering=gained,
        leaving=lost,
        filters=verdict.filters,
    )


def _reads(condition: Condition) -> set[str]:
    return {name for each in condition.filters for name in each.columns}


def _verdict(there_is: bool, none_can_be: bool) -> bool | None:
    if there_is:
        return True
    return False if none_can_be else None


def _within(inner: Condition, outer: Condition) -> bool:
    """Whether the filters show that each row of the one is a row of the other."""
    return not inner.matches or (outer.matches and covers(outer.filters, inner.filters))


def _condition(texts: Sequence[str], read: Callable[[str], Filter]) -> Condition:
    if tuple(texts) == NO_ROW:
        return Condition(matches=False)
    if set(EVERY_ROW) <= {*texts}:
        return Condition()
    return Condition(tuple(map(read, texts)))
