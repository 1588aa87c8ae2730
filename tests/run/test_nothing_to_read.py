"""A subscription that a statement makes reads what `defaults` say, or a run refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_filters import Shop
from places import put_files
from transcripts import Shell

from filtersql import Failed, Project
from filtersql.targets.duckdb_file import connect

FILES = {
    "profiles.yml": "lake: {outputs: {local: {type: duckdb, path: targets.duckdb}}}\n",
    "tables/t.sql": "CREATE TABLE t (a int PRIMARY KEY);\n",
    "changes/1.jsonl": '{"seq": 1, "op": "insert", "relation": "t", "after": {"a": 1}}\n',
}
NODE = """SELECT bdr.create_node_group('shop');
SELECT bdr.alter_node_replication_sets('lake', '{}');
"""
SUBSCRIPTION = """CREATE PUBLICATION p FOR ALL TABLES;
CREATE SUBSCRIPTION lake CONNECTION '' PUBLICATION p WITH (connect = false);
"""


@pytest.mark.parametrize(
    ("semantics", "statements"),
    [("bdr", NODE), ("postgres", SUBSCRIPTION)],
    ids=["bdr", "postgres"],
)
def test_what_reads_nothing_is_refused(semantics: str, statements: str, tmp_path: Path) -> None:
    """An empty target would look as if its source had no rows."""
    project = f"name: lake\nversion: 1\nsemantics: {semantics}\n"
    put_files(tmp_path, {**FILES, "filtersql_project.yml": project})
    put_files(tmp_path, {"publications/sets.sql": statements})
    shell = Shell(tmp_path)
    for command in ("plan", "run"):
        ended = shell.run(f"filtersql {command}")
        assert ended.exit_code == 1
        assert 'subscription "lake" names neither changes nor a source to copy' in ended.stderr
    put_files(
        tmp_path,
        {"filtersql_project.yml": f'{project}defaults: {{changes: {{path: "changes/*"}}}}\n'},
    )
    ended = shell.run("filtersql run")
    assert (ended.exit_code, "1 inserted" in ended.stdout) == (0, True), ended.stderr


def test_it_holds_no_other_up(tmp_path: Path) -> None:
    """What `apply` has nothing to do with is named, beside what it does to the others."""
    put_files(tmp_path, {**FILES, "filtersql_project.yml": "name: lake\nversion: 1\n"})
    reads = "{name: s, publications: [p], changes: {path: 'changes/*'}}"
    filters = "publications: [{{name: p, tables: [{{name: t, where: a > {}}}]}}]\n"
    put_files(tmp_path, {"subscriptions/s.yml": f"subscriptions: [{reads}]\n"})
    put_files(tmp_path, {"publications/p.yml": filters.format(0)})
    shell = Shell(tmp_path)
    shell.succeed("run")
    new = "{name: lake, publications: [p]}"
    put_files(tmp_path, {"subscriptions/s.yml": f"subscriptions: [{reads}, {new}]\n"})
    put_files(tmp_path, {"publications/p.yml": filters.format(1)})
    refused = 'subscription "lake" names neither changes nor a source to copy'
    ended = shell.run("filtersql apply --yes")
    assert (ended.exit_code, refused in ended.stderr) == (1, True), ended.both
    assert "s/public.t: 1 deleted" in ended.stdout
    ended = shell.run("filtersql apply --yes")
    assert (ended.exit_code, "deleted" in ended.stdout, refused in ended.stderr) == (1, False, True)
    with pytest.raises(Failed, match="names neither"):
        Project.load(tmp_path).apply()


def test_before_its_first_change_a_table_has_no_row(tmp_path: Path) -> None:
    """Nothing came yet, and there is no source: a filter may change, and what is held is judged."""
    shop = Shop(tmp_path, source=False).define(orders="region = 'eu'")
    put_files(tmp_path, {"changes/0.jsonl": ""})
    engine = connect(None)
    assert shop.run(engine).mistakes == ()
    shop.define(orders="total > 5")
    (done,) = shop.apply(engine) or ()
    assert (done.planned.delete, done.planned.insert) == (0, 0)
    (audited,) = shop.audit(engine)
    assert audited.found is not None
    assert audited.found.total == 0
    engine.execute("INSERT INTO s1.orders VALUES (1, 'eu', 9)")
    (audited,) = shop.audit(engine)
    assert audited.found is not None
    assert audited.found.leaked == 1
