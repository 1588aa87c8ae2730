"""`audit` of targets whose rows may stay or be missing, as pglogical and BDR leave them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from places import put_files
from transcripts import Shell

_FILES = {
    "profiles.yml": "sets: {outputs: {local: {type: duckdb, path: sets.duckdb}}}\n",
    "tables/t.yml": "tables:\n  - {name: t, columns: {id: int, a: int}, primary_key: [id]}\n",
    "publications/p.yml": "replication_sets:\n"
    "  - {name: some, tables: [{name: t, row_filter: a > 5}]}\n"
    "  - {name: every, tables: [t]}\n",
    "subscriptions/s.yml": "subscriptions:\n"
    "  - {name: s, replication_sets: [some], source: &rows {path: source.jsonl},"
    " changes: &feed {path: feed.jsonl}}\n"
    "  - {name: all, replication_sets: [every], source: *rows, changes: *feed}\n",
    "source.jsonl": '{"id": 1, "a": 9}\n{"id": 2, "a": 8}\n',
}


@pytest.mark.parametrize("profile", ["pglogical", "bdr"])
def test_a_row_that_left_is_no_leak_and_stays(tmp_path: Path, profile: str) -> None:
    """Nothing tells it from a leak: the audit refuses, and --repair writes nothing."""
    settings = f"name: sets\nsemantics: {profile}\n"
    put_files(tmp_path, {**_FILES, "filtersql_project.yml": settings})
    shell, feed = Shell(tmp_path), tmp_path / "feed.jsonl"
    feed.touch()
    assert shell.filtersql("run").exit_code == 0
    assert shell.filtersql("audit").exit_code == 0
    after = {"id": 1, "a": 2}
    change = {"seq": 1, "op": "update", "relation": "t", "before": None, "after": after}
    feed.write_text(json.dumps(change) + "\n")
    assert shell.filtersql("run").exit_code == 0
    said = 'target of "s/public.t" cannot be compared with its source: they differ in 1 row'
    for flags in ([], ["--repair"]):
        ended = shell.filtersql("audit", *flags)
        assert (ended.exit_code, said in ended.stderr) == (1, True), ended.both
        assert "OK all/public.t" in ended.stdout
    _another_filter(shell)
    with duckdb.connect(str(tmp_path / "sets.duckdb")) as connection:
        assert connection.sql("SELECT * FROM s.t ORDER BY id").fetchall() == [(1, 9), (2, 8)]
        connection.execute('DELETE FROM "all".t')
    assert "REPAIRED all/public.t" in shell.filtersql("audit", "--repair").stdout


def _another_filter(shell: Shell) -> None:
    """What `plan` says of the row that stayed, and that what it names helps."""
    publications = shell.folder / "publications/p.yml"
    before = publications.read_text()
    publications.write_text(before.replace("a > 5", "a > 6"))
    planned = shell.filtersql("plan")
    assert planned.exit_code == 1
    assert "its definition in force does not explain: 1 row\n" in planned.stderr
    assert "--repair" not in planned.stderr
    assert shell.filtersql("run", "--accept-filter-change").exit_code == 0
    publications.write_text(before)
    assert shell.filtersql("run", "--accept-filter-change").exit_code == 0
