"""The rows at the start are byte for byte what the server prints, however they are asked for."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from servers import Server
from test_capture_values import DDL, inserted

from filtersql.errors import Mistakes
from filtersql.names import RelationName
from filtersql.postgres.connection import connect
from filtersql.postgres.initial_rows import copy_rows
from filtersql.postgres.json_rows import CopiedTable, JsonRows
from filtersql.postgres.server_tables import server_tables
from filtersql.postgres.sessions import as_it_is
from filtersql.project import LiveSource
from filtersql.project.captured import rows_folder
from filtersql.source import Source

pytestmark = pytest.mark.postgres


class Database:
    """A database, and the copies of its tables below a folder."""

    def __init__(self, server: Server, folder: Path) -> None:
        self.server, self.folder, self.name = server, folder, server.create_database("rows")
        self.source = LiveSource(
            "erp", server.url(self.name), Source("profiles.yml", "").span(0, 0)
        )
        self.plain = connect(self.source)
        as_it_is(self.plain)
        self.sql("SET search_path = public")

    def sql(self, *statements: str) -> None:
        for statement in statements:
            self.plain.execute(statement)  # type: ignore[call-overload]

    def table(self, name: str) -> CopiedTable:
        full = RelationName("public", name)
        return server_tables(self.plain, [full])[full].copied

    def printed(self, name: str) -> list[bytes]:
        """The lines that the rows of a table are to become, out of what the server prints."""
        columns = self.table(name).columns
        asked = ", ".join(f'format(\'%s\', "{c}"), "{c}" IS DISTINCT FROM NULL' for c, _ in columns)
        rows = self.plain.execute(f'SELECT {asked} FROM "{name}"').fetchall()  # type: ignore[call-overload]
        return sorted(
            json.dumps(
                {
                    column: value(kind, text) if there else None
                    for (column, kind), text, there in zip(
                        columns, row[::2], row[1::2], strict=True
                    )
                },
                ensure_ascii=False, separators=(",", ":"),
            ).encode()
            for row in rows
        )  # fmt: skip

    def copied(self, *names: str, after: str = "SELECT") -> dict[str, list[list[bytes]]]:
        """The lines of each file of some tables, as they are before a statement."""
        tables, told = [self.table(name) for name in names], {}
        with psycopg.connect(self.source.dsn) as exporting:
            ((snapshot,),) = exporting.execute("SELECT pg_export_snapshot()").fetchall()
            self.sql(after)
            copy_rows(self.source, self.folder, tables, snapshot, told.__setitem__)
        found = {}
        for name in names:
            folder = rows_folder(self.folder, "erp", RelationName("public", name)) / "new.part"
            found[name] = [
                path.read_bytes().splitlines(keepends=True) for path in sorted(folder.glob("*"))
            ]
            assert told[RelationName("public", name)] == sum(map(len, found[name]))
        return found


def value(kind: str, text: str) -> Any:
    if kind == "bool":
        return text == "t"
    return int(text) if kind in ("int2", "int4", "int8") else text


def joined(files: list[list[bytes]]) -> list[bytes]:
    assert all(line.endswith(b"\n") for file in files for line in file)
    return sorted(line[:-1] for file in files for line in file)


@pytest.fixture
def database(postgres: Server, tmp_path: Path) -> Iterator[Database]:
    made = Database(postgres, tmp_path)
    yield made
    made.plain.close()
    postgres.drop_database(made.name)


def test_every_type_is_written_as_it_is_printed(database: Database) -> None:
    """At once; and where a value holds what stands for a quote, row by row."""
    database.sql(DDL.replace("id int PRIMARY KEY", "id int"), *inserted())
    column = next(name for name, kind in database.table("every").columns if kind == "text")
    database.sql(f"UPDATE every SET {column} = '' WHERE id = 0")
    assert joined(database.copied("every")["every"]) == database.printed("every")

    # A cast that somebody made is not what is printed.
    database.sql(
        "CREATE FUNCTION odd(numeric) RETURNS text LANGUAGE sql RETURN 'odd'",
        "CREATE CAST (numeric AS text) WITH FUNCTION odd(numeric)",
    )
    database.sql(f"DELETE FROM every WHERE {column} ~ E'[\\x01-\\x03]'")
    every = JsonRows.of(database.table("every"))
    codes = list(range(32, 128))
    database.plain.execute(
        f"INSERT INTO every (id, {column}) SELECT n, chr(n) || 'x' || chr(n) FROM unnest(%s) n",
        (codes,),
    )
    database.plain.execute(every.many)
    asked = "EXECUTE many ('(0,0)', '(1000,0)')"
    ((rows, nulls, text),) = database.plain.execute(asked).fetchall()
    assert every.lines(rows, nulls, text.encode()) is not None
    assert joined(database.copied("every")["every"]) == database.printed("every")


def test_what_cannot_be_told_from_a_code_is_noticed(database: Database) -> None:
    """A row with any control characters is written as it is printed, or asked for once more."""
    chance = random.Random(30)
    hurting = [
        "\x01",
        "\x02",
        "\x03",
        "\x04",
        "\x1f",
        "1000",
        '"',
        "\\",
        "\n",
        ",",
        "a",
        "null",
        "",
    ]
    most = [f"t{number}" for number in range(40)]
    database.sql(
        "CREATE TABLE one (t0 text)", "CREATE TABLE two (t0 text, n int, t1 varchar)",
        f"CREATE TABLE many ({', '.join(f'{name} text' for name in most)})",
    )  # fmt: skip
    told = 0
    for name, texts in (("one", most[:1]), ("two", most[:2]), ("many", most)):
        rows = JsonRows.of(database.table(name))
        database.sql("DEALLOCATE ALL")
        database.plain.execute(rows.many)
        places = ", ".join(["%s"] * len(texts))
        statement = f"INSERT INTO {name} ({', '.join(texts)}) VALUES ({places}) RETURNING ctid"
        for _ in range(200):
            values = ["".join(chance.choices(hurting, k=chance.randrange(3))) for _ in texts]
            drawn = [chance.choice([value, value, None]) for value in values]
            database.sql(f"DELETE FROM {name}")
            ((place,),) = database.plain.execute(statement, drawn).fetchall()  # type: ignore[call-overload]
            page, line = place.strip("()").split(",")
            asked = f"EXECUTE many ('{place}', '({page},{int(line) + 1})')"
            ((count, nulls, text),) = database.plain.execute(asked).fetchall()  # type: ignore[call-overload]
            lines = rows.lines(count, nulls, text.encode())
            assert lines in (None, *(line + b"\n" for line in database.printed(name)))
            told += lines is not None
    assert 100 < told < 400


def test_pages_are_copied_once(database: Database) -> None:
    """By several sessions into several files, with gaps, updated rows and wide ones among them."""
    database.sql(
        'CREATE TABLE "wi de" ("no\\te" text, id int, n int, b bool, last varchar)',
        """INSERT INTO "wi de" SELECT nullif(repeat('x"\\', g % 300 * 3), ''), g, nullif(g % 3, 0),
           g % 2 = 0, nullif(md5(g::text), md5((g / 2 * 2)::text))
           FROM generate_series(1, 24000) g""",
        'DELETE FROM "wi de" WHERE id BETWEEN 4000 AND 5000 OR id % 7 = 0',
        'UPDATE "wi de" SET n = NULL WHERE id % 11 = 0',
        "CREATE TABLE nothing (id int)",
    )
    name = "wi de"
    printed = database.printed(name)
    later = 'UPDATE "wi de" SET n = 0; INSERT INTO nothing VALUES (1)'
    files = database.copied(name, "nothing", after=later)
    assert joined(files[name]) == printed
    assert len(files[name]) > 1
    assert files["nothing"] == [[]]


def test_large_values_and_trees(database: Database) -> None:
    """Out of line, compressed, of partitions with other columns, of a foreign one, generated."""
    database.sql(
        "CREATE TABLE tree (k int, note text, twice int GENERATED ALWAYS AS (k * 2) STORED)"
        " PARTITION BY LIST (k)",
        "CREATE TABLE tree_1 (note text, k int, twice int GENERATED ALWAYS AS (k * 2) STORED)",
        "ALTER TABLE tree ATTACH PARTITION tree_1 FOR VALUES IN (1)",
        "CREATE TABLE tree_2 PARTITION OF tree FOR VALUES IN (2, 3)",
        "ALTER TABLE tree_2 ALTER note SET STORAGE EXTERNAL",
        "INSERT INTO tree (k, note) SELECT g % 3 + 1, g FROM generate_series(1, 900) g",
        "INSERT INTO tree (k, note) SELECT g % 3 + 1, repeat(E'é\"\\\\\\n', 250000)"
        " FROM generate_series(1, 6) g",
    )
    assert joined(database.copied("tree")["tree"]) == database.printed("tree")
    foreign = "postgres_fdw"
    there = "SELECT FROM pg_available_extensions WHERE name = %s"
    assert database.plain.execute(there, (foreign,)).fetchall()
    database.sql(
        "CREATE TABLE far (k int, note text, twice int)",
        f"CREATE EXTENSION {foreign}",
        f"CREATE SERVER own FOREIGN DATA WRAPPER {foreign} OPTIONS (host '127.0.0.1',"
        f" port '{database.server.port}', dbname '{database.name}')",
        "CREATE USER MAPPING FOR postgres SERVER own OPTIONS (user 'postgres')",
        "CREATE FOREIGN TABLE tree_4 PARTITION OF tree FOR VALUES IN (4) SERVER own"
        " OPTIONS (table_name 'far')",
        "INSERT INTO far VALUES (4, 'far', 8)",
    )
    assert joined(database.copied("tree")["tree"]) == database.printed("tree")


def test_who_waits_for_a_table_is_no_deadlock(database: Database) -> None:
    """A lock that another waits for is not waited for: the copy ends, and says why."""
    database.sql("CREATE TABLE a (id int)", "CREATE TABLE b (id int)")
    tables = [database.table("a"), database.table("b")]
    with (
        psycopg.connect(database.source.dsn) as exporting,
        psycopg.connect(database.source.dsn) as first,
        psycopg.connect(database.source.dsn) as second,
    ):
        ((snapshot,),) = exporting.execute("SELECT pg_export_snapshot()").fetchall()
        first.execute("LOCK TABLE b")
        ended: list[Mistakes] = []

        def copy() -> None:
            try:
                copy_rows(database.source, database.folder, tables, snapshot, lambda *_: None)
            except Mistakes as mistakes:
                ended.append(mistakes)

        copying = threading.Thread(target=copy)
        copying.start()
        waits(database, 1)
        waiting = threading.Thread(target=lambda: second.execute("LOCK TABLE a"))
        waiting.start()
        waits(database, 2)
        first.rollback()
        copying.join()
        waiting.join()
    assert 'Could not obtain lock on relation "public.a"' in str(ended[0])


def waits(database: Database, count: int) -> None:
    """Until so many locks are waited for."""
    asked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    for _ in range(1000):
        if database.plain.execute(asked).fetchall() == [(count,)]:
            return
        threading.Event().wait(0.01)
    raise AssertionError("nobody waits")
