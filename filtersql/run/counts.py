"""How many rows there are, and how many keys come more than once, as the engine counts them.

Example
    count(engine, exp.select("*").from_(named_rows("staged")))
    count_repeated(engine, named_rows("staged"), ["id"])
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, select

from filtersql.targets.model import Engine

__all__ = ["count", "count_repeated"]


def count(engine: Engine, rows: exp.Select) -> int:
    """How many rows `SELECT * FROM …` gives."""
    query = rows.select(exp.Count(this=exp.Star()), append=False)
    return int(str(engine.rows(query.sql(engine.dialect, copy=False))[0][0]))


def count_repeated(engine: Engine, table: exp.Expr, key: Sequence[str]) -> int:
    """How many keys a table or view has that come more than once."""
    columns = [exp.column(name, quoted=True) for name in key]
    many = exp.GT(this=exp.Count(this=exp.Star()), expression=exp.convert(1))
    repeated = select(*columns).from_(table).group_by(*(one.copy() for one in columns))
    return count(engine, select("*").from_(repeated.having(many).subquery("repeated")))
