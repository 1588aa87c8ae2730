"""A recorded workload of a real PostgreSQL leaves on each engine what its subscribers held.

The subscribers are real ones, with the same row filters, in the same server (tests/recorders). The
feed is one, decoded without filters; both subscriptions read it. FILTERSQL_WORKLOAD says how many
changes there are (60000 without it).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from mix import Mix
from rows import differences, rows_of
from servers import Server
from transcripts import Shell
from workload import record

pytestmark = [
    pytest.mark.postgres, pytest.mark.spark, pytest.mark.usefixtures("generated_code")
]  # fmt: skip

CHANGES = int(os.environ.get("FILTERSQL_WORKLOAD", "60000"))


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
    copy = tmp_path / "recorded"
    shutil.copytree(recorded.folder, copy, ignore=shutil.ignore_patterns("changes"))
    return copy


def test_workload_is_a_hard_one(recorded: Recorded, announce: Callable[[str], None]) -> None:
    """A tenth each enters and leaves a filter, changes its key, is deleted; 20 TRUNCATEs."""
    mix = recorded.mix
    announce(f"the recorded workload:\n{mix}\n")

    assert mix.row_changes >= CHANGES
    assert min(mix.entered, mix.left, mix.key_changed, mix.deleted) >= mix.row_changes / 10
    assert mix.truncates >= 20
    assert mix.transactions_over_several_tables >= 500
    assert mix.unchanged_out_of_line >= 100


@pytest.mark.parametrize(
    ("target", "runs"),
    [("duckdb", 2), pytest.param("delta", 1, marks=pytest.mark.long), ("iceberg", 1)],
)
def test_targets_hold_what_the_subscribers_held(
    target: str, runs: int, recorded: Recorded, project: Path
) -> None:
    """However many runs the feed arrives in, every table is as PostgreSQL's, row for row.

    A run without new files leaves these rows: it is tried where it costs little.
    """
    shell = Shell(project)
    files = sorted((recorded.folder / "changes").iterdir())
    (project / "changes").mkdir()
    share = -(-len(files) // runs)
    for begin in range(0, len(files), share):
        for file in files[begin : begin + share]:
            shutil.copy(file, project / "changes")
        shell.succeed("run", "--target", target)
    found = differences(project, target)
    assert not found, "\n".join(found)

    if target == "duckdb":
        first = rows_of(project, target)
        shell.succeed("run", "--target", target)
        assert rows_of(project, target) == first
