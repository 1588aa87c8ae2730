"""DDL that PostgreSQL refuses is refused with its message, detail and hint; the rest is accepted.

Each script of `data/refused.sql` is carried out by a real PostgreSQL 18 and read by filtersql: the
server refuses its last statement, or none. Older versions take part when FILTERSQL_POSTGRES_15,
…_16 and …_17 hold connection strings of their superusers. filtersql may add a detail or hint where
the server has none: where the first definition stands, which name was meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import pytest
from places import DATA
from projects import maker
from refusals import Words, agree, of_filtersql, of_server
from servers import Server

pytestmark = pytest.mark.postgres

_SCRIPTS = DATA / "refused.sql"


def scripts(version: int) -> list[str]:
    """The scripts for a version of PostgreSQL."""
    _, *blocks = _SCRIPTS.read_text(encoding="utf-8").split("\n\n")
    return [one for one in blocks if version >= 18 or not one.startswith("-- since 18\n")]


def differences(
    connection: psycopg.Connection[object], folder: Path, version: int
) -> Mapping[str, tuple[Words | None, list[Words]]]:
    """The scripts that the two answer in different words."""
    found = {}
    for script in scripts(version):
        theirs, ours = (
            of_server(connection, script),
            of_filtersql(folder, script, version, "postgres"),
        )
        if not agree(theirs, ours):
            found[script] = theirs, ours
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without definitions."""
    return maker(tmp_path, monkeypatch)({"tables/t.sql": ""})


@pytest.fixture
def connection(postgres: Server) -> Iterator[psycopg.Connection[object]]:
    """A database of its own."""
    with postgres.connect(postgres.create_database("refusals")) as connection:
        yield connection


def test_postgresql_18_says_the_same(connection: psycopg.Connection[object], folder: Path) -> None:
    """Every script, on the version that filtersql assumes."""
    assert len(scripts(18)) > 200
    assert differences(connection, folder, 18) == {}


def test_older_versions_say_the_same(older: tuple[Server, int], folder: Path) -> None:
    """The same on the older versions."""
    server, version = older
    with server.connect(server.create_database("refusals")) as connection:
        assert differences(connection, folder, version) == {}
