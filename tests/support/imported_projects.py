"""Projects that are imported from a live source, in tests.

root = begin(tmp_path, server.url(database))       a folder with profiles.yml
Shell(tmp_path).run("filtersql import erp shop")
agrees(server, database, root, 18)                 psql and the catalogs say the same
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from catalogs import of_definitions, of_postgres
from places import HOME
from servers import Server
from test_listings_postgres import differences
from transcripts import Shell

from filtersql.project import Project, load

__all__ = ["RARE", "RICH", "agrees", "begin", "begun", "database_of", "files_of"]

_LIVE = HOME / "tests" / "data" / "live"
RICH = (_LIVE / "rich.sql").read_text(encoding="utf-8")
#: of PostgreSQL 18
RARE = (_LIVE / "rich_18.sql").read_text(encoding="utf-8")


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


def database_of(server: Server, *statements: str) -> tuple[str, psycopg.Connection[Any]]:
    database = server.create_database("import")
    connection = server.connect(database)
    for statement in statements:
        connection.execute(statement.encode())
    return database, connection


def begun(server: Server, folder: Path, *statements: str) -> tuple[str, Path, Shell]:
    """A database after these, a project that is to be imported from it, and a shell beside it."""
    database, connection = database_of(server, *statements)
    connection.close()
    return database, begin(folder, server.url(database)), Shell(folder)


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
