"""`import` into a project: again, after the server changed, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from imported_projects import begin, begun, database_of, files_of
from servers import Server
from transcripts import Shell

from filtersql.project import load

pytestmark = pytest.mark.postgres


def test_a_changed_server(postgres: Server, tmp_path: Path) -> None:
    """Only --force overwrites, what would be is listed, and files of the user's stay."""
    database, connection = database_of(
        postgres,
        "CREATE TABLE t (id int PRIMARY KEY, a int)",
        "CREATE PUBLICATION p FOR TABLE t WHERE (id > 1)",
    )
    root, shell = begin(tmp_path, postgres.url(database)), Shell(tmp_path)
    assert shell.run("filtersql import erp shop").exit_code == 0
    mine = root / "subscriptions" / "erp.yml"
    mine.write_text(mine.read_text().replace("name: p", "name: mine"))
    (root / "tables" / "mine.sql").write_text("CREATE TABLE mine (a int PRIMARY KEY);\n")
    with connection:
        connection.execute("ALTER TABLE t ADD COLUMN b int")
    before = files_of(root)

    ended = shell.run("filtersql import erp --project-dir shop")

    assert ended.exit_code == 1
    assert ended.stderr == (
        "1 file says otherwise\ndetail: tables/erp.sql.\n"
        "hint: --force overwrites; nothing was written.\n"
    )
    shown = ended.stdout.splitlines()
    assert shown[:2] == ["--- tables/erp.sql", "+++ tables/erp.sql"]
    assert [line for line in shown[2:] if line[:1] in "+-"] == ["+    b integer,"]
    assert files_of(root) == before
    assert json.loads(shell.run("filtersql import erp --project-dir shop --format json").stdout)
    told = root / "publications" / "erp.sql"
    secret = "CREATE SUBSCRIPTION s CONNECTION 'host=x password=hunter2' PUBLICATION p;\n"
    told.write_bytes(before["publications/erp.sql"] + secret.encode())
    ended = shell.run("filtersql import erp --project-dir shop")
    assert "-CREATE SUBSCRIPTION s CONNECTION" in ended.stdout
    assert "hunter2" not in ended.both
    told.write_bytes(before["publications/erp.sql"])
    shell.run("cd shop")
    ended = shell.run("filtersql import erp --force --format json")
    document = json.loads(ended.stdout)
    assert document["written"] == ["tables/erp.sql"]
    assert document["made"] == {"table": 1, "publication": 1, "member": 1}
    after = files_of(root)
    assert b"b integer" in after["tables/erp.sql"]
    (root / "publications" / "erp.sql").unlink()
    ended = shell.run("filtersql import erp --only publications")
    assert "Wrote publications/erp.sql" in ended.both
    assert "Left out" not in ended.both
    assert files_of(root) == after
    assert {path for path in after if after[path] != before[path]} == {"tables/erp.sql"}
    assert shell.run("filtersql compile").exit_code == 0
    with postgres.connect(database) as other:
        other.execute("DROP PUBLICATION p")
    assert shell.run("filtersql import erp").stderr.count("publications/erp.sql") == 1
    assert shell.run("filtersql import erp --force").exit_code == 0
    assert b"CREATE" not in files_of(root)["publications/erp.sql"]


def test_a_database_without_tables(postgres: Server, tmp_path: Path) -> None:
    """It is said: the wrong database looks like this."""
    _, _, shell = begun(postgres, tmp_path)
    ended = shell.run("filtersql import erp shop")
    assert ended.exit_code == 0
    assert 'source "erp" defines no table that its user may see' in ended.stderr


def test_a_captured_server(postgres: Server, tmp_path: Path) -> None:
    """The publication that a capture makes is not one of the project's."""
    _, _, shell = begun(
        postgres,
        tmp_path,
        "CREATE TABLE t (id int PRIMARY KEY)",
        "CREATE PUBLICATION p FOR TABLE t",
    )
    shell.run("filtersql import erp shop")
    shell.run("cd shop")
    assert shell.run("filtersql capture erp --create --until-current").exit_code == 0
    assert shell.run("filtersql run").exit_code == 0
    ended = shell.run("filtersql import erp")
    assert "Nothing has changed" in ended.both
    assert "Left out: publication filtersql_shop_erp: a capture made it" in ended.both
    assert shell.run("filtersql capture erp --drop").exit_code == 0


def test_only_the_project_publishes(postgres: Server, tmp_path: Path) -> None:
    """Nothing is published for it, and no subscription to what is not there is begun."""
    _, root, shell = begun(postgres, tmp_path, "CREATE TABLE t (id int PRIMARY KEY)")
    (root / "publications").mkdir()
    mine = "publications: [{name: mine, tables: [{name: t, where: id > 1}]}]\n"
    (root / "publications" / "mine.yml").write_text(mine)
    ended = shell.run("filtersql import erp shop")
    assert ended.stdout == "Read 1 table\nWrote tables/erp.sql, filtersql_project.yml\n"
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0


def test_nothing_is_published_yet(postgres: Server, tmp_path: Path) -> None:
    """A publication of all tables with a key is begun, and a subscription that reads captures."""
    _, root, shell = begun(
        postgres, tmp_path, "CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE keyless (id int)"
    )
    shell.run("filtersql import erp shop")
    shell.run("cd shop")
    assert shell.run("filtersql compile").exit_code == 0
    project = load(root)
    assert [str(one.name) for one in project.definitions.publications["shop"].tables] == [
        "public.t"
    ]
    subscription = project.definitions.subscriptions["shop"]
    assert subscription.changes is not None
    assert subscription.changes.postgres == "erp"
    assert "Nothing has changed" in shell.run("filtersql import erp").both


def test_what_is_refused_is_left_out(postgres: Server, tmp_path: Path) -> None:
    """With what needs it, and with the reason; the rest is there."""
    _, _, shell = begun(
        postgres,
        tmp_path,
        "CREATE TABLE t (id int PRIMARY KEY)",
        "CREATE TABLE mother (id int PRIMARY KEY)",
        "CREATE TABLE father (id int)",
        "CREATE TABLE child () INHERITS (mother, father)",
        "CREATE TABLE grandchild () INHERITS (child)",
        "CREATE TABLE of_children (id int PRIMARY KEY, c child)",
        "ALTER TABLE child REPLICA IDENTITY FULL",
        "CREATE PUBLICATION p FOR TABLE t, ONLY child",
    )
    ended = shell.succeed("import", "erp", "shop", "--format", "json")
    left_out = json.loads(ended.stdout)["left_out"]
    assert {(one["kind"], one["name"]): one["reason"] for one in left_out} == {
        ("table", "public.child"): "a column of several parents is not supported",
        ("replica identity", "public.child"): "public.child is left out",
        ("member", "child of publication p"): "public.child is left out",
        ("table", "public.grandchild"): 'relation "public.child" does not exist',
        ("table", "public.of_children"): 'type "public.child" does not exist',
    }
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0


def test_a_subscriber(postgres: Server, tmp_path: Path) -> None:
    """Its subscriptions without their connection strings, into the publisher's project."""
    database, root, shell = begun(
        postgres,
        tmp_path,
        "CREATE TABLE t (id int PRIMARY KEY)",
        "CREATE PUBLICATION p FOR TABLE t",
        "CREATE SUBSCRIPTION \"My sub\" CONNECTION 'dbname=absent password=hunter2' PUBLICATION p"
        " WITH (connect = false, origin = none, slot_name = NONE)",
        "CREATE SUBSCRIPTION other CONNECTION 'dbname=absent password=hunter2' PUBLICATION q"
        " WITH (connect = false, slot_name = NONE)",
    )
    ended = shell.run("filtersql import erp shop")
    assert "Left out: subscription other: another server publishes" in ended.both
    assert list(load(root).definitions.subscriptions) == ["My sub"]
    assert b"hunter2" not in b"".join(files_of(root).values())
    assert shell.run("filtersql show subscription other --project-dir shop").exit_code == 1

    ended = shell.run("filtersql import erp shop --only subscriptions --force")
    assert "Wrote subscriptions/erp.sql" in ended.both
    assert list(load(root).definitions.subscriptions) == ["My sub", "other"]
    with postgres.connect(database) as connection:
        connection.execute('DROP SUBSCRIPTION "My sub"')
        connection.execute("DROP SUBSCRIPTION other")


def test_a_dump_in_the_same_place(tmp_path: Path) -> None:
    """`import schema.sql` begins a project, too, and is repeated like a live one."""
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (id int PRIMARY KEY);\n")
    shell = Shell(tmp_path)
    assert shell.run("filtersql import schema.sql shop").exit_code == 0
    assert shell.run("filtersql compile --project-dir shop --target local").exit_code == 0
    before = files_of(tmp_path / "shop")
    assert "Nothing has changed" in shell.run("filtersql import schema.sql shop").both
    (tmp_path / "schema.sql").write_text("CREATE TABLE t (id bigint PRIMARY KEY);\n")
    assert shell.run("filtersql import schema.sql shop").exit_code == 1
    assert files_of(tmp_path / "shop") == before
    assert shell.run("filtersql import schema.sql shop --force").exit_code == 0
    assert b"bigint" in files_of(tmp_path / "shop")["tables/schema.sql"]


def test_sources_that_are_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file to write is shown, and what a slip meant."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shell = Shell(tmp_path)
    ended = shell.run("filtersql import erp shop")
    assert ended.exit_code == 1
    assert "no profiles.yml" in ended.stderr
    assert "{shop: {sources: {erp: {type: postgres, dsn: service=erp}}}}" in ended.stderr
    begin(tmp_path, "host=h")
    ended = shell.run("filtersql import er shop")
    assert ended.exit_code == 1
    assert 'the profile has no source "er"' in ended.stderr
    assert 'Perhaps "erp" was meant.' in ended.stderr
    assert not (tmp_path / "shop" / "filtersql_project.yml").exists()
