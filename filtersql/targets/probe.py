"""Whether MERGE works on a target: a table of filtersql's own is made, merged into and dropped."""

from __future__ import annotations

from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.reaching import STATE_REFUSED
from filtersql.errors.targets import CatalogFailed, EngineRefused
from filtersql.targets.model import Engine

__all__ = ["probe_merge"]

_NAME = "filtersql_probe"


def probe_merge(engine: Engine, schema: str) -> None:
    """Raises Mistakes when the engine refuses a table in the state's schema, or the MERGE."""
    parts = (schema, _NAME)
    try:
        engine.create(parts, "id INT", {})
    except Mistakes as refused:
        (mistake, *_) = refused.mistakes
        if type(mistake) not in (EngineRefused, CatalogFailed):
            raise  # what is said of it helps more
        raise Mistakes([STATE_REFUSED(name=schema, reason=mistake.message)]) from None
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
