"""A run that is killed at any instant and started again leaves what a whole run leaves.

Each kill is a SIGKILL of a real process. FILTERSQL_CRASH_KILLS says how many (6 without it) on
DuckDB; `python tests/support/crashes.py --kills 200 --target delta` is the soak.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from commanded import Commanded
from crashes import Crashes, Landed, Runner
from histories import History, lines, write_files

KILLS = int(os.environ.get("FILTERSQL_CRASH_KILLS", "6"))
SEED = int(os.environ.get("FILTERSQL_CRASH_SEED", "1"))


def test_kills_on_duckdb_change_nothing(
    tmp_path: Path, runner: Runner, announce: Callable[[str], None]
) -> None:
    """Around the one commit of all tables, at every other step, and at any instant."""
    landed, seed = Landed(), SEED
    while landed.kills < KILLS:
        crashes = Crashes(tmp_path / str(seed), "duckdb", seed, landed, runner, transactions=8)
        assert crashes.play() == []
        seed += 1
    # Few of these kills hit the commit itself.
    for step in ("before COMMIT", "after COMMIT"):
        crashes = Crashes(tmp_path / step, "duckdb", seed, landed, runner, transactions=8)
        assert crashes.play_once(step, 1) == []
    announce(f"DuckDB: {landed}")
    assert landed.places["at a commit"]
    assert landed.places["after a commit, before its acknowledgement"]


@pytest.mark.parametrize(
    "seed", [106, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(20))]
)
def test_other_commands_are_killed_too(tmp_path: Path, runner: Runner, seed: int) -> None:
    """Copies, repairs, adoptions, quarantines and releases between batches."""
    landed = Landed()
    many = {} if seed < 20 else {"pieces": 3, "transactions": 6, "often": (1,)}
    assert Commanded(tmp_path, "duckdb", seed, landed, runner, **many).play() == []
    assert landed.runs


@pytest.mark.spark
@pytest.mark.parametrize("target", [pytest.param("delta", marks=pytest.mark.long), "iceberg"])
def test_kills_on_spark_are_finished_by_the_next_run(
    target: str, tmp_path: Path, runner: Runner, spark: object, announce: Callable[[str], None]
) -> None:
    """Behind the MERGE of the second of four tables, committed and not yet known to be.

    The Spark that was killed was its own; the one of this process finds what it left.
    """
    landed = Landed()
    crashes = Crashes(tmp_path, target, SEED, landed, runner)
    assert crashes.play_once("after write", 6) == []
    announce(f"{target.capitalize()}: {landed}")
    assert landed.places["after a commit, before its acknowledgement"] == 1


def test_after_ctrl_c_the_next_run_goes_on(tmp_path: Path, runner: Runner) -> None:
    """Exit code 130, one word, nothing half done: before the only commit, and while reading."""
    history = History(random.Random(SEED))
    history.go(6)
    write_files(tmp_path, history, "duckdb")
    feed = tmp_path / "changes" / "1.jsonl"
    feed.write_text(lines(history.records), encoding="utf-8")
    output = tmp_path / "output.txt"
    command = ["run", "--project-dir", str(tmp_path), "--target", "duckdb"]
    for number, step in enumerate(("before read_feed", "after write", "before COMMIT")):
        pause = str(tmp_path / f"pause{number}")
        process = runner.start(
            log=f"{pause}.log", at=1, arguments=command, step=step, pause=pause,
            output=str(output),
        )  # fmt: skip
        while not Path(f"{pause}.paused").exists():
            assert not runner.ended(0.05), output.read_text()
        os.kill(process, signal.SIGINT)
        assert runner.wait() == 130
        said = output.read_text(encoding="utf-8")
        assert said.endswith("interrupted\n")
        assert "Traceback" not in said
    crashes = Crashes(tmp_path, "duckdb", SEED, Landed(), runner)
    assert crashes.finish(history, history.seq) == []
