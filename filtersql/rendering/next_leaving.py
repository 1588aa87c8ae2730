"""Which row of a target has the least time left, for each window: what `status` asks.

Example
    SELECT MIN(created_at) FROM s1.orders WHERE NOT (created_at < …)

Where filters are ORed, rows that one without a window holds, too, do not count: they do not leave.
Where all filters must match, a row leaves with the first of its windows.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from filtersql.changes import Judgements
from filtersql.filters.model import Filter
from filtersql.filters.tree.nodes import Cut, Var
from filtersql.filters.values.cuts import ClockColumn
from filtersql.rendering.filters_in_force import FilterWriter
from filtersql.rendering.sql_fragments import as_written
from filtersql.storage import Engine

__all__ = ["NextLeaving", "next_leaving"]


class NextLeaving(Struct, frozen=True):
    """A window's column and cut, and the query of the oldest value that it still holds, as text."""

    column: str
    cut: ClockColumn
    query: str


def next_leaving(
    judged: Judgements, target: str, write: FilterWriter, engine: Engine
) -> tuple[NextLeaving, ...]:
    """A query for each window of a target; it reads the view filtersql_clock."""
    filters = [one.filter for one in judged.copy if one.filter is not None]
    plain = [as_written(f"({write(each, '')})") for each in filters if each.over is None]
    stays = None if judged.every or not plain else _true(exp.or_(*plain), judged)
    return tuple(_queries(judged, filters, stays, target, write, engine))


def _true(condition: exp.Expr, judged: Judgements) -> exp.Expr:
    """A condition of which NULL is a match or none, as the source system has it."""
    return exp.Coalesce(
        this=condition, expressions=[exp.true() if judged.unknown_matches else exp.false()]
    )


def _queries(
    judged: Judgements,
    filters: list[Filter],
    stays: exp.Expr | None,
    target: str,
    write: FilterWriter,
    engine: Engine,
) -> Iterator[NextLeaving]:
    kind = "STRING" if engine == "spark" else "VARCHAR"
    windows = sum(each.over is not None for each in filters)
    for each in filters:
        if each.over is None:
            continue
        column, cut = each.over.args
        assert isinstance(column, Var)
        assert isinstance(cut, Cut)
        oldest = exp.cast(exp.Min(this=exp.column(column.name, quoted=True)), kind)
        query = exp.select(oldest).from_(exp.to_table(target, dialect=engine))
        if judged.every or windows == 1:
            # What an accepted change kept leaves, too, though the rest of the filter is not true.
            query = query.where(
                exp.not_(as_written(f"({write(replace(each, tree=each.over), '')})"))
            )
        else:
            query = query.where(_true(as_written(f"({write(each, '')})"), judged))
        if stays is not None:
            query = query.where(exp.not_(stays))
        yield NextLeaving(column.name, cut.column, query.sql(engine))
