"""Whether a row of the target tells that its time is over: what a window asks of its publications.

Example
    ================================================ =======================================
    publications of t                                verdict
    ================================================ =======================================
    p1: window on created_at                         allowed
    p1: window on created_at, p2: WHERE (vip)        allowed: a vip's row stays
    p1: window, insert only, p2: WHERE (vip)         refused: an update has another filter
    p1: window, columns: [id] without created_at     refused: the target lacks the column
    ================================================ =======================================

Rows leave without a change of theirs, so what let a row in must be told by the row itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from filtersql.errors import Mistake
from filtersql.errors.windows import (
    DELAY_BY_NEW_ROW,
    DIFFERENT_ACTIONS,
    FILTER_NOT_PUBLISHED,
    WINDOW_AND_LOOKUP,
)
from filtersql.filters.model import Filter
from filtersql.filters.resolve.lookups import looked_up
from filtersql.publications.model import Contribution, ResolvedTable

__all__ = ["window_mistakes"]


def window_mistakes(
    resolved: ResolvedTable, filters: Mapping[Contribution, Filter]
) -> Iterator[Mistake]:
    """What makes it impossible to find the rows whose time is over."""
    within = [each for each in filters.values() if each.over is not None]
    if not within:
        return
    judging = {*map(frozenset, resolved.filters.values()), frozenset(resolved.copy_filters)}
    span, name = within[0].text.span(), resolved.table.name
    if len(judging) > 1 or resolved.only_from:
        yield DIFFERENT_ACTIONS(span, name=name)
    if any(lookup for each in filters.values() for lookup in looked_up(each.tree)):
        yield WINDOW_AND_LOOKUP(span, name=name)
    delayed = any(each.young is not None for each in within)
    if delayed and resolved.semantics.update_decision == "new_only":
        yield DELAY_BY_NEW_ROW(span, name=name)
    published = {column.name for column in resolved.columns}
    for row_filter in filters.values():
        for column, place in row_filter.columns.items():
            if column not in published:
                yield FILTER_NOT_PUBLISHED(place, name=name, column=column)
                return
