"""The filter language: a row filter's text, resolved as PostgreSQL does, written for an engine.

    resolve(where, table)            text -> Filter: allowed, typed, every node one function
    write(filter, engine, column)    Filter -> a sqlglot expression with the same three values

PostgreSQL's refusals and filtersql's own ("no exact form on this engine") are `errors.filters`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from filtersql.filters.model import ColumnWriter, Filter
from filtersql.filters.resolving import resolve
from filtersql.filters.write import dispatch
from filtersql.storage import Engine

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["ColumnWriter", "Filter", "resolve", "write"]


def write(filter: Filter, engine: Engine, column: ColumnWriter) -> exp.Expr:
    """The filter as an expression of the engine; raises NotTranslated where none is exact."""
    # sqlglot costs a fifth of a second to load: only those who write SQL pay for it.
    return dispatch.write(filter, engine, column)
