"""What `capture` and `run` leave is what arrives at live subscribers of the same server.

The worlds of test_publications_live.py: random publications over a partition tree and plain tables,
with filters, column lists and generated columns, and random transactions. TRUNCATE of partitions
is left out: pgoutput does not say whether a parent was named, and a run refuses it.

FILTERSQL_LIVE_SECONDS says for how long (10 without it); FILTERSQL_LIVE_SEED where to begin.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from answers import Project
from live_worlds import World
from pglogical_servers import missing, serve_installed
from servers import Server
from shop import Subscribed
from subscribers import CopyFails, caught_up, subscribed
from test_publications_live import (
    FIRST,
    TABLES,
    Route,
    Seen,
    compare,
    execute,
    refusal,
    write_project,
)

pytestmark = pytest.mark.postgres
BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "10"))


def test_what_is_captured_is_what_arrives(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """Every target without conflict holds the subscriber's rows."""
    began, seed, compared, rows = time.monotonic(), FIRST, 0, 0
    with ExitStack() as stack:
        routes = [Route(postgres, postgres, 18)]
        if missing() is None:
            old = stack.enter_context(serve_installed({"wal_retrieve_retry_interval": "100ms"}))
            routes.append(Route(old, old, 15))
        while seed < FIRST + len(routes) or time.monotonic() - began < BUDGET:
            seen = play(routes[seed % len(routes)], seed, tmp_path / str(seed))
            found = "\n".join(seen.differences)
            assert seen.differences == [], f"FILTERSQL_LIVE_SEED={seed}\n{found}"
            compared, rows, seed = compared + seen.compared, rows + seen.rows, seed + 1
    announce(f"{seed - FIRST} captured worlds: {compared} targets with {rows} rows are equal")
    assert compared > 2


def play(route: Route, seed: int, folder: Path) -> Seen:
    """One world: its project in `folder`, and what its subscribers and `run` disagree in."""
    world = World(random.Random(seed), route.version).build(subscriptions=2)
    source, seen = route.source, Seen()
    publisher = source.create_database("captured")
    with ExitStack() as stack:
        stack.callback(source.drop_database, publisher)
        connection = stack.enter_context(source.connect(publisher))
        connection.execute(world.tables + "".join(world.publications.values()))
        for statement in world.initial():
            connection.execute(statement)
        project = write_project(folder, world, connection)
        wanted = taken(project, world, publisher, source)
        if not wanted:
            return seen
        try:
            databases = stack.enter_context(subscribed(route.target, publisher, wanted, source))
        except CopyFails:
            return seen
        project.succeed("capture", "erp", "--create", "--until-current")
        project.succeed("run")
        execute(connection, without_partitions(world.transactions(25)))
        stopped = {
            name: not caught_up(route.target, connection, database)
            for name, database in databases.items()
        }
        project.succeed("capture", "erp", "--until-current")
        project.succeed("run")
        files = sorted((folder / "captured/erp/changes").glob("*.jsonl"))
        project.write("changes/1.jsonl", "".join(path.read_text() for path in files))
        compare(seen, route.target, folder, databases, stopped)
        project.succeed("capture", "erp", "--drop")
    return seen


def taken(project: Project, world: World, publisher: str, source: Server) -> dict[str, Subscribed]:
    """The subscriptions that compile, written as those of a live source."""
    project.write(
        "profiles.yml",
        "cases:\n  target: dev\n  outputs: {dev: {type: duckdb, path: cases.duckdb}}\n"
        f'  sources: {{erp: {{type: postgres, dsn: "{source.url(publisher)}"}}}}\n',
    )
    settings = (project.folder / "filtersql_project.yml").read_text()
    project.write("filtersql_project.yml", settings.replace("name: cases", f"name: {publisher}", 1))

    def write(subscriptions: Mapping[str, Sequence[str]]) -> None:
        lines = [
            f"  - {{name: {name}, publications: [{', '.join(publications)}],"
            " source: {postgres: erp}, changes: {postgres: erp}}"
            for name, publications in subscriptions.items()
        ]
        project.write("subscriptions/s.yml", "\n".join(["subscriptions:", *lines, ""]))

    sound = {}
    for name, publications in world.subscriptions.items():
        write({name: publications})
        if not refusal(project.folder):
            sound[name] = publications
    write(sound)
    return {
        name: Subscribed(publications, TABLES, world.subscriber_tables)
        for name, publications in sound.items()
    }


def without_partitions(transactions: Iterator[list[str]]) -> Iterator[list[str]]:
    """TRUNCATE of a table that is no partition alone."""
    for statements in transactions:
        yield [
            statement
            for statement in statements
            if not statement.startswith("TRUNCATE") or statement.split()[1] in ("plain", "keyless")
        ]
