"""What stands behind a snapshot of Debezium, and a snapshot that is taken again.

PostgreSQL 15, asked: a transaction that is open while a slot is made logs its changes below the
slot's consistent point, which the snapshot's rows have; it is decoded, and they lack it. Debezium
sends such changes with `sequence` [null, …], as every change before the first commit that it reads.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answers import Project
from portioned import read_in_portions
from rows import rows_of

_TABLE = "tables:\n  - {name: t, columns: {id: int not null, v: text}, primary_key: [id]}\n"
_PUBLICATION = "publications:\n  - {name: p, tables: [{name: t, where: id > 0}]}\n"
_SUBSCRIPTION = (
    "subscriptions:\n"
    '  - {name: s, publications: [p], changes: {format: debezium, path: "changes/*.jsonl"}}\n'
)


def _value(op: str, lsn: int, commit: int | None, key: int, value: str = "", **more: Any) -> str:
    source = {
        "schema": "public", "table": "t", "txId": 700 + (commit or 0), "lsn": lsn,
        "sequence": json.dumps([commit and str(commit), str(lsn)]),
    }  # fmt: skip
    row = {"id": key, "v": value}
    images = {
        "before": {"id": key, "v": None} if op == "d" else None,
        "after": None if op == "d" else row,
    }
    return json.dumps({**images, "source": source, "op": op, **more}) + "\n"


_SNAPSHOT = [_value("r", 8800, None, key, "old") for key in (1, 2, 3)]
#: logged before the snapshot's position, and committed behind it; then a later transaction
_EARLY = [
    _value("u", 8600, None, 1, "new"),
    _value("d", 8700, None, 2),
    _value("c", 8750, None, 7, "new"),
    _value("u", 9000, 8950, 3, "new"),
]
_LEFT = [(1, "new"), (3, "new"), (7, "new")]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.write("tables/t.yml", _TABLE)
    made.write("publications/p.yml", _PUBLICATION)
    made.write("subscriptions/s.yml", _SUBSCRIPTION)
    return made


def _held(project: Project) -> list[tuple[int, str]]:
    rows = rows_of(project.folder, "dev")["s", "public.t"]
    return sorted((int(row["id"]), str(row["v"])) for row in map(dict, rows.elements()))


@pytest.mark.parametrize("portioned", [False, True])
@pytest.mark.parametrize("parted", ["one file", "two files", "two runs"])
def test_changes_that_were_logged_before_the_snapshot_stand_behind_it(
    project: Project, parted: str, portioned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever files they are in, and where a run read the snapshot before them."""
    if portioned:
        read_in_portions(monkeypatch, 300)
    project.write("changes/1.jsonl", "".join(_SNAPSHOT))
    if parted == "one file":
        project.write("changes/1.jsonl", "".join(_SNAPSHOT + _EARLY))
    elif parted == "two files":
        project.write("changes/0.jsonl", "".join(_EARLY))
    else:
        project.succeed("run")
        project.write("changes/2.jsonl", "".join(_EARLY))
    project.succeed("run")
    assert _held(project) == _LEFT
    assert "no difference" in project.succeed("audit").both
    project.write("changes/3.jsonl", _value("c", 9900, 9050, 9, "new"))
    project.succeed("run")
    assert _held(project) == [*_LEFT, (9, "new")]


def test_numbered_changes_stand_behind_it_too(project: Project) -> None:
    """Under `provide.transaction.metadata`."""
    numbered = [
        line.replace('"op"', f'"transaction": {{"id": "703:{n}", "total_order": {n}}}, "op"')
        for n, line in enumerate(_EARLY[:3], 1)
    ]
    project.write("changes/1.jsonl", "".join(_SNAPSHOT))
    project.succeed("run")
    project.write("changes/2.jsonl", "".join(numbered))
    project.succeed("run")
    assert _held(project) == [(1, "new"), (3, "old"), (7, "new")]


@pytest.mark.parametrize("portioned", [False, True])
@pytest.mark.parametrize("known", [False, True])
def test_a_snapshot_that_is_taken_again_is_refused(
    project: Project, known: bool, portioned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What left the table in between is in no message; the new one alone is a beginning."""
    if portioned:
        read_in_portions(monkeypatch, 300)
    again = [_value("r", 20_000, None, 3, "newer"), _value("c", 21_000, 20_900, 5, "newer")]
    project.write("changes/1.jsonl", "".join(_SNAPSHOT + _EARLY))
    if known:
        project.succeed("run")
    project.write("changes/2.jsonl", "".join(again))
    refused = project.shell.filtersql("run")
    assert refused.exit_code == 1
    assert 'changes/2.jsonl:1:1: Debezium took another snapshot of table "public.t"' in refused.both
    assert not known or _held(project) == _LEFT
    (project.folder / "changes/1.jsonl").unlink()
    project.succeed("run", "--full-refresh")
    assert _held(project) == [(3, "newer"), (5, "newer")]
    assert "no difference" in project.succeed("audit").both
    assert "nothing new" in project.succeed("run").both


def test_rows_that_a_sink_writes_again_are_none(project: Project) -> None:
    """Kafka delivers at least once: a run came between, and the same rows stand in a new file."""
    project.write("tables/t.yml", _TABLE.replace(", primary_key: [id]", ""))
    project.write("publications/p.yml", _PUBLICATION.replace("p, ", "p, publish: [insert], "))
    rows = [_value("r", 8800, None, key, "old", ts_ns=key) for key in (1, 2, 3)]
    project.write("changes/1.jsonl", "".join(rows[:2]))
    project.succeed("run")
    project.write("changes/2.jsonl", "".join(rows))
    project.succeed("run")
    assert _held(project) == [(1, "old"), (2, "old"), (3, "old")]
    assert "no difference" in project.succeed("audit").both
    project.succeed("run", "--full-refresh")
    assert "nothing new" in project.succeed("run").both


@pytest.mark.parametrize("parted", [False, True])
def test_a_table_joins_whose_own_rows_are_gone(project: Project, parted: bool) -> None:
    """Rows of another table at the same place, and others of its own, are none of them."""
    project.write("tables/u.yml", _TABLE.replace("name: t", "name: u"))
    project.write("changes/t.jsonl", "".join(_SNAPSHOT))
    rows = [row.replace('"table": "t"', '"table": "u"') for row in _SNAPSHOT]
    project.write("changes/u1.jsonl", "".join(rows[: 2 if parted else 3]))
    if parted:
        project.write("changes/u2.jsonl", rows[2])
    project.succeed("run")
    both = _PUBLICATION.replace("id > 0}]", "id > 0}, {name: u}]")
    project.write("publications/p.yml", both)
    file = project.folder / "changes/u1.jsonl"
    file.rename(project.folder / "u1.jsonl")
    refused = project.shell.filtersql("run")
    assert refused.exit_code == 1
    assert 'feed of "s/public.u" no longer holds all changes of its table' in refused.both
    (project.folder / "u1.jsonl").rename(file)
    project.succeed("run")
    assert rows_of(project.folder, "dev")["s", "public.u"].total() == 3


def test_a_snapshot_behind_changes_is_a_second_one(project: Project) -> None:
    """The first one had no row of the table, which had changes since."""
    lines = [_value("c", 9000, 8950, 1, "gone since"), _value("r", 20_000, None, 2, "there")]
    project.write("changes/1.jsonl", "".join(lines))
    refused = project.shell.filtersql("run")
    assert refused.exit_code == 1
    assert "1.jsonl:2:1: Debezium took another snapshot" in refused.both
