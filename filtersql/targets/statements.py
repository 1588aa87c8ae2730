"""The few statements that the runner itself writes, as syntax trees.

Example
    >>> print(insert_values("filtersql.ledger", ("a", "b"), [(1, "it's")], "duckdb"))
    INSERT INTO filtersql.ledger ("a", "b") VALUES (1, 'it''s')
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.rendering.words import quoted
from filtersql.storage import Engine

__all__ = ["insert_values", "literal", "quoted", "table"]


def table(sql: str, engine: Engine) -> exp.Table:
    """A table from its quoted name."""
    return exp.to_table(sql, dialect=engine)


def literal(value: object) -> exp.Expr:
    """A literal of a Python value."""
    return exp.convert(value)


def insert_values(
    table_sql: str, columns: Sequence[str], rows: Sequence[Sequence[object]], engine: Engine
) -> str:
    """INSERT INTO … VALUES."""
    values = exp.Values(
        expressions=[exp.Tuple(expressions=[literal(value) for value in row]) for row in rows]
    )
    into = exp.Schema(
        this=table(table_sql, engine),
        expressions=[exp.to_identifier(column, quoted=True) for column in columns],
    )
    return exp.Insert(this=into, expression=values).sql(engine)
