"""How many rows there are, and how many keys come more than once, as the engine counts them.

Example
    count(engine, exp.select("*").from_(named_rows("staged")))
    count_table(engine, compiled.target_sql)
    count_repeated(engine, named_rows("staged"), ["id"])
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, select

from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column, table

__all__ = ["count", "count_repeated", "count_table"]


def count(engine: Engine, rows: exp.Select) -> int:
    """How many rows `SELECT * FROM …` gives."""
    query = rows.select(exp.Count(this=exp.Star()), append=False)
    return int(str(engine.rows(query.sql(engine.dialect, copy=False))[0][0]))


def count_table(engine: Engine, name: str) -> int:
    """How many rows a table has whose name is quoted."""
    return count(engine, select("*").from_(table(name, engine.dialect)))


def count_repeated(engine: Engine, rows: exp.Expr, key: Sequence[str]) -> int:
    """How many keys a table or view has that come more than once."""
    columns = [*map(named_column, key)]
    many = exp.Count(this=exp.Star()) > 1
    repeated = select(*columns).from_(rows).group_by(*(one.copy() for one in columns))
    return count(engine, select("*").from_(repeated.having(many).subquery("repeated")))
