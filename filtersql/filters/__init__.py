"""The filter language: a row filter's text, resolved as PostgreSQL does, written for an engine.

    resolve(where, table)            text -> Filter: allowed, typed, every node one function
    write(filter, engine, column)    Filter -> a sqlglot expression with the same three values

PostgreSQL's refusals and filtersql's own ("no exact form on this engine") are `errors.filters`.
"""

from __future__ import annotations

from filtersql.filters.model import ColumnWriter, Filter
from filtersql.filters.resolving import resolve
from filtersql.filters.writing import write

__all__ = ["ColumnWriter", "Filter", "resolve", "write"]
