"""Whether MERGE works on a target: a table of filtersql's own is made, merged into and dropped."""

from __future__ import annotations

from sqlglot import exp

from filtersql.targets.model import Engine

__all__ = ["probe_merge"]

_NAME = "filtersql_probe"


def probe_merge(engine: Engine, schema: str = "filtersql") -> None:
    """Raises Mistakes when the engine refuses a table or the MERGE."""
    parts = (schema, _NAME)
    engine.create(parts, "id INT", {})
    try:
        one = exp.select(exp.alias_(exp.Literal.number(1), "id")).subquery("s")
        target = exp.to_table(engine.table_sql(parts), dialect=engine.dialect, alias="t")
        insert = exp.Insert(this=exp.Tuple(expressions=[exp.column("id")]))
        insert.set("expression", exp.Tuple(expressions=[exp.column("id", "s")]))
        merge = exp.Merge(
            this=target,
            using=one,
            on=exp.EQ(this=exp.column("id", "t"), expression=exp.column("id", "s")),
            whens=exp.Whens(expressions=[exp.When(matched=False, then=insert)]),
        )
        engine.execute(merge.sql(engine.dialect))
    finally:
        engine.drop(parts)
