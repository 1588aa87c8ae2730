"""A table that has another name since: its target is known by the earlier one."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from transcripts import Shell

_FILES = {
    "filtersql_project.yml": "name: x\nversion: 1\nprofile: x\n",
    "profiles.yml": "x:\n  outputs: {local: {type: duckdb, path: x.duckdb}}\n",
    "subscriptions/p.yml": (
        "subscriptions:\n  - {name: p, publications: [p], changes: {path: 'changes/*.jsonl'}, "
        "source: {path: 'source/{table}.jsonl', seq: 1}}\n"
    ),
    "source/t.jsonl": '{"id": 1}\n{"id": 2}\n{"id": 3}\n',
    "changes/1.jsonl": '{"seq": 1, "op": "commit"}\n',
}
_REMOVED = '"p/public.t" is not defined any more; its target p.t stays as it is\n'


def named(root: Path, name: str) -> None:
    """The table, and its publication."""
    files = {
        **_FILES,
        "tables/t.sql": f"CREATE SCHEMA s2;\nCREATE TABLE {name} (id int PRIMARY KEY);\n",
        "publications/p.yml": (
            f"publications: [{{name: p, tables: [{{name: {name}, where: id > 1}}]}}]\n"
        ),
    }
    for path, text in files.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)


def held(root: Path) -> list[tuple[int]]:
    with duckdb.connect(str(root / "x.duckdb")) as connection:
        return connection.execute("SELECT id FROM p.t ORDER BY id").fetchall()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """The project after a run, whose table then moved into another schema."""
    named(tmp_path, "public.t")
    shell = Shell(tmp_path)
    assert shell.filtersql("run").exit_code == 0
    named(tmp_path, "s2.t")
    (tmp_path / "changes/2.jsonl").write_text(
        '{"seq": 2, "relation": "s2.t", "op": "insert", "after": {"id": 6}}\n'
    )
    return shell


def test_it_is_said_whose_target_it_is(shell: Shell, tmp_path: Path) -> None:
    """What is said leads to the rows."""
    refused = shell.filtersql("run")
    assert refused.exit_code == 1
    assert (
        'target "p.t" of "p/s2.t" exists and was made for "p/public.t"\n'
        'hint: Where that is its earlier name: "filtersql apply --drop-removed" drops the target, '
        'and "filtersql run" copies it anew; run --adopt --at SEQ keeps it. Else name another '
        "target.\n"
    ) in refused.stderr
    assert _REMOVED in refused.stderr
    assert shell.filtersql("apply", "--yes", "--drop-removed").exit_code == 0
    assert shell.filtersql("run").exit_code == 0
    assert held(tmp_path) == [(2,), (3,), (6,)]


def test_an_adopted_target_is_not_dropped_for_its_earlier_name(
    shell: Shell, tmp_path: Path
) -> None:
    """It is nobody's earlier one any more."""
    adopted = shell.filtersql("run", "--adopt", "--at", "1")
    assert (adopted.exit_code, _REMOVED in adopted.stderr) == (0, False)
    assert shell.filtersql("plan").stdout == "Nothing changes: 1 target is as defined.\n"
    assert "dropped" not in shell.filtersql("apply", "--yes", "--drop-removed").stdout
    ended = shell.filtersql("run")
    assert (ended.exit_code, _REMOVED in ended.stderr) == (0, False)
    assert held(tmp_path) == [(2,), (3,), (6,)]
    assert shell.filtersql("audit").exit_code == 0


def test_a_target_that_was_dropped_by_hand_and_made_anew(shell: Shell, tmp_path: Path) -> None:
    """The table of the earlier name is gone: the one that has its name stays."""
    assert shell.filtersql("run").exit_code == 1
    with duckdb.connect(str(tmp_path / "x.duckdb")) as connection:
        connection.execute("DROP TABLE p.t")
    ended = shell.filtersql("run")
    assert (ended.exit_code, _REMOVED in ended.stderr) == (0, False)
    assert shell.filtersql("apply", "--yes", "--drop-removed").exit_code == 0
    assert held(tmp_path) == [(2,), (3,), (6,)]
