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

from filtersql.commands.options import Options
from filtersql.commands.shared import load_project
from filtersql.targets.open import open_engine

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
    there = compiled(project, subscription, table, ["--target", target])
    moments = [column.sql_type == "TIMESTAMP" for column in there.columns]
    output = load_project(Options(project_dir=project, target=target)).output
    assert output
    engine = open_engine(output, project)
    try:
        assert engine.exists(there.target), f"{target} has no table {there.target}"
        rows = engine.rows(f"SELECT * FROM {engine.table_sql(there.target)}")
    finally:
        engine.close()
    return Counter(
        tuple(
            printed(_in_utc(value) if moment else value)
            for value, moment in zip(row, moments, strict=True)
        )
        for row in rows
    )


def _in_utc(value: object) -> object:
    """A moment; Spark shows it in the machine's zone, without saying so."""
    return datetime.fromtimestamp(value.timestamp(), UTC) if isinstance(value, datetime) else value


def _expected_rows(project: Path, subscription: str, table: str) -> Iterator[tuple[str, ...]]:
    """A subscriber's rows as PostgreSQL printed them."""
    with (project / "expected" / subscription / f"{table}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            yield tuple("NULL" if value is None else value for value in row.values())
