"""What Spark's catalog is asked about tables, whatever the way to it.

Example
    table_names(engine.rows, "`shop`")                          {"t1", "t2"}
    table_bytes(records, "delta", "`shop`.`t1`")                2048
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from filtersql.errors import Mistakes
from filtersql.targets import delta, iceberg
from filtersql.targets.table_statements import describe_table, described, show_tables

__all__ = ["table_bytes", "table_columns", "table_names"]

_Rows = Callable[[str], Sequence[Sequence[object]]]


def table_columns(rows: _Rows, table_sql: str) -> tuple[tuple[str, str], ...]:
    """The names and types of the columns of a table that exists."""
    return described(rows(describe_table(table_sql)))


def table_names(rows: _Rows, schema_sql: str) -> frozenset[str]:
    """The names of the tables of a schema, folded; none where the engine does not list them."""
    try:
        return frozenset(str(row[1]).casefold() for row in rows(show_tables(schema_sql)))
    except Mistakes:
        return frozenset()


def table_bytes(
    records: Callable[[str], Sequence[Mapping[str, object]]],
    table_format: Literal["delta", "iceberg"],
    table_sql: str,
) -> int:
    """How many bytes the newest version of a table has."""
    is_delta = table_format == "delta"
    found = records(delta.detail(table_sql) if is_delta else iceberg.size(table_sql))
    size = found[0][delta.SIZE if is_delta else iceberg.SIZE] if found else None
    return 0 if size is None else int(str(size))
