"""What `run --release` says of changes that cannot be released."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from transcripts import Shell

_FILES = {
    "filtersql_project.yml": "name: x\nversion: 1\nprofile: x\n",
    "profiles.yml": "x:\n  outputs: {local: {type: duckdb, path: x.duckdb}}\n",
    "tables/t.yml": (
        "tables: [{name: t, columns: {id: int not null, a: int}, primary_key: [id], "
        "replica_identity: full}]\n"
    ),
    "subscriptions/p.yml": (
        "subscriptions: [{name: p, publications: [p], on_filter_error: quarantine, "
        "changes: {path: 'changes/*.jsonl'}}]\n"
    ),
}
_ROW = '{"seq": %s, "relation": "t", "op": "insert", "after": {"id": %s, "a": 0}}\n'


def publish(root: Path, where: str) -> None:
    (root / "publications").mkdir(exist_ok=True)
    (root / "publications/p.yml").write_text(
        f'publications: [{{name: p, tables: [{{name: t, where: "{where}"}}]}}]\n'
    )


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project whose filter cannot judge a row."""
    for path, text in {**_FILES, "changes/1.jsonl": _ROW % (1, 1)}.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    publish(tmp_path, "100 / a > 1")
    shell = Shell(tmp_path)
    assert '1 change was put into the quarantine of "p/public.t"' in shell.filtersql("run").stderr
    return shell


def test_what_stays_is_told(shell: Shell, tmp_path: Path) -> None:
    """Nothing is released without a word, nor told of what was."""
    hint = (
        "hint: The row filter raises an error on them still, or on an earlier change of their "
        "rows: mend it, or copy the rows anew with run --resync.\n"
    )
    ended = shell.filtersql("run", "--release")
    assert ended.exit_code == 0
    assert f'1 change stays in the quarantine of "p/public.t"\n{hint}' in ended.stderr
    (result,) = json.loads((tmp_path / "target/run_results.json").read_text())["results"]
    assert (result["released"], result["held_back"]) == (0, 1)
    (tmp_path / "changes/2.jsonl").write_text(_ROW % (2, 2))
    ended = shell.filtersql("run", "--release")
    assert '1 change was put into the quarantine of "p/public.t"' in ended.stderr
    assert '1 change stays in the quarantine of "p/public.t"' in ended.stderr
    assert "2 changes stay in the" in shell.filtersql("run", "--release").stderr
    publish(tmp_path, "a >= 0")
    ended = shell.filtersql("run", "--release", "--accept-filter-change")
    assert (ended.exit_code, "in the quarantine" in ended.stderr) == (0, False)
