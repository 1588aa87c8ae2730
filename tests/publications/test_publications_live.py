"""What arrives at live subscribers of a real PostgreSQL is what `filtersql run` leaves on DuckDB.

Random publications over a partition tree and plain tables, with filters, column lists and generated
columns, CREATE SUBSCRIPTION for each of several combinations, random transactions; the same changes
are recorded and run. Where filtersql counts a conflict, PostgreSQL's subscriber stops or goes
another way, so only the others are compared. What filtersql refuses to compile, PostgreSQL refuses
to subscribe to, in the same words. Publishers and subscribers are PostgreSQL 18, and 15 where
Debian's package is installed; or others, those that FILTERSQL_POSTGRES_16 and …_17 name.

FILTERSQL_LIVE_SECONDS says for how long (15 without it); FILTERSQL_LIVE_SEED where to begin.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from answers import Project
from feed import decoded, recorded
from live_worlds import TREE, World, kin
from pglogical_servers import missing, serve_installed
from rows import rows_of
from servers import Server, named
from shop import Subscribed
from subscribers import CopyFails, carry_out, caught_up, create_slot, subscribed

from filtersql.compile import compile_project
from filtersql.errors import Mistake, Mistakes
from filtersql.project import load

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "15"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
#: the changes of every leaf, and the TRUNCATEs that name a partitioned table, one for each
RECORDERS = "CREATE PUBLICATION recorder FOR ALL TABLES;\n" + "".join(
    f"CREATE PUBLICATION recorder_{name} FOR TABLE {name}"
    " WITH (publish = 'truncate', publish_via_partition_root = true);\n"
    for name in TREE
)
ROOT_ALONE, GENERATED = 16, 18
_STORED = "ALTER PUBLICATION recorder SET (publish_generated_columns = stored);\n"
TABLES = ("root", "mid", "leaf1", "leaf2", "leaf3", "plain", "keyless")


@dataclass(frozen=True)
class Route:
    """Where the changes come from and go to; `version` is the publisher's."""

    source: Server
    target: Server
    version: int


Rows = Counter[tuple[tuple[str, str], ...]]


@dataclass
class Seen:
    """What one world showed."""

    compared: int = 0
    rows: int = 0
    conflicting: int = 0
    stopped: int = 0
    refused: int = 0
    differences: list[str] = field(default_factory=list)


def test_what_arrives_is_what_run_leaves(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """Every target without conflict holds the subscriber's rows; stopped ones have a conflict."""
    began, seed, total = time.monotonic(), FIRST, Seen()
    with ExitStack() as stack:
        routes = [Route(postgres, postgres, 18)]
        others = [(server, version) for version in (16, 17) if (server := named(version))]
        if others:
            routes = [Route(server, server, version) for server, version in others]
        elif missing() is None:
            old = stack.enter_context(serve_installed({"wal_retrieve_retry_interval": "100ms"}))
            routes += [Route(old, old, 15), routes[0], Route(old, postgres, 15)]
        while seed < FIRST + len(routes) or time.monotonic() - began < BUDGET:
            seen = play(routes[seed % len(routes)], seed, tmp_path / str(seed))
            found = "\n".join(seen.differences)
            assert seen.differences == [], f"FILTERSQL_LIVE_SEED={seed}\n{found}"
            total.compared += seen.compared
            total.rows += seen.rows
            total.conflicting += seen.conflicting
            total.stopped += seen.stopped
            total.refused += seen.refused
            seed += 1

    announce(
        f"{seed - FIRST} worlds of live subscribers: {total.compared} targets with {total.rows}"
        f" rows are equal, {total.conflicting} had conflicts, {total.stopped} subscribers stopped,"
        f" {total.refused} subscriptions are refused"
    )
    assert total.compared > total.conflicting


def play(route: Route, seed: int, folder: Path) -> Seen:
    """One world: its project in `folder`, and what its subscribers and `run` disagree in."""
    world = World(random.Random(seed), route.version).build(subscriptions=3)
    source, seen = route.source, Seen()
    publisher = source.create_database("live")
    with ExitStack() as stack:
        stack.callback(source.drop_database, publisher)
        connection = stack.enter_context(source.connect(publisher))
        connection.execute(world.tables + "".join(world.publications.values()))
        connection.execute(RECORDERS + (_STORED if route.version >= GENERATED else ""))
        for statement in world.initial():
            connection.execute(statement)
        project = write_project(folder, world, connection)
        wanted = {
            name: Subscribed(publications, TABLES, world.subscriber_tables)
            for name, publications in world.subscriptions.items()
        }
        for name in list(wanted):
            write_subscriptions(project, {name: world.subscriptions[name]})
            words = refusal(folder)
            if words:
                seen.differences += accepted(route, connection, world, wanted.pop(name), words)
                seen.refused += 1
        if not wanted or seen.differences:
            return seen
        if seen.refused:  # which took changes of their own
            project = write_project(folder, world, connection)
        write_subscriptions(project, {name: world.subscriptions[name] for name in wanted})
        for slot in ("rows", *TREE):
            create_slot(connection, f"{publisher}_{slot}")
        try:
            databases = stack.enter_context(subscribed(route.target, publisher, wanted, source))
        except CopyFails:
            # PostgreSQL 15 copies a leaf's rows for the leaf and for its root.
            assert route.version < ROOT_ALONE
            seen.stopped += 1
            return seen
        else:
            execute(connection, world.transactions(25))
            stopped = {
                name: not caught_up(route.target, connection, database)
                for name, database in databases.items()
            }
            write_feed(connection, publisher, folder)
            project.succeed("run")
            compare(seen, route.target, folder, databases, stopped)
    return seen


def refusal(folder: Path) -> Sequence[str]:
    """What filtersql says of a project that it refuses."""
    try:
        compile_project(load(folder))
    except Mistake as mistake:
        return [mistake.message]
    except Mistakes as mistakes:
        return [one.message for one in mistakes.mistakes]
    return []


def accepted(
    route: Route,
    publisher: psycopg.Connection[Any],
    world: World,
    wanted: Subscribed,
    words: Sequence[str],
) -> list[str]:
    """That PostgreSQL subscribes to what is refused, and sends its changes; or that it differs."""
    said = None
    try:
        with subscribed(route.target, publisher.info.dbname, {"refused": wanted}, route.source):
            slot = f"{publisher.info.dbname}_refused"
            create_slot(publisher, slot)
            execute(publisher, ([one] for one in world.initial()))
            execute(publisher, world.transactions(15))
            for _ in decoded(publisher, slot, wanted.publications):
                pass
    except psycopg.Error as error:
        said = error.diag.message_primary
    return [] if said in words else [f"PostgreSQL says {said!r}, filtersql {list(words)}"]


def write_project(folder: Path, world: World, connection: psycopg.Connection[Any]) -> Project:
    """The definitions as DDL, and the rows that are there now."""
    project = Project(folder)
    project.write(
        "filtersql_project.yml",
        f"name: cases\nversion: 1\nprofile: cases\npostgres_version: {world.version}\n",
    )
    project.write("tables/t.sql", "-- filtersql: raw\n" + world.tables)
    project.write("publications/p.sql", "".join(world.publications.values()))
    write_subscriptions(project, world.subscriptions)
    for table in TABLES:
        found = connection.execute(f"SELECT to_jsonb(t)::text FROM {table} t").fetchall()
        project.write(f"source/{table}.jsonl", "".join(f"{line}\n" for (line,) in found))
    return project


def write_subscriptions(project: Project, subscriptions: Mapping[str, tuple[str, ...]]) -> None:
    """Who subscribes to what."""
    lines = [
        f"  - {{name: {name}, publications: [{', '.join(publications)}],"
        ' source: {path: "source/{table}.jsonl"}, changes: {path: "changes/*.jsonl"}}'
        for name, publications in subscriptions.items()
    ]
    project.write("subscriptions/s.yml", "\n".join(["subscriptions:", *lines, ""]))


def execute(connection: psycopg.Connection[Any], transactions: Iterator[list[str]]) -> None:
    """Each list as a transaction; a statement that a key or a check refuses is left out."""
    refused = psycopg.errors.UniqueViolation, psycopg.errors.CheckViolation
    carry_out(connection, transactions, *refused)


def write_feed(connection: psycopg.Connection[Any], publisher: str, folder: Path) -> None:
    """All changes of the publisher, as filtersql's native feed."""
    (folder / "changes").mkdir(exist_ok=True)
    feed = recorded(connection, publisher, TREE)
    text = "".join(json.dumps(record) + "\n" for record in feed)
    (folder / "changes" / "1.jsonl").write_text(text, encoding="utf-8")


def compare(
    seen: Seen,
    server: Server,
    folder: Path,
    databases: Mapping[str, str],
    stopped: Mapping[str, bool],
) -> None:
    """The targets of a project beside the subscribers' tables."""
    nodes = compile_project(load(folder)).nodes
    columns = {
        (node.compiled.subscription, str(node.compiled.relation)): [
            column.name for column in node.compiled.columns
        ]
        for node in nodes
    }
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    conflicts = {one["unique_id"]: sum(one["conflicts"].values()) for one in results}
    counted: Counter[str] = Counter()
    feed = (folder / "changes" / "1.jsonl").read_text(encoding="utf-8")
    for name, number in conflicts.items():
        counted[name.partition("/")[0]] += number
    for (subscription, relation), held in rows_of(folder, "dev").items():
        shared = {(subscription, each) for each in kin(relation)} & columns.keys()
        if shared or stopped[subscription] or conflicts[f"{subscription}/{relation}"]:
            seen.conflicting += 1
            continue
        with server.connect(databases[subscription]) as subscriber:
            expected = arrived(subscriber, relation, columns[subscription, relation])
        seen.compared += 1
        seen.rows += expected.total()
        for side, rows in (("missing", expected - held), ("leaked", held - expected)):
            seen.differences += [f"{subscription} {relation}: {side} {dict(row)}" for row in rows]
    for subscription, gave_up in stopped.items():
        seen.stopped += gave_up
        # What a TRUNCATE of the batch wipes out is no conflict for the run.
        if gave_up and not counted[subscription] and '"truncate"' not in feed:
            said = f"{subscription}: PostgreSQL stopped, filtersql saw no conflict"
            seen.differences += [said, *complaints(server)]


def complaints(server: Server) -> list[str]:
    """The last errors in the server's log."""
    lines = server.log.read_text(errors="replace").splitlines() if server.log else []
    return [line for line in lines if "ERROR:" in line or "conflict" in line][-4:]


def arrived(
    connection: psycopg.Connection[Any], relation: str, columns: Sequence[str] | None = None
) -> Rows:
    """The rows of a subscriber's table as PostgreSQL prints them; other columns must be empty."""
    found = connection.execute(f"SELECT * FROM {relation}")
    names = [column.name for column in found.description or ()]
    return Counter(
        tuple(
            sorted(
                (name, "NULL" if value is None else str(value))
                for name, value in zip(names, row, strict=True)
                if columns is None or name in columns or value is not None
            )
        )
        for row in found
    )
