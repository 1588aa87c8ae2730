"""What arrives at live subscribers of a real PostgreSQL is what `filtersql run` leaves on DuckDB.

Random publications over a partition tree and plain tables, CREATE SUBSCRIPTION for each of several
combinations, random transactions; the same changes are recorded and run. Where filtersql counts a
conflict, PostgreSQL's subscriber stops or goes another way, so only the others are compared.

FILTERSQL_LIVE_SECONDS says for how long (30 without it); FILTERSQL_LIVE_SEED where to begin.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from answers import Project
from feed import decoded, records, truncated
from live_worlds import TREE, World
from rows import rows_of
from servers import Server
from shop import Subscribed
from subscribers import create_slot, subscribed

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "30"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
#: the changes of every leaf, and the TRUNCATEs that name a partitioned table, one for each
RECORDERS = "CREATE PUBLICATION recorder FOR ALL TABLES;\n" + "".join(
    f"CREATE PUBLICATION recorder_{name} FOR TABLE {name}"
    " WITH (publish = 'truncate', publish_via_partition_root = true);\n"
    for name in TREE
)
TABLES = ("root", "mid", "leaf1", "leaf2", "leaf3", "plain", "keyless")
Rows = Counter[tuple[tuple[str, str], ...]]


@dataclass
class Seen:
    """What one world showed."""

    compared: int = 0
    rows: int = 0
    conflicting: int = 0
    stopped: int = 0
    differences: list[str] = field(default_factory=list)


def test_what_arrives_is_what_run_leaves(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """Every target without conflict holds the subscriber's rows; stopped ones have a conflict."""
    began, seed, total = time.monotonic(), FIRST, Seen()
    while seed == FIRST or time.monotonic() - began < BUDGET:
        seen = play(postgres, seed, tmp_path / str(seed))
        assert seen.differences == [], f"FILTERSQL_LIVE_SEED={seed}\n" + "\n".join(seen.differences)
        total.compared += seen.compared
        total.rows += seen.rows
        total.conflicting += seen.conflicting
        total.stopped += seen.stopped
        seed += 1

    announce(
        f"{seed - FIRST} worlds of live subscribers: {total.compared} targets with {total.rows}"
        f" rows are equal, {total.conflicting} had conflicts, {total.stopped} subscribers stopped"
    )
    assert total.compared > total.conflicting


def play(server: Server, seed: int, folder: Path) -> Seen:
    """One world: its project in `folder`, and what its subscribers and `run` disagree in."""
    world = World(random.Random(seed)).build(subscriptions=3)
    publisher = server.create_database("live")
    with ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        connection.execute(world.tables + "".join(world.publications.values()) + RECORDERS)
        for statement in world.initial():
            connection.execute(statement)
        project = write_project(folder, world, connection)
        for slot in ("rows", *TREE):
            create_slot(connection, f"{publisher}_{slot}")
        wanted = {
            name: Subscribed(publications, TABLES, world.tables)
            for name, publications in world.subscriptions.items()
        }
        with subscribed(server, publisher, wanted) as databases:
            execute(connection, world.transactions(25))
            stopped = {
                name: not caught_up(server, connection, database)
                for name, database in databases.items()
            }
            write_feed(connection, publisher, folder)
            project.succeed("run")
            return compared(server, folder, databases, stopped)


def write_project(folder: Path, world: World, connection: psycopg.Connection[Any]) -> Project:
    """The definitions as DDL, and the rows that are there now."""
    project = Project(folder)
    project.write("tables/t.sql", "-- filtersql: raw\n" + world.tables)
    project.write("publications/p.sql", "".join(world.publications.values()))
    lines = [
        f"  - {{name: {name}, publications: [{', '.join(publications)}],"
        ' source: {path: "source/{table}.jsonl"}, changes: {path: "changes/*.jsonl"}}'
        for name, publications in world.subscriptions.items()
    ]
    project.write("subscriptions/s.yml", "\n".join(["subscriptions:", *lines, ""]))
    for table in TABLES:
        found = connection.execute(f"SELECT to_jsonb(t)::text FROM {table} t").fetchall()
        project.write(f"source/{table}.jsonl", "".join(f"{line}\n" for (line,) in found))
    return project


def execute(connection: psycopg.Connection[Any], transactions: Iterator[list[str]]) -> None:
    """Each list as a transaction; a statement that is refused is left out."""
    for statements in transactions:
        with connection.transaction():
            for statement in statements:
                try:
                    with connection.transaction():
                        connection.execute(statement)
                except (psycopg.errors.UniqueViolation, psycopg.errors.CheckViolation):
                    pass


def caught_up(server: Server, publisher: psycopg.Connection[Any], database: str) -> bool:
    """Wait until a subscriber has everything; False where it gave up."""
    (position,) = publisher.execute("SELECT pg_current_wal_insert_lsn()").fetchone() or ("",)
    deadline = time.monotonic() + 60
    with server.connect(database) as subscriber:
        while time.monotonic() < deadline:
            reached = publisher.execute(
                "SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots"
                " WHERE slot_name = %s",
                (position, database),
            ).fetchone()
            if reached and reached[0]:
                return True
            errors = subscriber.execute(
                "SELECT sum(apply_error_count) FROM pg_stat_subscription_stats s"
                " JOIN pg_subscription USING (subname) WHERE subdbid ="
                " (SELECT oid FROM pg_database WHERE datname = current_database())"
            ).fetchone()
            if errors and errors[0]:
                return False
            time.sleep(0.02)
    raise AssertionError(f"{database} neither caught up nor stopped")


def write_feed(connection: psycopg.Connection[Any], publisher: str, folder: Path) -> None:
    """All changes of the publisher, as filtersql's native feed."""
    roots: dict[str, tuple[str, ...]] = {}
    for name in TREE:
        for each in decoded(connection, f"{publisher}_{name}", [f"recorder_{name}"]):
            if f"public.{name}" in truncated(each):
                roots[each.lsn] = (*roots.get(each.lsn, ()), f"public.{name}")
    rows = decoded(connection, f"{publisher}_rows", ["recorder"])
    (folder / "changes").mkdir(exist_ok=True)
    text = "".join(json.dumps(record) + "\n" for record in records(rows, roots))
    (folder / "changes" / "1.jsonl").write_text(text, encoding="utf-8")


def compared(
    server: Server, folder: Path, databases: Mapping[str, str], stopped: Mapping[str, bool]
) -> Seen:
    """The targets of a project beside the subscribers' tables."""
    seen = Seen()
    results = json.loads((folder / "target" / "run_results.json").read_text())["results"]
    conflicts = {one["unique_id"]: sum(one["conflicts"].values()) for one in results}
    counted: Counter[str] = Counter()
    feed = (folder / "changes" / "1.jsonl").read_text(encoding="utf-8")
    for name, number in conflicts.items():
        counted[name.partition("/")[0]] += number
    for (subscription, relation), held in rows_of(folder, "dev").items():
        if stopped[subscription] or conflicts[f"{subscription}/{relation}"]:
            seen.conflicting += 1
            continue
        with server.connect(databases[subscription]) as subscriber:
            expected = arrived(subscriber, relation)
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
    return seen


def complaints(server: Server) -> list[str]:
    """The last errors in the server's log."""
    lines = server.log.read_text(errors="replace").splitlines() if server.log else []
    return [line for line in lines if "ERROR:" in line or "conflict" in line][-4:]


def arrived(connection: psycopg.Connection[Any], relation: str) -> Rows:
    """The rows of a subscriber's table as PostgreSQL prints them."""
    found = connection.execute(f"SELECT * FROM {relation}")
    names = [column.name for column in found.description or ()]
    return Counter(
        tuple(
            sorted(
                (name, "NULL" if value is None else str(value))
                for name, value in zip(names, row, strict=True)
            )
        )
        for row in found
    )
