"""`import` writes what a server defines: compiled, it is what psql and the catalogs say."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from imported_projects import RARE, RICH, agrees, begin, begun, files_of
from pglogical_servers import missing, serve_installed
from servers import Server
from test_listings_postgres import build
from transcripts import Ended, Shell

pytestmark = pytest.mark.postgres

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "3"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))


@pytest.fixture(scope="module")
def fifteen() -> Iterator[Server]:
    """Debian's PostgreSQL 15."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with serve_installed({}) as server:
        yield server


def said(ended: Ended) -> list[str]:
    return ended.both.splitlines()


def import_rich(server: Server, folder: Path, version: int) -> None:
    database = server.create_database("rich")
    with server.connect(database) as connection:
        connection.execute(RICH.encode())
    root = begin(folder, server.url(database))
    shell = Shell(folder)

    ended = shell.succeed("import", "erp", "shop")
    assert "Wrote tables/erp.sql, publications/erp.sql, filtersql_project.yml" in ended.both
    assert said(ended)[2:] == [
        "Never sent: foreign table public.far: its rows are another server's",
        "Never sent: unlogged table public.h1: its changes are not logged",
        "Never sent: unlogged table public.scratch: its changes are not logged",
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


def test_a_rich_schema_of_older(older: tuple[Server, int], tmp_path: Path) -> None:
    """And on those between, where the environment names them."""
    import_rich(older[0], tmp_path, older[1])


def test_what_is_rare(postgres: Server, tmp_path: Path) -> None:
    """Identity of partitions, heirs of heirs, tables as types, indexes of partitions."""
    database, root, shell = begun(postgres, tmp_path, RARE)

    ended = shell.succeed("import", "erp", "shop")
    assert "Left out" not in ended.both
    agrees(postgres, database, root, 18)
    assert shell.run("filtersql compile --project-dir shop").exit_code == 0


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
