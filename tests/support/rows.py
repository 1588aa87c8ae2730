"""The rows of a project's targets on any engine, beside what the subscribers held; staged rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from executing import compilation, printed
from pyarrow import parquet

from filtersql.api.loading import load_project
from filtersql.api.options import Options
from filtersql.api.reporter import Reporter
from filtersql.feeds.datetimes import python_values
from filtersql.rendering.compiled import CompiledTable
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

__all__ = ["differences", "execute", "rows_of", "staged_rows", "told"]

#: (column, PostgreSQL's text) in the order of the names
Row = tuple[tuple[str, str], ...]


def staged_rows(path: Path) -> list[str]:
    """The rows of a staged file in some order; `repr` tells -0.0 from 0.0."""
    columns = [python_values(column) for column in parquet.read_table(path).columns]
    return sorted(map(repr, zip(*columns, strict=True)))


def differences(project: Path, target: str) -> list[str]:
    """The rows that only one side holds, table by table, as sentences."""
    found: list[str] = []
    for (subscription, table), held in rows_of(project, target).items():
        path = project / "expected" / subscription / f"{table}.jsonl"
        expected = Counter(_expected_rows(path))
        for side, rows in (("missing", expected - held), ("leaked", held - expected)):
            if rows:
                found.append(f"{target} {subscription} {table}: {rows.total()} rows are {side}")
                found += [f"    {dict(row)}" for row, _ in zip(rows, range(5), strict=False)]
    return found


def rows_of(project: Path, target: str) -> dict[tuple[str, str], Counter[Row]]:
    """The rows of each (subscription, table) that the project has; read as `run` would."""
    with _opened(project, target) as (engine, tables):
        return {
            (table.subscription, str(table.relation)): Counter(_target_rows(engine, table))
            for table in tables
        }


def told(project: Path, target: str) -> dict[str, list[tuple[Row, int]]]:
    """The rows of each table, and how often it holds each, as JSON can tell them."""
    return {table: [*held.items()] for (_, table), held in rows_of(project, target).items()}


def execute(project: Path, target: str, statements: Sequence[str]) -> None:
    """Statements of somebody else; `{whole}` is the name of the target of table whole."""
    with _opened(project, target) as (engine, tables):
        names = {table.relation.name: engine.table_sql(table.target) for table in tables}
        for table in tables:
            assert engine.exists(table.target)
        for statement in statements:
            engine.execute(statement.format(**names))


@contextmanager
def _opened(project: Path, target: str) -> Iterator[tuple[Engine, list[CompiledTable]]]:
    """A project's engine, and its targets."""
    tables = [node.compiled for node in compilation(project, ["--target", target]).nodes]
    output = load_project(Reporter(Options(project_dir=project, target=target))).output
    assert output
    with closing(open_engine(output, project)) as engine:
        yield engine, tables


def _target_rows(engine: Engine, table: CompiledTable) -> Iterator[Row]:
    assert engine.exists(table.target), f"{engine.title} has no table {table.target}"
    moment = "TIMESTAMP" if engine.dialect == "spark" else "TIMESTAMPTZ"
    for row in engine.rows(f"SELECT * FROM {engine.table_sql(table.target)}"):
        yield tuple(
            sorted(
                (column.name, printed(_in_utc(value) if column.sql_type == moment else value))
                for column, value in zip(table.columns, row, strict=True)
            )
        )


def _in_utc(value: object) -> object:
    """A moment; Spark gives it in the machine's zone, without saying so."""
    return datetime.fromtimestamp(value.timestamp(), UTC) if isinstance(value, datetime) else value


def _expected_rows(path: Path) -> Iterator[Row]:
    """A subscriber's rows as PostgreSQL printed them."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line).items()
            yield tuple(sorted((name, "NULL" if text is None else text) for name, text in row))
