"""`import` of pglogical's replication sets, and of catalogs like BDR's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from imported_projects import begin, files_of
from pglogical_servers import missing, nodes, serve_pglogical
from servers import Server
from transcripts import Shell

from filtersql.definitions.model import Action
from filtersql.project import load

pytestmark = pytest.mark.postgres

SETS = """
CREATE SCHEMA s;
CREATE TABLE t1 (id int PRIMARY KEY, region text, "B b" int);
CREATE TABLE s."T 2" (id int PRIMARY KEY, at timestamptz);
SELECT pglogical.create_replication_set('emea', true, false, true, false);
SELECT pglogical.create_replication_set('O''dd set');
SELECT pglogical.alter_replication_set('default_insert_only', replicate_truncate := false);
SELECT pglogical.replication_set_add_table('emea', 't1', columns := '{id,"B b",region}',
    row_filter := $$region = 'it''s' AND id % 2 = 1$$);
SELECT pglogical.replication_set_add_table('emea', 's."T 2"');
SELECT pglogical.replication_set_add_table('O''dd set', 's."T 2"',
    row_filter := 'at > ''2026-01-01 00:00:00+00''');
SELECT pglogical.replication_set_add_table('default', 't1', row_filter := 'abs(id) > 5');
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Server]:
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with serve_pglogical() as server:
        yield server


def test_sets_of_pglogical(cluster: Server, tmp_path: Path) -> None:
    """Flags, columns and filters; a project of its own semantics; imported again, the same."""
    provider, subscriber = nodes(cluster)
    with cluster.connect(provider) as connection:
        connection.execute(SETS)
        rows = connection.execute(
            "SELECT set_name, set_reloid::regclass::text, set_att_list,"
            " pg_get_expr(set_row_filter, set_reloid)"
            " FROM pglogical.replication_set_table JOIN pglogical.replication_set USING (set_id)"
        ).fetchall()
    root, shell = begin(tmp_path, cluster.url(provider)), Shell(tmp_path)

    ended = shell.succeed("import", "erp", "shop")
    assert "Left out" not in ended.both
    project = load(root)
    assert (project.semantics.name, project.postgres_version) == ("pglogical", 15)
    sets = project.definitions.replication_sets
    theirs = {
        (name, table): (None if columns is None else set(columns), where)
        for name, table, columns, where in rows
    }
    ours = {
        (name, str(one.name).removeprefix("public.")): (
            None if one.columns is None else set(one.columns),
            one.where and one.where.text,
        )
        for name, each in sets.items()
        for one in each.tables
    }
    assert ours == theirs
    assert len(theirs) == 4
    assert sets["emea"].replicate == {Action.INSERT, Action.DELETE}
    assert sets["default_insert_only"].replicate == {Action.INSERT}
    assert sets["O'dd set"].replicate == frozenset(Action)
    assert set(project.definitions.subscriptions) == set(sets)
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0
    before = files_of(root)
    assert "Nothing has changed" in shell.run("filtersql import erp shop").both
    assert files_of(root) == before

    with cluster.connect(subscriber) as connection:
        connection.execute("CREATE SCHEMA s; CREATE TABLE t1 (id int PRIMARY KEY, x int)")
        connection.execute(
            "SELECT pglogical.create_subscription('sub', %s, '{emea,default}', false, false, '{}')",
            (f"{cluster.url(provider)} password=hunter2",),
        )
    path = root / "profiles.yml"
    path.write_text(path.read_text().replace(provider, subscriber))
    (root / "subscriptions" / "erp.yml").unlink()
    ended = shell.succeed("import", "erp", "shop", "--only", "subscriptions")
    subscription = load(root).definitions.subscriptions["sub"]
    assert {name for name, _ in subscription.replication_sets} == {"emea", "default"}
    assert subscription.local_changes_only
    assert b"hunter2" not in b"".join(files_of(root).values())
    with cluster.connect(subscriber) as connection:
        connection.execute("SELECT pglogical.drop_subscription('sub')")


def test_a_role_that_may_not_look(cluster: Server, tmp_path: Path) -> None:
    """Without USAGE on pglogical's schema, its sets are left out, and that is said."""
    provider, _ = nodes(cluster)
    with cluster.connect(provider) as connection:
        connection.execute(SETS)
        connection.execute("CREATE ROLE looker LOGIN")
    dsn = cluster.url(provider).replace("user=postgres", "user=looker")
    begin(tmp_path, dsn)
    ended = Shell(tmp_path).succeed("import", "erp", "shop", "--format", "json")
    assert json.loads(ended.stdout)["left_out"] == [
        {
            "kind": "catalogs of",
            "name": "pglogical",
            "reason": "the role has no USAGE on its schema",
        }
    ]
    with cluster.connect(provider) as connection:
        connection.execute("GRANT USAGE ON SCHEMA pglogical TO looker")
    reason = "permission denied for table"
    assert reason in Shell(tmp_path).run("filtersql import erp shop").both
    with cluster.connect(provider) as connection:
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA pglogical TO looker")
    path = tmp_path / "shop" / "filtersql_project.yml"
    path.write_text(path.read_text().replace("semantics: postgres", "semantics: pglogical"))
    ended = Shell(tmp_path).run("filtersql import erp shop --force")
    assert "Left out" not in ended.both
    assert "emea" in load(tmp_path / "shop").definitions.replication_sets


def test_views_of_bdr(postgres: Server, tmp_path: Path) -> None:
    """Views as BDR's manual describes them; a BDR itself is not to be had."""
    database = postgres.create_database("bdr")
    with postgres.connect(database) as connection:
        connection.execute("""
            CREATE TABLE public.t1 (id int PRIMARY KEY, a int);
            CREATE SCHEMA bdr;
            CREATE VIEW bdr.replication_sets AS SELECT 'emea'::name AS set_name,
                true AS replicate_insert, false AS replicate_update, true AS replicate_delete,
                true AS replicate_truncate, false AS set_autoadd_tables;
            CREATE VIEW bdr.tables AS SELECT 'public'::name AS nspname, 't1'::name AS relname,
                'emea'::name AS set_name, '(a > 5)'::text AS row_filter;
        """)
    root = begin(tmp_path, postgres.url(database))
    Shell(tmp_path).succeed("import", "erp", "shop")
    project = load(root)
    assert project.semantics.name == "bdr"
    (table,) = project.definitions.replication_sets["emea"].tables
    assert table.where is not None
    assert table.where.text == "(a > 5)"
    assert Shell(tmp_path).run("filtersql compile --project-dir shop").exit_code == 0
