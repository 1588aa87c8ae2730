"""A run that is killed at any instant and started again leaves what a whole run leaves.

Each kill is a SIGKILL of a real process. FILTERSQL_CRASH_KILLS says how many (12 without it) on
DuckDB; `python tests/crashes.py --kills 200 --target delta` is the soak.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crashes import Crashes, Landed, Runner

KILLS = int(os.environ.get("FILTERSQL_CRASH_KILLS", "12"))
SEED = int(os.environ.get("FILTERSQL_CRASH_SEED", "1"))


@pytest.fixture
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.close()


def test_kills_on_duckdb_change_nothing(
    tmp_path: Path, runner: Runner, announce: Callable[[str], None]
) -> None:
    """Around the one commit of all tables, at every other step, and at any instant."""
    landed, seed = Landed(), SEED
    while landed.kills < KILLS:
        crashes = Crashes(tmp_path / str(seed), "duckdb", seed, landed, runner, transactions=8)
        assert crashes.play() == []
        seed += 1
    announce(f"DuckDB: {landed}")
    assert landed.places["at a commit"]


@pytest.mark.spark
@pytest.mark.parametrize("target", ["delta", "iceberg"])
def test_kills_on_spark_are_finished_by_the_next_run(
    target: str, tmp_path: Path, runner: Runner, announce: Callable[[str], None]
) -> None:
    """Behind the MERGE of the second of four tables, committed and not yet known to be."""
    landed = Landed()
    crashes = Crashes(tmp_path, target, SEED, landed, runner)
    assert crashes.play_once("after write", 6) == []
    announce(f"{target.capitalize()}: {landed}")
    assert landed.places["after a commit, before its acknowledgement"] == 1
