"""What a killed process leaves in the folder of a Delta table, without Spark."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from filtersql.names import RelationName
from filtersql.targets.delta_folder import LocalFolder
from filtersql.targets.marks import Mark

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
    assert LocalFolder(folder).holds_a_table() is table


def test_where_no_log_is_there_is_no_table(tmp_path) -> None:
    """Nor where the name is a file's."""
    (tmp_path / "t2").mkdir()
    (tmp_path / "t2" / "_delta_log").touch()
    assert not LocalFolder(tmp_path / "t1").holds_a_table()
    assert not LocalFolder(tmp_path / "t2").holds_a_table()
    LocalFolder(tmp_path / "t2").clear()
    assert (tmp_path / "t2" / "_delta_log").exists()


def test_an_unfinished_log_is_removed_and_nothing_else(folder) -> None:
    """A file that is not the log's is somebody's: Delta will refuse the folder for it."""
    log = folder / "_delta_log"
    (log / f".{FIRST}.7c.tmp").touch()
    (log / "_staged_commits").mkdir()
    (folder / "theirs.parquet").touch()
    os.utime(log, (0, 0))
    LocalFolder(folder).clear()
    assert list(folder.iterdir()) == [folder / "theirs.parquet"]


def test_a_log_with_a_commit_is_never_removed(folder) -> None:
    """However old it is."""
    (folder / "_delta_log" / FIRST).touch()
    LocalFolder(folder).clear()
    assert LocalFolder(folder).holds_a_table()


def test_another_process_is_given_time_for_its_first_commit(folder) -> None:
    """Its log is a moment old."""
    os.utime(folder / "_delta_log")
    commit = folder / "_delta_log" / FIRST
    other = threading.Timer(0.2, commit.touch)
    other.start()
    LocalFolder(folder).clear()
    other.join()
    assert commit.exists()


def test_removing_a_table_leaves_nothing(folder) -> None:
    """Nor what an earlier removal left that was killed."""
    (folder.parent / ".t1.removed").mkdir()
    (folder.parent / ".t1.removed" / "left").touch()
    LocalFolder(folder).remove()
    assert list(folder.parent.iterdir()) == []
    LocalFolder(folder).remove()


def commit(folder: Path, number: int, *actions: dict[str, object]) -> None:
    """A commit of the log, as Delta writes it."""
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (folder / "_delta_log" / f"{number:020}.json").write_text(text, encoding="utf-8")


def test_the_newest_writer_of_an_application_is_known_by_its_commit(folder) -> None:
    """Commits of others, and those that only join files, are passed over."""
    assert LocalFolder(folder).newest_writer("a") is None
    commit(folder, 1, {"commitInfo": {"userMetadata": "1"}}, {"txn": {"appId": "a", "version": 1}})
    commit(folder, 2, {"commitInfo": {"userMetadata": "2"}}, {"txn": {"appId": "b", "version": 9}})
    commit(folder, 3, {"commitInfo": {"userMetadata": "a"}}, {"add": {"path": "txn"}})
    assert LocalFolder(folder).newest_writer("a") == "1"
    commit(folder, 4, {"txn": {"appId": "a", "version": 2}}, {"commitInfo": {"userMetadata": "4"}})
    assert LocalFolder(folder).newest_writer("a") == "4"
    (folder / "_delta_log" / f"{5:020}.json").write_text('{"txn"')
    assert LocalFolder(folder).newest_writer("a") is None
    assert LocalFolder(folder.parent).newest_writer("a") is None


def test_rows_are_counted_by_the_newest_commit_if_it_is_the_marks(folder) -> None:
    """What is not said is not known."""
    mark, other = (Mark("s", RelationName("public", "t"), number, 7) for number in (1, 2))
    said = {"userMetadata": mark.text, "operationMetrics": {"numOutputRows": "12"}}
    assert LocalFolder(folder).rows_written(mark) is None
    commit(folder, 1, {"commitInfo": said})
    assert LocalFolder(folder).rows_written(mark) == 12
    assert LocalFolder(folder).rows_written(other) is None
    assert LocalFolder(folder).newest_mark() == mark
    commit(folder, 2, {"commitInfo": {"userMetadata": mark.text, "operationMetrics": {}}})
    assert LocalFolder(folder).rows_written(mark) is None
    commit(folder, 3, {"commitInfo": {"userMetadata": mark.text}})
    assert LocalFolder(folder).rows_written(mark) is None
    commit(folder, 4, {"commitInfo": {"operationMetrics": {"numOutputRows": "3"}}})
    assert LocalFolder(folder).rows_written(mark) is None
