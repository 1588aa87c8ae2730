"""Tables that log no old row: an INSERT finds by the primary key what is in its way."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from places import put_files
from transcripts import Shell

LEAVES = """ PARTITION BY RANGE (a);
CREATE TABLE leaf PARTITION OF t DEFAULT;
ALTER TABLE leaf"""
FILES = {
    "filtersql_project.yml": "{name: unlogged, version: 1}\n",
    "profiles.yml": "unlogged: {outputs: {local: {type: duckdb, path: unlogged.duckdb}}}\n",
    "publications/p.yml": "publications: [{name: p, publish: [insert], tables: [t],"
    " publish_via_partition_root: true}]\n",
    "source.jsonl": '{"a": 1, "b": "copied"}\n',
}


@pytest.mark.parametrize("table", [";\nALTER TABLE t", LEAVES])
@pytest.mark.parametrize(
    ("mode", "exit_code", "rows"),
    [
        ("apply", 0, [(1, "inserted"), (2, "new")]),
        ("skip", 0, [(1, "copied"), (2, "new")]),
        ("error", 1, [(1, "copied")]),
    ],
)
def test_a_row_that_was_copied_comes_as_an_insert_too(
    table: str, mode: str, exit_code: int, rows: list[tuple[int, str]], tmp_path: Path
) -> None:
    """Of the table itself, or of a leaf below a root that has a key."""
    written = "leaf" if table == LEAVES else "t"
    paths = {name: {"path": f"{name}.jsonl"} for name in ("source", "changes")}
    subscribed = {"name": "s", "publications": ["p"], "on_conflict": mode, **paths}
    inserted = [
        {"seq": seq, "op": "insert", "relation": f"public.{written}", "after": {"a": seq, "b": b}}
        for seq, b in enumerate(("inserted", "new"), 1)
    ]
    more = {
        "tables/t.sql": f"CREATE TABLE t (a int PRIMARY KEY, b text){table}"
        " REPLICA IDENTITY NOTHING;\n",
        "subscriptions/s.yml": json.dumps({"subscriptions": [subscribed]}),
        "changes.jsonl": "".join(f"{json.dumps(one)}\n" for one in inserted),
    }
    put_files(tmp_path, {**FILES, **more})
    ended = Shell(tmp_path).run("filtersql run")
    assert ended.exit_code == exit_code, ended.stderr
    assert ("conflict=insert_exists" in ended.stderr) == (mode == "error")
    with closing(duckdb.connect(tmp_path / "unlogged.duckdb", read_only=True)) as connection:
        assert connection.execute("SELECT a, b FROM s.t ORDER BY a").fetchall() == rows
