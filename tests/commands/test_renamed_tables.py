"""A table that has another name since: its target is known by the earlier one."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from transcripts import Shell

_FILES = {
    "filtersql_project.yml": "name: x\nversion: 1\nprofile: x\n",
    "profiles.yml": "x:\n  outputs: {local: {type: duckdb, path: x.duckdb}}\n",
    "subscriptions/p.yml": (
        "subscriptions:\n  - {name: p, publications: [p], changes: {path: 'changes/*.jsonl'}, "
        "target: 'p.{table}', "
        "source: {path: 'source/{table}.jsonl', seq: 1}}\n"
    ),
    "source/t.jsonl": '{"id": 1}\n{"id": 2}\n{"id": 3}\n',
    "changes/1.jsonl": '{"seq": 1, "op": "commit"}\n',
}
_REMOVED = '"p/public.t" is not defined any more; its target p.t stays as it is\n'


def named(root: Path, name: str, subscription: str = "p") -> None:
    """The table, its publication, and who subscribes to it."""
    subscribed = _FILES["subscriptions/p.yml"].replace("{name: p,", f"{{name: {subscription},")
    files = {
        **_FILES,
        "subscriptions/p.yml": subscribed,
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


def test_names_that_differ_in_case_are_one_table(shell: Shell, tmp_path: Path) -> None:
    """To engines they are, with quotes or without."""
    named(tmp_path, 's2."T"')
    shutil.copy(tmp_path / "source/t.jsonl", tmp_path / "source/T.jsonl")
    (tmp_path / "changes/2.jsonl").unlink()
    assert 'was made for "p/public.t"' in shell.filtersql("run").stderr
    adopted = shell.filtersql("run", "--adopt", "--at", "1")
    assert (adopted.exit_code, _REMOVED in adopted.stderr) == (0, False)
    assert "dropped" not in shell.filtersql("apply", "--yes", "--drop-removed").stdout
    assert held(tmp_path) == [(2,), (3,)]


def test_a_subscription_has_another_name(shell: Shell, tmp_path: Path) -> None:
    """What it leaves is told, and stays: its earlier name may be another project's."""
    named(tmp_path, "public.t", "q")
    (tmp_path / "changes/2.jsonl").unlink()
    refused = shell.filtersql("run").stderr
    assert 'made for "p/public.t"\nhint: Where that is its earlier name: drop it, and' in refused
    assert shell.filtersql("run", "--adopt", "--at", "1").exit_code == 0
    named(tmp_path, "s2.u", "q")
    (tmp_path / "source/u.jsonl").write_text("")
    assert '"q/public.t" is not defined any more' in shell.filtersql("run").stderr
    applied = shell.filtersql("apply", "--yes", "--drop-removed")
    assert "p/public.t has its table, too" in shell.filtersql("plan").stdout
    assert (applied.exit_code, held(tmp_path)) == (0, [(2,), (3,)])


def test_what_another_one_has_adopted_is_not_copied_over(shell: Shell, tmp_path: Path) -> None:
    """A target is left, another project takes its table, and the first one names it again."""
    named(tmp_path, "s2.u")
    (tmp_path / "source/u.jsonl").write_text("")
    (tmp_path / "changes/2.jsonl").unlink()
    assert _REMOVED in shell.filtersql("run").stderr
    named(tmp_path, "public.t", "q")
    assert shell.filtersql("run", "--adopt", "--at", "1").exit_code == 0
    named(tmp_path, "public.t")
    refused = shell.filtersql("run")
    assert (refused.exit_code, 'was made for "q/public.t"' in refused.stderr) == (1, True)
    assert held(tmp_path) == [(2,), (3,)]
