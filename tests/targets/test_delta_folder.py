"""What a killed process leaves in the folder of a Delta table, without Spark."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from filtersql.targets import delta_folder

FIRST = f"{0:020}.json"


@pytest.fixture
def folder(tmp_path) -> Path:
    """A table's folder with an empty log that is older than a process may take to fill it."""
    log = tmp_path / "t1" / "_delta_log"
    log.mkdir(parents=True)
    os.utime(log, (0, 0))
    return tmp_path / "t1"


@pytest.mark.parametrize(
    ("name", "table"),
    [
        (FIRST, True),
        (f"{10:020}.checkpoint.parquet", True),
        (f"{10:020}.checkpoint.0000000001.0000000002.parquet", True),
        (f".{FIRST}.7c.tmp", False),
        (f"{0:020}.crc", False),
    ],
)
def test_a_table_is_there_from_its_first_commit_on(folder, name, table) -> None:
    """Or where a checkpoint stands for commits that were cleaned away."""
    (folder / "_delta_log" / name).touch()
    assert delta_folder.holds_a_table(folder) is table


def test_where_no_log_is_there_is_no_table(tmp_path) -> None:
    """Nor where the name is a file's."""
    (tmp_path / "t2").mkdir()
    (tmp_path / "t2" / "_delta_log").touch()
    assert not delta_folder.holds_a_table(tmp_path / "t1")
    assert not delta_folder.holds_a_table(tmp_path / "t2")
    delta_folder.clear(tmp_path / "t2")
    assert (tmp_path / "t2" / "_delta_log").exists()


def test_an_unfinished_log_is_removed_and_nothing_else(folder) -> None:
    """A file that is not the log's is somebody's: Delta will refuse the folder for it."""
    log = folder / "_delta_log"
    (log / f".{FIRST}.7c.tmp").touch()
    (log / "_staged_commits").mkdir()
    (folder / "theirs.parquet").touch()
    os.utime(log, (0, 0))
    delta_folder.clear(folder)
    assert list(folder.iterdir()) == [folder / "theirs.parquet"]


def test_a_log_with_a_commit_is_never_removed(folder) -> None:
    """However old it is."""
    (folder / "_delta_log" / FIRST).touch()
    delta_folder.clear(folder)
    assert delta_folder.holds_a_table(folder)


def test_another_process_is_given_time_for_its_first_commit(folder) -> None:
    """Its log is a moment old."""
    os.utime(folder / "_delta_log")
    commit = folder / "_delta_log" / FIRST
    other = threading.Timer(0.2, commit.touch)
    other.start()
    delta_folder.clear(folder)
    other.join()
    assert commit.exists()


def test_removing_a_table_leaves_nothing(folder) -> None:
    """Nor what an earlier removal left that was killed."""
    (folder.parent / ".t1.removed").mkdir()
    (folder.parent / ".t1.removed" / "left").touch()
    delta_folder.remove(folder)
    assert list(folder.parent.iterdir()) == []
    delta_folder.remove(folder)
