"""The first rows of a target as a table, as psql prints one."""

from __future__ import annotations

from sqlglot import exp

from filtersql.api.reporter import Reporter
from filtersql.errors.wording import value_text
from filtersql.rendering.compiled import CompiledTable
from filtersql.review.text_table import aligned, in_one_line
from filtersql.targets.model import Engine

__all__ = ["print_rows"]


def print_rows(reporter: Reporter, engine: Engine, compiled: CompiledTable, limit: int) -> None:
    """Prints up to `limit` rows, ordered by the key."""
    names = [column.name for column in compiled.columns]
    key = list(compiled.key) or names
    query = (
        exp.select(*(_column(name) for name in names))
        .from_(engine.table_sql(compiled.target), dialect=engine.dialect)
        .order_by(*(_column(name) for name in key))
        .limit(limit + 1)
    )
    rows = engine.rows(query.sql(engine.dialect))
    shown = [
        ["" if value is None else in_one_line(value_text(value)) for value in row]
        for row in rows[:limit]
    ]
    footer = f"(the first {limit} rows)" if len(rows) > limit else _count(len(rows))
    title = ".".join(compiled.target)
    reporter.result()
    reporter.result(aligned(title, names, shown, [footer]))


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _count(number: int) -> str:
    return f"({number} row{'' if number == 1 else 's'})"
