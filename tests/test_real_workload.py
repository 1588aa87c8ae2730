"""A recorded workload of a real PostgreSQL leaves on each engine what its subscribers held.

The subscribers are real ones, with the same row filters, in the same server (tests/recorders). The
feed is one, decoded without filters; both subscriptions read it.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import shop
from executing import compiled, printed
from mix import Mix
from rows import all_rows
from servers import Server
from transcripts import Shell
from workload import record

pytestmark = [pytest.mark.postgres, pytest.mark.spark]

CHANGES = 100_000


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded project, and what it was made of."""

    folder: Path
    mix: Mix


@pytest.fixture(scope="module")
def recorded(postgres: Server, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """The workload, run and recorded once."""
    folder = tmp_path_factory.mktemp("recorded")
    return Recorded(folder, record(postgres, folder, changes=CHANGES, seed=20261120))


@pytest.fixture
def project(recorded: Recorded, tmp_path: Path) -> Path:
    """A copy of the recorded project, as yet without feed files."""
    return Path(
        shutil.copytree(
            recorded.folder, tmp_path / "recorded", ignore=shutil.ignore_patterns("changes")
        )
    )


def test_workload_is_a_hard_one(recorded: Recorded, announce: Callable[[str], None]) -> None:
    """A tenth each enters and leaves a filter, changes its key, is deleted; 20 TRUNCATEs."""
    mix = recorded.mix
    announce(f"the recorded workload:\n{mix}\n")

    assert mix.row_changes >= CHANGES
    assert min(mix.entered, mix.left, mix.key_changed, mix.deleted) >= mix.row_changes / 10
    assert mix.truncates >= 20
    assert mix.transactions_over_several_tables >= 500
    assert mix.unchanged_out_of_line >= 100


@pytest.mark.parametrize("target", ["duckdb", "delta", "iceberg"])
def test_targets_hold_what_the_subscribers_held(
    target: str, recorded: Recorded, project: Path, request: pytest.FixtureRequest
) -> None:
    """The feed arrives in two halves; after two runs every table is as PostgreSQL's, row for row."""
    if target != "duckdb":
        request.getfixturevalue("spark")
    shell = Shell(project)
    files = sorted((recorded.folder / "changes").iterdir())
    (project / "changes").mkdir()
    for half in (files[: len(files) // 2], files[len(files) // 2 :]):
        for file in half:
            shutil.copy(file, project / "changes")
        ended = shell.filtersql("run", "--target", target)
        assert ended.exit_code == 0, ended.both

    differences = [
        difference
        for name, wanted in shop.SUBSCRIPTIONS.items()
        for table in wanted.tables
        for difference in differing(project, target, name, table)
    ]

    assert not differences, "\n".join(differences)


def test_second_run_does_nothing(recorded: Recorded, project: Path) -> None:
    """A run without new files leaves the same rows."""
    shutil.copytree(recorded.folder / "changes", project / "changes")
    shell = Shell(project)
    shell.filtersql("run", "--target", "duckdb")
    first = rows_of(project, "duckdb", "near", "shop.customers")
    ended = shell.filtersql("run", "--target", "duckdb")

    assert ended.exit_code == 0, ended.both
    assert rows_of(project, "duckdb", "near", "shop.customers") == first


def differing(project: Path, target: str, subscription: str, table: str) -> Iterator[str]:
    """The rows that only one side holds, as sentences; at most five of each."""
    there = rows_of(project, target, subscription, table)
    expected = Counter(expected_rows(project, subscription, table))
    for side, rows in (("missing", expected - there), ("leaked", there - expected)):
        if rows:
            yield f"{target} {subscription} {table}: {rows.total()} rows are {side}"
            yield from (f"    {row}" for row, _ in zip(rows, range(5), strict=False))


def rows_of(project: Path, target: str, subscription: str, table: str) -> Counter[tuple[str, ...]]:
    """A target's rows as PostgreSQL's text."""
    names = compiled(project, subscription, table, ["--target", target])
    return Counter(tuple(map(printed, row)) for row in all_rows(project, target, names.target_sql))


def expected_rows(project: Path, subscription: str, table: str) -> Iterator[tuple[str, ...]]:
    """A subscriber's rows as PostgreSQL printed them."""
    with (project / "expected" / subscription / f"{table}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            yield tuple("NULL" if value is None else value for value in row.values())
