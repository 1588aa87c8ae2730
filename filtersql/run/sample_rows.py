"""One row of each kind that a changed definition moves, to look at.

Example
    staged_sample(engine, compiled, "filtersql_change__1", "insert")    # {"id": 7, "a": 5}
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, select

from filtersql.rendering.compiled import CompiledTable
from filtersql.rendering.sql_fragments import as_written
from filtersql.run.audit_findings import Differences
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, named_rows, table

__all__ = ["first_row", "found_sample", "leaving_sample", "staged_sample"]


def staged_sample(
    engine: Engine, compiled: CompiledTable, stage: str, effect: str | None, *, ordered: bool = True
) -> dict[str, object] | None:
    """A row of an effect, the first by its key where they are ordered."""
    names = [each.name for each in compiled.columns]
    query = select(*map(named_column, names)).from_(named_rows(stage))
    if effect is not None:
        query = query.where(named_column(compiled.effect_column).eq(effect))
    if ordered:
        query = query.order_by(*map(named_column, compiled.key or names))
    return first_row(engine, query, names)


def leaving_sample(engine: Engine, compiled: CompiledTable, goes: str) -> dict[str, object] | None:
    """Any row of the target that leaves: of these the stage has but the keys."""
    names = [each.name for each in compiled.columns]
    target = table(compiled.target_sql, engine.dialect).as_("t")
    query = select(*(named_column(name, "t") for name in names)).from_(target)
    return first_row(engine, query.where(as_written(goes)), names)


def found_sample(
    compiled: CompiledTable, found: Differences, kind: str
) -> dict[str, object] | None:
    """The first row that audit.sql found of a kind."""
    row = next((row for row in found.sample if row["finding"] == kind), None)
    names = [each.name for each in compiled.columns]
    return None if row is None else {name: row[name] for name in names}


def first_row(engine: Engine, query: exp.Select, names: Sequence[str]) -> dict[str, object] | None:
    """The first row of a query with these columns."""
    rows = engine.rows(query.limit(1).sql(engine.dialect))
    return dict(zip(names, rows[0], strict=True)) if rows else None
