"""`import` as any role, of odd names, of many tables; and no password anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from catalogs import of_definitions, of_postgres
from imported_projects import RICH, begin, begun, database_of, files_of
from servers import Server
from transcripts import Shell

from filtersql.project import load

pytestmark = pytest.mark.postgres


ODD_NAMES = (
    'q"uo"te',
    "new\nline",
    "Größe 表",
    "back\\slash",
    "a.b",
    "new\n\\q",
    "%I $1 {{ x }}",
    "'",
)


def test_settings_of_a_role_change_nothing(postgres: Server, tmp_path: Path) -> None:
    """Dates, times, intervals, floats and names are printed alike."""
    database, connection = database_of(
        postgres,
        "CREATE TABLE t (id int, day date, at timestamptz, i interval, f float8, b bytea,"
        " PRIMARY KEY (id, day)) PARTITION BY RANGE (day)",
        "CREATE TABLE t_1 PARTITION OF t FOR VALUES FROM ('2026-02-01') TO ('2026-03-01')",
        "CREATE PUBLICATION p FOR TABLE t WHERE (day > '2026-02-01' AND at > '2026-01-01 00:00+00'"
        r" AND i < '1 day 02:00' AND f < 0.1::float8 AND b <> '\x00ff')"
        " WITH (publish_via_partition_root)",
    )
    root, shell = begin(tmp_path, postgres.url(database)), Shell(tmp_path)
    assert shell.run("filtersql import erp shop").exit_code == 0
    for name, value in {
        "datestyle": "'SQL, DMY'",
        "timezone": "'Asia/Kolkata'",
        "intervalstyle": "iso_8601",
        "extra_float_digits": "-10",
        "bytea_output": "escape",
        "quote_all_identifiers": "on",
        "search_path": "public",
        "standard_conforming_strings": "off",
    }.items():
        connection.execute(f'ALTER DATABASE "{database}" SET {name} = {value}'.encode())
    connection.close()

    assert "Nothing has changed" in shell.run("filtersql import erp shop").both
    written = (root / "publications" / "erp.sql").read_text()
    assert "'2026-01-01 00:00:00+00'::timestamp with time zone" in written
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0


def test_a_role_that_may_read_nothing(postgres: Server, tmp_path: Path) -> None:
    """The page's CONNECT is enough: every definition is there, also of tables it may not read."""
    database, connection = database_of(
        postgres,
        "CREATE ROLE nobody_at_all LOGIN",
        "REVOKE ALL ON SCHEMA public FROM PUBLIC",
        RICH,
    )
    begin(tmp_path, postgres.url(database))
    shell = Shell(tmp_path)
    shell.run("filtersql import erp shop")
    before = files_of(tmp_path / "shop")
    path = tmp_path / "shop" / "profiles.yml"
    path.write_text(path.read_text().replace("user=postgres", "user=nobody_at_all"))

    ended = shell.succeed("import", "erp", "shop")
    assert "Nothing has changed" in ended.both
    after = files_of(tmp_path / "shop")
    assert {name for name in after if after[name] != before[name]} == {"profiles.yml"}
    connection.close()


def test_a_thousand_tables(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """As many queries as for one table, and a matter of seconds."""
    _, _, shell = begun(
        postgres,
        tmp_path,
        "DO $$ BEGIN FOR i IN 1..1000 LOOP EXECUTE format('CREATE TABLE t%s (id int PRIMARY KEY,"
        " a text NOT NULL, b numeric(10,2), c timestamptz, d jsonb, e int[])', i);"
        " END LOOP; END $$",
        "CREATE TABLE root (id int PRIMARY KEY, a text) PARTITION BY RANGE (id)",
        "DO $$ BEGIN FOR i IN 1..300 LOOP EXECUTE format('CREATE TABLE root_%s PARTITION OF root"
        " FOR VALUES FROM (%s) TO (%s)', i, i, i + 1); END LOOP; END $$",
        "CREATE PUBLICATION p FOR ALL TABLES",
        "DO $$ BEGIN FOR i IN 1..200 LOOP EXECUTE format('CREATE PUBLICATION p%s FOR TABLE t%s"
        " WHERE (id > %s)', i, i, i); END LOOP; END $$",
    )
    began = time.monotonic()
    ended = shell.run("filtersql import erp shop")
    spent = time.monotonic() - began
    announce(f"1,000 tables, 300 partitions, 201 publications: imported in {spent:.1f} s")
    assert ended.exit_code == 0, ended.both
    assert "Read 1,301 tables, 201 publications" in ended.both


def test_odd_names(postgres: Server, tmp_path: Path) -> None:
    """Of schemas, tables, columns, types, publications and constraints."""

    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    statements = []
    for each in map(quoted, ODD_NAMES):
        statements += [
            f"CREATE SCHEMA {each}",
            f"CREATE TYPE {each}.{each} AS ENUM ('a')",
            f"CREATE TABLE {each}.t ({each} int, x {each}.{each},"
            f" CONSTRAINT {each} PRIMARY KEY ({each}))",
            f"CREATE TABLE public.{each} ({each} int PRIMARY KEY, b text)",
            f"CREATE PUBLICATION {each} FOR TABLE {each}.t ({each}) WHERE ({each} > 5),"
            f" public.{each} WHERE ({each} < 5)",
        ]
    database, root, shell = begun(postgres, tmp_path, *statements)
    ended = shell.succeed("import", "erp", "shop")
    assert "Left out" not in ended.both
    project = load(root)
    assert set(project.definitions.publications) == set(ODD_NAMES)
    with closing(postgres.connect(database)) as other:
        theirs, ours = of_postgres(other, 18), of_definitions(project)
    assert theirs == ours
    assert "Nothing has changed" in shell.run("filtersql import erp shop").both
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0


def test_a_wrong_password_is_nowhere(postgres: Server, tmp_path: Path) -> None:
    """Not in what is printed, in either form, nor in any file but the profile itself."""
    port = postgres.url().split("port=")[1].split()[0]
    dsns = (
        "host=127.0.0.1 port=1 user=u password=hunter2",
        "postgres://u:hunter2@127.0.0.1:1/db",
        f"postgres://u:hunter2@127.0.0.1:{port}/absent",
        "postgres://u:p@hunter2@127.0.0.1/db",
        "host=127.0.0.1 password=my hunter2",
    )
    for number, dsn in enumerate(dsns):
        root = begin(tmp_path, dsn, f"p{number}")
        for flags in ("", " --format json", " --debug", " --log-format json"):
            ended = Shell(tmp_path).run(f"filtersql import erp p{number}{flags}")
            assert ended.exit_code in (1, 2)
            assert "hunter2" not in ended.both, dsn
        for name, content in files_of(root).items():
            assert name == "profiles.yml" or b"hunter2" not in content
        logs = root / "logs"
        assert not any(b"hunter2" in each.read_bytes() for each in logs.rglob("*.log"))
