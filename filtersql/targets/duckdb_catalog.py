"""What DuckDB's own tables tell of a file: its tables, their columns, and the user's macros.

Example
    table_columns(run, ("shop", "t1"))    (("a", "INTEGER"), ("b", "VARCHAR COLLATE NOCASE"))
    table_names(run, "shop")              {"t1", "t2"}
    hidden_functions(engine.rows)         ["lower"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import duckdb
from sqlglot import exp, parse_one

from filtersql.targets.model import Rows

__all__ = ["hidden_functions", "table_columns", "table_names", "temporary_names"]

_Run = Callable[[str, Sequence[str]], duckdb.DuckDBPyConnection]
#: macros that are found before DuckDB's own functions: statements name these without a schema
_HIDDEN = """WITH known AS MATERIALIZED (
  SELECT function_name, internal, schema_name, system.main.lower(function_name) AS plain
  FROM system.main.duckdb_functions()
)
SELECT DISTINCT function_name FROM known WHERE NOT internal AND schema_name = 'main'
AND plain IN (SELECT plain FROM known WHERE internal) ORDER BY 1"""
# The information schema's views say the same and take twice as long.
_COLUMNS = """SELECT column_name, data_type, (
SELECT any_value(sql) FROM duckdb_tables() WHERE database_name = current_database()
AND lower(schema_name) = lower($1) AND lower(table_name) = lower($2) AND sql ILIKE '%COLLATE%')
FROM duckdb_columns() WHERE database_name = current_database()
AND lower(schema_name) = lower($1) AND lower(table_name) = lower($2) ORDER BY column_index"""
_NAMES = """SELECT lower(table_name) FROM duckdb_tables()
WHERE database_name = current_database() AND lower(schema_name) = lower($1)"""
_TEMPORARY = """SELECT 'VIEW', view_name FROM duckdb_views() WHERE database_name = 'temp'
UNION ALL SELECT 'TABLE', table_name FROM duckdb_tables() WHERE database_name = 'temp'"""


def table_columns(run: _Run, parts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The names and types of a table's columns; none where the table does not exist."""
    found = run(_COLUMNS, parts).fetchall()
    collations = _collated(found[0][2]) if found and found[0][2] else {}
    return tuple((str(one), f"{kind}{collations.get(one, '')}") for one, kind, _ in found)


def table_names(run: _Run, schema: str) -> frozenset[str]:
    """The names of the tables of a schema, folded."""
    return frozenset(str(name) for (name,) in run(_NAMES, [schema]).fetchall())


def temporary_names(rows: Callable[[str], Rows]) -> list[tuple[str, str]]:
    """What is temporary: VIEW or TABLE, and the name."""
    return [(str(kind), str(name)) for kind, name in rows(_TEMPORARY)]


def hidden_functions(rows: Callable[[str], Rows]) -> list[str]:
    """The names of DuckDB's own under which the file has macros."""
    return [str(name) for (name,) in rows(_HIDDEN)]


def _collated(statement: object) -> dict[object, str]:
    """Of the columns of CREATE TABLE those with a collation, by which other texts are equal."""
    return {
        column.name: f" COLLATE {collation.this.sql('duckdb')}"
        for column in parse_one(str(statement), dialect="duckdb").find_all(exp.ColumnDef)
        for collation in column.find_all(exp.CollateColumnConstraint)
    }
