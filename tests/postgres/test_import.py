"""`import` writes what a server defines: compiled, it is what psql and the catalogs say."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from catalogs import of_definitions, of_postgres
from pglogical_servers import missing, serve_installed
from places import HOME
from servers import Server
from test_listings_postgres import build, differences
from transcripts import Ended, Shell

from filtersql.project import Project, load

pytestmark = pytest.mark.postgres

RICH = (HOME / "tests" / "data" / "live" / "rich.sql").read_text(encoding="utf-8")
BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "3"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))


@pytest.fixture(scope="module")
def fifteen() -> Iterator[Server]:
    """Debian's PostgreSQL 15."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with serve_installed({}) as server:
        yield server


def begin(folder: Path, dsn: str, name: str = "shop") -> Path:
    """The folder of a project that is to be imported: it has profiles.yml alone."""
    (folder / name).mkdir()
    profile = {
        "outputs": {"dev": {"type": "duckdb", "path": "x.duckdb"}},
        "sources": {"erp": {"type": "postgres", "dsn": dsn}},
    }
    (folder / name / "profiles.yml").write_text(json.dumps({name: profile}))
    return folder / name


def files_of(root: Path) -> dict[str, bytes]:
    """What stands in a project, without logs and what is generated."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.relative_to(root).parts[0] not in ("logs", "target")
    }


def said(ended: Ended) -> list[str]:
    return ended.both.splitlines()


def agrees(server: Server, database: str, root: Path, version: int) -> Project:
    """The project in a folder, which says what psql and the catalogs say."""
    project = load(root)
    with closing(server.connect(database)) as connection:
        assert differences(server, database, connection, project) == []
        theirs, ours = of_postgres(connection, version), dict(of_definitions(project))
    ours.pop(("table", "public.far"), None)  # foreign tables are not asked for
    for table in (each for key, each in theirs.items() if key[0] == "table"):
        if table["identity"] == "index" and table["identity index"] is None:  # it was dropped
            table["identity"] = "nothing"
    assert theirs.keys() == ours.keys()
    assert [(theirs[key], ours[key]) for key in theirs if theirs[key] != ours[key]] == []
    assert len(theirs) > 0
    return project


def import_rich(server: Server, folder: Path, version: int) -> None:
    database = server.create_database("rich")
    with server.connect(database) as connection:
        connection.execute(RICH.encode())
    root = begin(folder, server.url(database))
    shell = Shell(folder)

    ended = shell.run("filtersql import erp shop")

    assert ended.exit_code == 0, ended.both
    assert "Wrote tables/erp.sql, publications/erp.sql, filtersql_project.yml" in ended.both
    assert [line for line in said(ended) if line.startswith("Left out")] == [
        "Left out: foreign table public.far: what stands on another server is not replicated",
        "Left out: unlogged table public.h1: it is not replicated: its changes are not logged",
        "Left out: unlogged table public.scratch: it is not replicated: its changes are not logged",
    ]
    project = agrees(server, database, root, version)
    assert project.postgres_version == version
    assert len(project.definitions.publications) == len(project.definitions.subscriptions) == 7
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0
    shown = shell.run("filtersql show publication p1 --project-dir shop").stdout
    assert "WHERE ((a > 5) AND (c = 'NSW'::text))" in shown
    assert "pg_monitor" in shown

    before = files_of(root)
    again = shell.run("filtersql import erp shop")
    assert "Nothing has changed" in again.both
    assert files_of(root) == before
    assert "captured/" in (root / ".gitignore").read_text().splitlines()


def test_a_rich_schema_of_18(postgres: Server, tmp_path: Path) -> None:
    """Types, odd names, keys, identities, partitions, heirs, foreign keys, publications."""
    import_rich(postgres, tmp_path, 18)


def test_a_rich_schema_of_15(fifteen: Server, tmp_path: Path) -> None:
    """The same on the oldest version."""
    import_rich(fifteen, tmp_path, 15)


def restored(server: Server, root: Path) -> str:
    """A database in which PostgreSQL itself carried out the files."""
    database = server.create_database("restored")
    with server.connect(database) as connection:
        for name in ("tables/erp.sql", "publications/erp.sql"):
            if (root / name).exists():
                connection.execute((root / name).read_bytes())
    return database


def random_worlds(
    server: Server, version: int, folder: Path, announce: Callable[[str], None]
) -> None:
    """Random definitions, as many as the time allows."""
    began, seed, publications = time.monotonic(), FIRST, 0
    while seed == FIRST or time.monotonic() - began < BUDGET:
        database, scratch = server.create_database("worlds"), folder / f"scratch{seed}"
        scratch.mkdir()
        with closing(server.connect(database)) as connection:
            script = build(connection, seed, version, scratch)
        root = begin(folder, server.url(database), f"w{seed}")
        ended = Shell(folder).run(f"filtersql import erp w{seed}")
        assert ended.exit_code == 0, f"FILTERSQL_LIVE_SEED={seed}\n{script}\n{ended.both}"
        if "BETWEEN" in script:
            # PostgreSQL itself prints (BETWEEN … AND …) AND … otherwise when it reads it again.
            server.drop_database(database)
            database = restored(server, root)
        try:
            project = agrees(server, database, root, version)
        except AssertionError as difference:
            raise AssertionError(f"FILTERSQL_LIVE_SEED={seed}\n{script}") from difference
        publications += len(project.definitions.publications)
        server.drop_database(database)
        seed += 1
    announce(f"{seed - FIRST} worlds of PostgreSQL {version}: {publications} imported publications")
    assert publications > 0


def test_random_definitions_of_18(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """On the version that filtersql assumes."""
    random_worlds(postgres, 18, tmp_path, announce)


def test_random_definitions_of_15(
    fifteen: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """On the oldest one."""
    random_worlds(fifteen, 15, tmp_path, announce)


def database_of(server: Server, *statements: str) -> tuple[str, psycopg.Connection[Any]]:
    database = server.create_database("import")
    connection = server.connect(database)
    for statement in statements:
        connection.execute(statement.encode())
    return database, connection


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
    assert files_of(root) == before
    shell.run("cd shop")
    ended = shell.run("filtersql import erp --force --format json")
    document = json.loads(ended.stdout)
    assert document["written"] == ["tables/erp.sql"]
    assert document["made"] == {"table": 1, "publication": 1, "member": 1}
    after = files_of(root)
    assert b"b integer" in after["tables/erp.sql"]
    assert {path for path in after if after[path] != before[path]} == {"tables/erp.sql"}
    assert shell.run("filtersql compile").exit_code == 0
    with postgres.connect(database) as other:
        other.execute("DROP PUBLICATION p")
    assert shell.run("filtersql import erp").stderr.count("publications/erp.sql") == 1
    assert shell.run("filtersql import erp --force").exit_code == 0
    assert b"CREATE" not in files_of(root)["publications/erp.sql"]


def test_nothing_is_published_yet(postgres: Server, tmp_path: Path) -> None:
    """A publication of all tables with a key is begun, and a subscription that reads captures."""
    database, connection = database_of(
        postgres, "CREATE TABLE t (id int PRIMARY KEY)", "CREATE TABLE keyless (id int)"
    )
    connection.close()
    root, shell = begin(tmp_path, postgres.url(database)), Shell(tmp_path)
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
    database, connection = database_of(
        postgres,
        "CREATE EXTENSION btree_gist",
        "CREATE TABLE stay (id int, at daterange, PRIMARY KEY (id, at WITHOUT OVERLAPS))",
        "CREATE TABLE t (id int PRIMARY KEY)",
        "CREATE PUBLICATION p FOR TABLE stay, t",
    )
    connection.close()
    begin(tmp_path, postgres.url(database))
    ended = Shell(tmp_path).run("filtersql import erp shop --format json")
    assert ended.exit_code == 0, ended.both
    left_out = {(one["kind"], one["name"]) for one in json.loads(ended.stdout)["left_out"]}
    if left_out:
        assert left_out == {("table", "public.stay"), ("member", "stay of publication p")}
    assert Shell(tmp_path).run("filtersql compile --project-dir shop").exit_code == 0


def test_a_subscriber(postgres: Server, tmp_path: Path) -> None:
    """Its subscriptions without their connection strings, into the publisher's project."""
    database, connection = database_of(
        postgres,
        "CREATE TABLE t (id int PRIMARY KEY)",
        "CREATE PUBLICATION p FOR TABLE t",
        "CREATE SUBSCRIPTION \"My sub\" CONNECTION 'dbname=absent password=hunter2' PUBLICATION p"
        " WITH (connect = false, origin = none, slot_name = NONE)",
        "CREATE SUBSCRIPTION other CONNECTION 'dbname=absent password=hunter2' PUBLICATION q"
        " WITH (connect = false, slot_name = NONE)",
    )
    connection.close()
    root, shell = begin(tmp_path, postgres.url(database)), Shell(tmp_path)
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
