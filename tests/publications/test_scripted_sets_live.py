"""After any script of replication sets, a live subscriber of pglogical holds what `run` leaves.

A random script makes, alters, fills and drops sets while their tables are altered, renamed and
dropped; a subscription takes some of the sets that are left; then random transactions change rows
of all tables. Skipped, with the reason, where Debian's package `postgresql-15-pglogical` is not
installed. FILTERSQL_LIVE_SECONDS says for how long (5 without it); FILTERSQL_LIVE_SEED where to
begin.
"""

from __future__ import annotations

import itertools
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from answers import Project
from pglogical_servers import CopyFailed, ask, caught_up, missing, nodes, serve_pglogical, subscribe
from pglogical_worlds import compared, remove, write_feed
from servers import Server
from set_scripts import script
from subscribers import carry_out, create_slot

BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "5"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
#: worlds of one cluster: pglogical keeps workers for databases that were given up
_WORLDS = 20
#: worlds at least, however slow the machine is
_FEWEST = 5
#: What no batch can know, and is refused; and what pglogical cannot copy.
_LEFT_OUT = (
    *("random()", "now()", "txid_current", "current_user", "current_date", "tableoid"),
    "GENERATED",
)
#: 2.4 knows nothing of partitioned tables: that a root stands for them is 3.7's manual's rule
_SEMANTICS = "{profile: pglogical, partition_routing: as_added}"
_TABLES = (
    "SELECT c.oid::regclass::text, n.nspname || '.' || relname, attname, atttypid::regtype::text"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace"
    " JOIN pg_attribute a ON attrelid = c.oid"
    " WHERE relkind IN ('r', 'p') AND relpersistence = 'p' AND nspname IN ('public', 's')"
    " AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY 2, attnum"
)
#: SQL's name, the name in a path, and the columns with their types
Table = tuple[str, str, dict[str, str]]


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_what_arrives_is_what_run_leaves(tmp_path: Path, announce: Callable[[str], None]) -> None:
    """Every target is equal, unless a changed key met a row that should not have been there."""
    began, seed = time.monotonic(), FIRST
    equal: list[int] = []
    left_out: list[str] = []
    while seed - FIRST < _FEWEST or time.monotonic() - began < BUDGET:
        with serve_pglogical() as server:
            for _ in range(_WORLDS):
                found, differences = play(server, seed, tmp_path / str(seed))
                if isinstance(found, str):
                    left_out.append(f"{seed}: {found}")
                else:
                    said = "\n".join([f"FILTERSQL_LIVE_SEED={seed}", *differences])
                    assert differences == [], said
                    equal += found
                seed += 1
                if seed - FIRST >= _FEWEST and time.monotonic() - began >= BUDGET:
                    break

    announce(
        f"{seed - FIRST} scripts of replication sets: {len(equal)} targets with {sum(equal)} rows"
        f" are equal, {len(left_out)} worlds were left out"
    )
    assert len(equal) > len(left_out), "\n".join(left_out)


def play(server: Server, seed: int, folder: Path) -> tuple[list[int] | str, list[str]]:
    """The numbers of rows of the equal targets of one world, and the differences; or why not."""
    chance = random.Random(seed)
    provider, subscriber = nodes(server)
    try:
        with server.connect(provider) as source, server.connect(subscriber) as target:
            kept = carried_out(chance, source, target)
            chosen = some_sets(chance, source)
            if not chosen:
                return "no set is left", []
            source.execute("CREATE PUBLICATION r FOR TABLES IN SCHEMA public, s")
            tables = columns_of(source)
            carry_out(source, transactions(chance, tables, 6), psycopg.Error)
            project = write_project(folder, kept, chosen, tables, source)
            ended = project.shell.filtersql("compile")
            if ended.exit_code:
                assert "Traceback" not in ended.both, ended.both
                return ended.stderr.strip().splitlines()[0], []
            create_slot(source, f"{provider}_rows")
            try:
                subscribe(server, provider, subscriber, chosen)
            except CopyFailed:
                return "the copy failed", []
            carry_out(source, transactions(chance, tables, 30), psycopg.Error)
            if not caught_up(server, provider, subscriber):
                return "the subscriber gave up", []
            write_feed(source, f"{provider}_rows", folder)
            ended = project.shell.filtersql("run")
            if ended.exit_code:
                assert "Traceback" not in ended.both, ended.both
                return ended.stderr.strip().splitlines()[0], []
            return compared(folder, target)
    finally:
        remove(server, provider, subscriber)


def carried_out(
    chance: random.Random, source: psycopg.Connection[Any], target: psycopg.Connection[Any]
) -> list[str]:
    """What the provider accepts of a script; its tables are made at the subscriber, too."""
    kept = []
    more = (one for one in script(chance, 60) if "add_table" in one)
    for statement in [*script(chance), *itertools.islice(more, 12)]:
        if any(word in statement for word in _LEFT_OUT):
            continue
        try:
            with source.transaction():
                source.execute(statement.encode())
        except psycopg.Error:
            continue
        kept.append(statement)
        if "pglogical." not in statement:
            target.execute(statement.encode())
    return kept


def some_sets(chance: random.Random, source: psycopg.Connection[Any]) -> list[str]:
    """Sets to subscribe to, most of them with tables."""
    found = ask(
        source,
        "SELECT set_name, EXISTS (SELECT FROM pglogical.replication_set_table t WHERE"
        " t.set_id = s.set_id) FROM pglogical.replication_set s ORDER BY 1",
    )
    chosen = [name for name, full in found if chance.random() < (0.7 if full else 0.2)]
    return chosen or [name for name, _ in found[:1]]


def columns_of(source: psycopg.Connection[Any]) -> list[Table]:
    """The tables that hold rows, and their columns that can be written."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for name, plain, column, kind in ask(source, _TABLES):
        found.setdefault((name, plain), {})[column] = kind
    return [(name, plain, columns) for (name, plain), columns in found.items()]


def write_project(
    folder: Path,
    kept: list[str],
    chosen: list[str],
    tables: list[Table],
    source: psycopg.Connection[Any],
) -> Project:
    """The script as it is, and the rows that are there now."""
    project = Project(folder)
    project.write(
        "filtersql_project.yml",
        f"name: cases\nversion: 1\nprofile: cases\nsemantics: {_SEMANTICS}\npostgres_version: 15\n",
    )
    project.write("publications/script.sql", "-- filtersql: raw\n" + ";\n".join(kept) + ";\n")
    names = ", ".join(f"'{name}'" for name in chosen)
    project.write(
        "subscriptions/s.yml",
        f"subscriptions:\n  - {{name: s, replication_sets: [{names}],"
        ' source: {path: "source/{schema}.{table}.jsonl"}, changes: {path: "changes/*.jsonl"}}\n',
    )
    for name, plain, _ in tables:
        found = ask(source, f"SELECT to_jsonb(whole_row)::text FROM ONLY {name} whole_row")
        project.write(f"source/{plain}.jsonl", "".join(f"{line}\n" for (line,) in found))
    return project


def transactions(chance: random.Random, tables: list[Table], number: int) -> Iterator[list[str]]:
    """Inserts, updates, changes of keys, deletes, now and then a TRUNCATE."""
    for _ in range(number if tables else 0):
        yield [statement(chance, *chance.choice(tables)) for _ in range(chance.randint(1, 3))]


def statement(chance: random.Random, name: str, _: str, columns: dict[str, str]) -> str:
    """One change of some rows of a table."""
    values = {f'"{column}"': value(chance, kind) for column, kind in columns.items()}
    if not values:
        return f"TRUNCATE {name}"
    where = chance.choice(list(columns))
    at = f'"{where}" = {value(chance, columns[where])}'
    set_ = chance.sample(list(values), chance.randint(1, len(values)))
    match chance.choices(["insert", "update", "delete", "truncate"], [9, 7, 3, 0.3])[0]:
        case "insert":
            return f"INSERT INTO {name} ({', '.join(values)}) VALUES ({', '.join(values.values())})"
        case "update":
            said = ", ".join(f"{column} = {values[column]}" for column in set_)
            return f"UPDATE {name} SET {said} WHERE {at}"
        case "delete":
            return f"DELETE FROM {name} WHERE {at}"
        case _:
            return f"TRUNCATE {name}"


def value(chance: random.Random, kind: str) -> str:
    """A value of a type, now and then NULL."""
    if chance.random() < 0.1:
        return "NULL"
    if kind in ("integer", "bigint"):
        return str(chance.randint(1, 7))
    return chance.choice(["'x'", "'a'", "'ab'", "'1'", "'4'"])
