r"""`show publication` and `show table` say what a real psql says of the same definitions.

Random scripts of tables, partitions and publications are carried out by a server and read by
filtersql; psql's `\dRp+` and what its `\d` lists under "Publications:" are compared line by line.
An older psql has no column "Generated columns": then the server's catalog is asked.

FILTERSQL_LIVE_SECONDS says for how long (3 without it); FILTERSQL_LIVE_SEED where to begin. Older
versions take part when FILTERSQL_POSTGRES_15, …_16 and …_17 hold connection strings of their
superusers.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from random_scripts import Generator, read_project
from refusals import OWN, of_server_now
from servers import Server

from filtersql.compile import FilterCache
from filtersql.project import Project
from filtersql.publications import Settings
from filtersql.review.show_publication import publication_text, show_publication
from filtersql.review.show_table import show_table, table_text

pytestmark = pytest.mark.postgres

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "3"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
_GENERATED = "Generated columns"
#: a publication: its cells by the column's name, and its footers
Listed = tuple[Mapping[str, str], list[str]]


def test_listings_of_18(postgres: Server, tmp_path: Path, announce: Callable[[str], None]) -> None:
    """On the version that filtersql assumes."""
    compare(postgres, tmp_path, 18, announce)


def test_listings_of_older(
    older: tuple[Server, int], tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """On the older versions."""
    server, version = older
    compare(server, tmp_path, version, announce)


def compare(server: Server, folder: Path, version: int, announce: Callable[[str], None]) -> None:
    """Worlds of random definitions, as many as the time allows."""
    if shutil.which("psql") is None:
        pytest.skip("psql is not installed (apt-get install postgresql-client)")
    began, seed, publications, tables = time.monotonic(), FIRST, 0, 0
    while seed == FIRST or time.monotonic() - began < BUDGET:
        database = server.create_database("listings")
        try:
            with closing(server.connect(database)) as connection:
                script = build(connection, seed, version, folder)
                project = read_project(folder, script, version)
                assert isinstance(project, Project), f"FILTERSQL_LIVE_SEED={seed}\n{project}"
                found = differences(server, database, connection, project)
                assert found == [], f"FILTERSQL_LIVE_SEED={seed}\n{script}\n" + "\n".join(found)
            publications += len(project.definitions.publications)
            tables += len(project.definitions.catalog.tables)
        finally:
            server.drop_database(database)
        seed += 1
    announce(
        f"{seed - FIRST} worlds of PostgreSQL {version}: psql lists {publications} publications"
        f" and {tables} tables as show does"
    )
    assert publications > 0


def build(connection: psycopg.Connection[Any], seed: int, version: int, folder: Path) -> str:
    """Random statements that the server accepts, most of them about publications."""
    chance = random.Random(seed)
    kept = ["CREATE SCHEMA s", 'CREATE SCHEMA "S x"']
    for statement in kept:
        connection.execute(statement.encode())
    generator = Generator(chance, connection, version)
    for number in range(60):
        generator.look()
        makers = [generator.create_publication, generator.alter_publication]
        made = chance.choice(makers)() if number > 20 else generator.statement()
        for statement in (made,) if isinstance(made, str) else made:
            unread = statement.startswith(("CREATE TEMP", "DROP SCHEMA", "ALTER SCHEMA"))
            with connection.transaction() as both:
                if unread or of_server_now(connection, statement) is not None:
                    continue
                if read_project(folder, _script([*kept, statement]), version) == OWN:
                    raise psycopg.Rollback(both)  # filtersql does not carry it out
                kept.append(statement)
    return _script(kept)


def _script(statements: list[str]) -> str:
    return "".join(f"{statement};\n" for statement in statements)


def differences(
    server: Server, database: str, connection: psycopg.Connection[Any], project: Project
) -> list[str]:
    """What psql and filtersql print differently."""
    definitions, deparse = project.definitions, FilterCache(project).deparse
    settings = Settings(project.semantics, project.postgres_version)
    names = [*definitions.publications]
    tables = [name for name, table in definitions.catalog.tables.items() if not table.view]
    asked = [f"\\dRp+ {_quoted(name)}" for name in names]
    asked += [f"\\d {_quoted(table.schema)}.{_quoted(table.name)}" for table in tables]
    answers = psql(server, database, asked)
    found = []
    for name, theirs in zip(names, answers, strict=False):
        shown = show_publication(name, definitions, settings, deparse)
        ours = read_listing(publication_text(shown))
        wanted = read_listing(theirs)
        if _GENERATED not in wanted[0] and _GENERATED in ours[0]:
            (stored,) = connection.execute(
                "SELECT CASE pubgencols WHEN 's' THEN 'stored' ELSE 'none' END"
                " FROM pg_publication WHERE pubname = %s",
                (name,),
            ).fetchone() or ("",)
            wanted = {**wanted[0], _GENERATED: stored}, wanted[1]
        if ours != wanted:
            found.append(f"publication {name}: psql {wanted}\nfiltersql {ours}")
    for table, theirs in zip(tables, answers[len(names) :], strict=True):
        printed = table_text(show_table(table, definitions, settings, deparse))
        ours_, theirs_ = publications_in(printed), publications_in(theirs)
        if ours_ != theirs_:
            found.append(f"table {table}: psql {theirs_}\nfiltersql {ours_}")
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def psql(server: Server, database: str, commands: list[str]) -> list[str]:
    """What psql prints of each command."""
    mark = "-- next --"
    script = "".join(f"{command}\n\\echo '{mark}'\n" for command in commands)
    program = ["psql", "-X", "-h", server.host, "-p", str(server.port), "-U", server.user]
    ended = subprocess.run(
        [*program, "-d", database], input=script, capture_output=True, text=True, check=True
    )
    assert ended.stderr == "", ended.stderr
    return ended.stdout.split(f"{mark}\n")[:-1]


def read_listing(text: str) -> Listed:
    """The cells of psql's one row, and the lines below it."""
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    title, header, _, row, *footers = lines
    cells = dict(
        zip(
            [each.strip() for each in header.split("|")],
            [each.strip() for each in row.split("|")],
            strict=True,
        )
    )
    return {"": title.strip(), **cells}, [line for line in footers if line]


def publications_in(text: str) -> list[str]:
    """The lines under "Publications:"; psql sorts them by the publication's name alone."""
    lines = text.splitlines()
    if "Publications:" not in lines:
        return []
    below = lines[lines.index("Publications:") + 1 :]
    end = next((place for place, line in enumerate(below) if line[:4] != "    "), len(below))
    return sorted(below[:end])
