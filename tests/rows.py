"""All rows of a target table, in Python's values, whatever the engine."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["all_rows"]


def all_rows(project: Path, target: str, table: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, in no order. Spark is the session that runs already."""
    if target == "duckdb":
        yield from _of_duckdb(project, table)
    else:
        yield from _of_spark(table)


def _of_duckdb(project: Path, table: str) -> Iterator[tuple[Any, ...]]:
    import duckdb

    (path,) = project.glob("*.duckdb")
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield from connection.execute(f"SELECT * FROM {table}").fetchall()


def _of_spark(table: str) -> Iterator[tuple[Any, ...]]:
    """A TIMESTAMP is a moment, which Python shows in the machine's zone: taken to UTC."""
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    assert session, "no Spark session is active"
    data = session.table(table)
    moments = {name for name, kind in data.dtypes if kind == "timestamp"}
    for row in data.collect():
        yield tuple(
            datetime.fromtimestamp(value.timestamp(), UTC)
            if value is not None and name in moments
            else value
            for name, value in zip(data.columns, row, strict=True)
        )
