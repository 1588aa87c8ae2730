"""The clock at which filters within a window of time are tried.

Example
    keep 1 month, by the day: rows of 2024-02-29 are inside, those of 2024-02-28 are not

It is at the end of a month that has more days than the one before, and in the middle of a day.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from msgspec.structs import replace

from filtersql.compile import Node
from filtersql.filters import Filter
from filtersql.filters.tree.moments import at_clock
from filtersql.filters.tree.nodes import Cut, Var
from filtersql.run.clock import show_moments
from filtersql.targets.model import Engine

__all__ = ["TRIED_AT", "at_trial", "is_over", "show_trial"]

TRIED_AT = datetime(2024, 3, 31, 10, 30, 15)
_LAST_YEAR = len("9999-12-31")


def at_trial(row_filter: Filter) -> Filter:
    """The filter as it judges at that time."""
    return replace(row_filter, tree=at_clock(row_filter.tree, TRIED_AT))


def is_over(row_filter: Filter, row: Mapping[str, str | None]) -> bool:
    """Whether a row is too old for a filter's window, by PostgreSQL's text of its column."""
    if row_filter.over is None:
        return False
    column, cut = row_filter.over.args
    assert isinstance(column, Var)
    assert isinstance(cut, Cut)
    value = row[column.name]
    if value is None or value == "infinity":
        return False
    if value == "-infinity" or value.endswith("BC"):
        return True
    if len(value.split(" ")[0]) > _LAST_YEAR:
        return False
    return datetime.fromisoformat(value).replace(tzinfo=None) < cut.column.at(TRIED_AT)


def show_trial(nodes: Iterable[Node], engine: Engine) -> None:
    """Make the view of the moments that all of their statements compare with."""
    columns = {each.name: each for node in nodes for each in node.compiled.clock}
    if columns:
        show_moments(engine, tuple(columns.values()), TRIED_AT)
