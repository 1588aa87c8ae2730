"""What a looked-up table holds while a statement is tried: one of the values of the tried rows.

Example
    deptno IN (SELECT id FROM lookup)       lookup holds 2; rows are tried with 1, 2 and NULL
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp, select

from filtersql.compile import Node
from filtersql.filters.resolve.lookups import looked_up
from filtersql.names import view_name
from filtersql.storage import column_type
from filtersql.targets.model import Engine
from filtersql.verify.values import values_of

__all__ = ["show_lookups"]


def show_lookups(node: Node, engines: Sequence[Engine]) -> None:
    """Make the views of all tables that a target's filters look up."""
    for row_filter in node.filters.values():
        for found in looked_up(row_filter.tree):
            column = node.resolved.table.column(found.arg.name)
            assert column is not None  # the filter was resolved
            value = exp.Literal.string(values_of(column)[-1])
            for engine in engines:
                kind = column_type(column, engine.dialect).sql
                held = exp.Cast(this=value, to=exp.DataType.build(kind, dialect=engine.dialect))
                query = select(exp.alias_(held, found.looked.name, quoted=True))
                engine.stage(view_name("lookup", found.relation), query.sql(engine.dialect))
