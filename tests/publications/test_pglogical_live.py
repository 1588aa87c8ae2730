"""What arrives at a live subscriber of pglogical 2.4 is what `run` leaves under its profile.

Random replication sets with row filters, actions and column lists; one subscription to some of
them; random transactions with changes of keys. Skipped, with the reason, where Debian's package
`postgresql-15-pglogical` is not installed. FILTERSQL_LIVE_SECONDS says for how long (12 without
it); FILTERSQL_LIVE_SEED where to begin.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from answers import Project
from pglogical_servers import ask, caught_up, missing, nodes, serve_pglogical, subscribe
from pglogical_worlds import compared, remove, write_feed
from servers import Server
from subscribers import carry_out, create_slot

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "12"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
#: worlds of one cluster: pglogical keeps workers for databases that were given up
_WORLDS = 20
#: a statement that a key refuses is left out
_REFUSED = psycopg.errors.UniqueViolation
TABLES = (
    "CREATE TABLE t (id int PRIMARY KEY, v int, w int);\n"
    "CREATE TABLE u (id int PRIMARY KEY, v int, w int);\n"
    "CREATE TABLE log (v int, w int);\n"
)
FILTERS = ["id > 3", "id < 7", "id % 2 = 0", "v > 2", "v < 5", "w IS NULL", "w IS DISTINCT FROM 4"]


def sets(chance: random.Random) -> dict[str, str]:
    """The calls that make each of a few replication sets."""
    made = {}
    for number in range(chance.randint(1, 3)):
        name = f"set{number}"
        flags = [chance.random() < 0.85 for _ in range(4)]
        inserts_only = not flags[1] and not flags[2]
        said = ", ".join(str(flag).lower() for flag in flags)
        calls = [f"SELECT pglogical.create_replication_set('{name}', {said});"]
        calls += [
            f"SELECT pglogical.replication_set_add_table({entry(chance, name, table)});"
            for table in ["t", "u", *(["log"] if inserts_only else [])]
            if chance.random() < 0.75
        ]
        made[name] = "\n".join([*calls, ""])
    return made


def entry(chance: random.Random, name: str, table: str) -> str:
    """The arguments of replication_set_add_table()."""
    said = [f"'{name}'", f"'{table}'"]
    if table != "log":
        if chance.random() < 0.7:
            texts = chance.sample(FILTERS, chance.choice([1, 1, 2]))
            said.append(
                f"row_filter := $FILTER$ {chance.choice([' AND ', ' OR ']).join(texts)} $FILTER$"
            )
        if chance.random() < 0.25:
            said.append(f"columns := '{{id,{chance.choice(['v', 'w'])}}}'")
    return ", ".join(said)


def transactions(chance: random.Random, number: int) -> Iterator[list[str]]:
    """Inserts, updates, changes of keys, deletes, now and then a TRUNCATE."""

    def value() -> str:
        return chance.choice(["NULL", *map(str, range(1, 7))])

    def statement() -> str:
        table, at = chance.choice("ttu"), chance.randint(1, 9)
        kinds = ["insert", "update", "key", "delete", "log", "truncate"]
        match chance.choices(kinds, [8, 10, 4, 3, 2, 0.4])[0]:
            case "insert":
                return f"INSERT INTO {table} VALUES ({at}, {value()}, {value()})"
            case "update":
                return f"UPDATE {table} SET v = {value()}, w = {value()} WHERE id = {at}"
            case "key":
                return (
                    f"UPDATE {table} SET id = {chance.randint(1, 9)}, v = {value()} WHERE id = {at}"
                )
            case "delete":
                return f"DELETE FROM {table} WHERE id = {at}"
            case "log":
                return f"INSERT INTO log VALUES ({value()}, {value()})"
            case _:
                return f"TRUNCATE {table}"

    for _ in range(number):
        yield [statement() for _ in range(chance.randint(1, 3))]


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_what_arrives_is_what_run_leaves(tmp_path: Path, announce: Callable[[str], None]) -> None:
    """Every target is equal, unless a changed key met a row that should not have been there."""
    began, seed = time.monotonic(), FIRST
    equal: list[int] = []
    left_out = 0
    while seed == FIRST or time.monotonic() - began < BUDGET:
        with serve_pglogical() as server:
            for _ in range(_WORLDS):
                found, differences = play(server, seed, tmp_path / str(seed))
                said = "\n".join([f"FILTERSQL_LIVE_SEED={seed}", *differences])
                assert differences == [], said
                equal += found
                left_out += not found
                seed += 1
                if time.monotonic() - began >= BUDGET:
                    break

    announce(
        f"{seed - FIRST} worlds of pglogical: {len(equal)} targets with {sum(equal)} rows are"
        f" equal, {left_out} worlds were left out"
    )
    assert len(equal) > left_out


def play(server: Server, seed: int, folder: Path) -> tuple[list[int], list[str]]:
    """The numbers of rows of the equal targets of one world, and the differences."""
    chance = random.Random(seed)
    made = sets(chance)
    chosen = chance.sample(list(made), chance.randint(1, len(made)))
    provider, subscriber = nodes(server)
    try:
        with server.connect(provider) as source, server.connect(subscriber) as target:
            target.execute(TABLES)
            source.execute(
                TABLES + "".join(made.values()) + "CREATE PUBLICATION r FOR TABLE t, u, log"
            )
            carry_out(source, transactions(chance, 5), _REFUSED)
            project = write_project(folder, made, chosen, source)
            create_slot(source, f"{provider}_rows")
            subscribe(server, provider, subscriber, chosen)
            carry_out(source, transactions(chance, 30), _REFUSED)
            if not caught_up(server, provider, subscriber):
                return [], []
            write_feed(source, f"{provider}_rows", folder)
            project.succeed("run")
            return compared(folder, target)
    finally:
        remove(server, provider, subscriber)


def write_project(
    folder: Path, made: dict[str, str], chosen: list[str], source: psycopg.Connection[Any]
) -> Project:
    """The calls as they are, and the rows that are there now."""
    project = Project(folder)
    project.write(
        "filtersql_project.yml",
        "name: cases\nversion: 1\nprofile: cases\nsemantics: pglogical\npostgres_version: 15\n",
    )
    project.write("tables/t.sql", TABLES)
    project.write("publications/sets.sql", "".join(made.values()))
    project.write(
        "subscriptions/s.yml",
        f"subscriptions:\n  - {{name: s, replication_sets: [{', '.join(chosen)}],"
        ' source: {path: "source/{table}.jsonl"}, changes: {path: "changes/*.jsonl"}}\n',
    )
    for table in ("t", "u", "log"):
        found = ask(source, f"SELECT to_jsonb(x)::text FROM {table} x")
        project.write(f"source/{table}.jsonl", "".join(f"{line}\n" for (line,) in found))
    return project
