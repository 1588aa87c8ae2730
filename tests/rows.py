"""The rows of a recorded project's targets on any engine, beside what the subscribers held."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import shop
from executing import compiled, printed

__all__ = ["differences", "rows_of"]


def differences(project: Path, target: str) -> list[str]:
    """The rows that only one side holds, table by table, as sentences."""
    return [
        difference
        for name, wanted in shop.SUBSCRIPTIONS.items()
        for table in wanted.tables
        for difference in _differing(project, target, name, table)
    ]


def _differing(project: Path, target: str, subscription: str, table: str) -> Iterator[str]:
    """At most five rows of each kind."""
    there = rows_of(project, target, subscription, table)
    expected = Counter(_expected_rows(project, subscription, table))
    for side, rows in (("missing", expected - there), ("leaked", there - expected)):
        if rows:
            yield f"{target} {subscription} {table}: {rows.total()} rows are {side}"
            yield from (f"    {row}" for row, _ in zip(rows, range(5), strict=False))


def rows_of(project: Path, target: str, subscription: str, table: str) -> Counter[tuple[str, ...]]:
    """A target's rows as PostgreSQL's text."""
    names = compiled(project, subscription, table, ["--target", target])
    return Counter(tuple(map(printed, row)) for row in _all_rows(project, target, names.target_sql))


def _expected_rows(project: Path, subscription: str, table: str) -> Iterator[tuple[str, ...]]:
    """A subscriber's rows as PostgreSQL printed them."""
    with (project / "expected" / subscription / f"{table}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            yield tuple("NULL" if value is None else value for value in row.values())


def _all_rows(project: Path, target: str, table: str) -> Iterator[tuple[Any, ...]]:
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
