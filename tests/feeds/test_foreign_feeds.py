"""What other tools recorded of a world leaves the rows that live subscribers of it held.

The files under tests/data/feeds come from `python tests/recorders/foreign_feeds.py --output
tests/data/feeds debezium wal2json`: Debezium 3.3 on a PostgreSQL 18, wal2json 2.5 on a 15.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from foreign_feeds import record_debezium, record_wal2json
from pglogical_servers import serve_installed
from places import DATA as _DATA
from portioned import read_in_portions
from rows import differences
from servers import Server
from transcripts import Shell

_WORKERS = {"max_logical_replication_workers": "12", "wal_retrieve_retry_interval": "100ms"}
DATA = _DATA / "feeds"
#: how Debezium was set up, as the feed says it; with schemas the values say it themselves
SETTINGS = {
    "plain": "decimal_handling_mode: string, binary_handling_mode: hex,"
    " time_precision_mode: adaptive_time_microseconds, assume: [inline_arrays, plain_arrays]",
    "bare": "assume: [finite_numbers, inline_arrays, plain_arrays]",
    "enveloped": "assume: [finite_numbers, inline_arrays, plain_arrays]",
}


def project(folder: Path, form: str, way: str = "") -> Path:
    """A copy of a recorded project without its changes."""
    root = folder / form
    shutil.copytree(DATA / form, root, ignore=shutil.ignore_patterns("changes"))
    (root / "changes").mkdir()
    if way:
        settle(root, way)
    return root


def settle(root: Path, way: str) -> None:
    """Say in the project how Debezium was set up."""
    with (root / "filtersql_project.yml").open("a") as settings:
        settings.write(f"vars: {{settings: '{SETTINGS[way]}'}}\n")


def ran(root: Path) -> str:
    """What a run that ends with 0 prints."""
    return Shell(root).succeed("run").both


def lines_of(form: str, way: str = "") -> list[str]:
    """The lines of a recorded feed."""
    paths = sorted((DATA / form / "changes" / way).glob("*.gz"))
    return [
        line for path in paths for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    ]


def parts(lines: Sequence[str], count: int) -> Iterator[Sequence[str]]:
    """The lines in about equal parts; they end wherever that falls."""
    size = len(lines) // count + 1
    return (lines[begin : begin + size] for begin in range(0, len(lines), size))


@pytest.mark.parametrize("way", SETTINGS)
def test_debezium_leaves_what_subscribers_held(way: str, tmp_path: Path) -> None:
    """Snapshot and changes, under each way to set Debezium up, whatever files they are in."""
    root = project(tmp_path, "debezium", way)
    shutil.copytree(DATA / "debezium" / "changes" / way, root / "changes", dirs_exist_ok=True)
    ran(root)
    assert differences(root, "duckdb") == []


@pytest.mark.parametrize("way", ["plain", "bare"])
def test_files_of_debezium_may_end_inside_of_a_transaction(way: str, tmp_path: Path) -> None:
    """Each run finds one file more; some lines are sent twice."""
    root = project(tmp_path, "debezium", way)
    for number, part in enumerate(parts(lines_of("debezium", way), 4)):
        text = "".join(f"{line}\n" for line in part)
        path = root / "changes" / f"{number}.jsonl.gz"
        path.write_bytes(gzip.compress(text.encode()))
        ran(root)
    assert differences(root, "duckdb") == []


def test_topics_of_debezium_are_read_in_the_order_of_commits(tmp_path: Path) -> None:
    """One file for each table, as Kafka has them; the order of the files does not matter."""
    root = project(tmp_path, "debezium", "bare")
    topics: dict[str, list[str]] = {}
    for line in lines_of("debezium", "bare"):
        if event := json.loads(line):
            topics.setdefault(event["source"]["table"], []).append(line)
    for name, topic in topics.items():
        path = root / "changes" / f"{name}.jsonl.gz"
        path.write_bytes(gzip.compress("".join(f"{line}\n" for line in topic).encode()))
    ran(root)
    assert differences(root, "duckdb") == []


@pytest.mark.skipif(
    "FILTERSQL_DEBEZIUM" not in os.environ,
    reason="FILTERSQL_DEBEZIUM asks for Debezium, which takes minutes to fetch and to start",
)
@pytest.mark.postgres
def test_debezium_live(postgres: Server, tmp_path: Path) -> None:
    """A history that no one saw before: FILTERSQL_LIVE_SEED names another one."""
    seed = int(os.environ.get("FILTERSQL_LIVE_SEED", str(random.randrange(10**6))))
    record_debezium(postgres, tmp_path / "recorded", seed=seed, count=40)
    for way in SETTINGS:
        root = tmp_path / way
        shutil.copytree(tmp_path / "recorded", root, ignore=shutil.ignore_patterns("changes"))
        shutil.copytree(tmp_path / "recorded" / "changes" / way, root / "changes")
        settle(root, way)
        ran(root)
        assert differences(root, "duckdb") == [], f"{way}: FILTERSQL_LIVE_SEED={seed}"


@pytest.mark.skipif(
    not Path("/usr/lib/postgresql/15/lib/wal2json.so").exists(),
    reason="postgresql-15-wal2json is not installed",
)
@pytest.mark.postgres
def test_wal2json_live(tmp_path: Path) -> None:
    """A history that no one saw before: FILTERSQL_LIVE_SEED names another one."""
    seed = int(os.environ.get("FILTERSQL_LIVE_SEED", str(random.randrange(10**6))))
    with serve_installed(_WORKERS) as server:
        record_wal2json(server, tmp_path, seed=seed, count=40)
    ran(tmp_path)
    assert differences(tmp_path, "duckdb") == [], f"FILTERSQL_LIVE_SEED={seed}"


@pytest.mark.parametrize("runs", [1, 4])
def test_wal2json_leaves_what_subscribers_held(runs: int, tmp_path: Path) -> None:
    """However the stream is cut into files; a transaction that goes on waits."""
    root = project(tmp_path, "wal2json")
    for number, part in enumerate(parts(lines_of("wal2json"), runs)):
        text = "".join(f"{line}\n" for line in part)
        (root / "changes" / f"{number}.json.gz").write_bytes(gzip.compress(text.encode()))
        ran(root)
    assert differences(root, "duckdb") == []


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("form", ["debezium", "wal2json"])
def test_portions_leave_what_subscribers_held(
    form: str, scattered: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read by many; Debezium's values in files of any order, wal2json's stream in four files."""
    used = read_in_portions(monkeypatch, 20_000)
    way = "enveloped" if form == "debezium" else ""
    root = project(tmp_path, form, way)
    lines = lines_of(form, way)
    if form == "debezium":
        files: list[Sequence[str]] = [lines[start::3] for start in range(3)]
    else:
        files = list(parts(lines, 4))
    if not scattered:
        files = [lines]
    written = root / "subscriptions" / "subscriptions.yml"
    text = written.read_text(encoding="utf-8").replace(".gz", "")
    written.write_text(text, encoding="utf-8", newline="")
    for number, part in enumerate(files):
        text = "".join(f"{line}\n" for line in part)
        (root / "changes" / f"{number}.json{'l' * (form == 'debezium')}").write_text(
            text, encoding="utf-8", newline=""
        )
    ran(root)
    assert used == [True]
    assert differences(root, "duckdb") == []
