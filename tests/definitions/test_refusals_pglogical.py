"""Replication sets that pglogical 2.4 refuses are refused with its message, detail and hint.

What it accepts, `show set` prints as its catalogs hold it.

Each script of `data/refused_by_pglogical.sql` is carried out by a PostgreSQL 15 with pglogical, and
read by filtersql. Skipped, with the reason, where Debian's package is not installed.
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
from pglogical_servers import missing, serve_pglogical
from places import DATA
from projects import maker
from refusals import Words, agree, of_filtersql, of_server
from set_scripts import script

from filtersql.compile import FilterCache
from filtersql.definitions.predefined_sets import PREDEFINED
from filtersql.project import load
from filtersql.review.show_set import set_json

_SCRIPTS = DATA / "refused_by_pglogical.sql"
BUDGET = float(os.environ.get("FILTERSQL_LIVE_SECONDS", "4"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
#: what is said of what filtersql does not carry out
_NOT_CARRIED_OUT = " is not supported"
#: pglogical goes by the CASCADE of a session's last DROP: each script is a session of its own
_RESET = "DROP TABLE IF EXISTS nothing"
#: the details of these hold numbers that only the server knows
_NUMBERED = "duplicate key value violates unique constraint"


@pytest.fixture(scope="module")
def cluster() -> Iterator[psycopg.Connection[Any]]:
    """A node of pglogical, in a database that every test leaves as it was."""
    if missing():
        pytest.skip(missing() or "")
    with serve_pglogical() as server:
        database = server.create_database("refusals")
        with server.connect(database) as connection:
            connection.execute("CREATE EXTENSION pglogical")
            connection.execute("SELECT pglogical.create_node('n', %s)", (server.url(database),))
            yield connection


def test_pglogical_says_the_same(
    cluster: psycopg.Connection[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every script; a detail or hint of filtersql's own may stand where pglogical has none."""
    folder = maker(tmp_path, monkeypatch)({"tables/t.sql": ""})
    _, *scripts = _SCRIPTS.read_text(encoding="utf-8").split("\n\n")
    found: dict[str, tuple[Words | None, list[Words]]] = {}
    listed: dict[str, tuple[object, object]] = {}
    for each in scripts:
        cluster.execute(_RESET)
        theirs = of_server(cluster, each)
        ours = of_filtersql(folder, each, 15, "pglogical")
        if theirs is None and not ours:
            held, shown = catalogs_after(cluster, each), show(folder)
            if held != shown:
                listed[each] = held, shown
        if theirs and (theirs[0] or "").startswith(_NUMBERED):
            theirs = theirs[0], None, theirs[2]
        if not agree(theirs, ours):
            found[each] = theirs, ours

    assert len(scripts) > 60
    assert found == {}
    assert listed == {}, "\n".join(f"{a}\n{b}" for a, b in listed.values())


def test_calls_in_any_order_are_judged_as_pglogical_does(
    cluster: psycopg.Connection[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    announce: Callable[[str], None],
) -> None:
    """Random scripts: each statement is accepted by both or by none, and the catalogs are equal.

    FILTERSQL_LIVE_SECONDS says for how long (4 without it); FILTERSQL_LIVE_SEED where to begin.
    """
    folder = maker(tmp_path, monkeypatch)({"tables/t.sql": ""})
    began, seed, judged, accepted, words = time.monotonic(), FIRST, 0, 0, 0
    while seed == FIRST or time.monotonic() - began < BUDGET:
        kept: list[str] = []
        with cluster.transaction(force_rollback=True):
            cluster.execute(_RESET)
            for statement in script(random.Random(seed)):
                cluster.execute("SAVEPOINT kept")
                said = _refused(cluster, statement)
                text = ";\n".join([*kept, statement]) + ";\n"
                ours = of_filtersql(folder, text, 15, "pglogical")
                if ours and all(str(message).endswith(_NOT_CARRIED_OUT) for message, *_ in ours):
                    cluster.execute("ROLLBACK TO kept")  # it is not carried out here
                    continue
                judged += 1
                where = f"FILTERSQL_LIVE_SEED={seed}\n{text}{said}\n{ours}"
                assert (said is None) == (not ours), where
                words += agree(said, ours)
                if said is None:
                    kept.append(statement)
            of_filtersql(folder, ";\n".join(kept) + ";\n", 15, "pglogical")
            assert catalogs(cluster) == show(folder), "\n".join(kept)
            accepted += len(kept)
        seed += 1

    announce(
        f"{seed - FIRST} scripts of replication sets: {judged} statements were judged as pglogical"
        f" does, {words} in its words; {accepted} made equal catalogs"
    )
    assert words > judged * 0.9


def _refused(connection: psycopg.Connection[Any], statement: str) -> Words | None:
    try:
        with connection.transaction():
            connection.execute(statement.encode())
    except psycopg.Error as error:
        said = error.diag
        detail = said.message_detail
        if (said.message_primary or "").startswith(_NUMBERED):
            detail = None
        return said.message_primary, detail, said.message_hint
    return None


#: of a set: its name, its actions, and its tables with columns and filter
Listed = dict[str, tuple[tuple[bool, ...], dict[str, tuple[list[str] | None, str | None]]]]


def catalogs_after(connection: psycopg.Connection[Any], script: str) -> Listed:
    """What pglogical's catalogs hold after a script; nothing is kept."""
    with connection.transaction(force_rollback=True):
        connection.execute(_RESET)
        connection.execute(script.encode())
        return catalogs(connection)


def catalogs(connection: psycopg.Connection[Any]) -> Listed:
    """What the tables behind pglogical.tables hold.

    Column lists are texts there: a name that no column has any more means nothing.
    """
    with connection.transaction():
        sets = connection.execute(
            "SELECT set_name, replicate_insert, replicate_update, replicate_delete,"
            " replicate_truncate FROM pglogical.replication_set"
        ).fetchall()
        found: Listed = {name: (tuple(flags), {}) for name, *flags in sets}
        members = connection.execute(
            "SELECT s.set_name, n.nspname, c.relname,"
            " (SELECT array_agg(one) FROM unnest(r.set_att_list) one WHERE EXISTS"
            " (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = one)),"
            " pg_get_expr(r.set_row_filter, c.oid) FROM pglogical.replication_set_table r"
            " JOIN pglogical.replication_set s USING (set_id)"
            " JOIN pg_class c ON c.oid = r.set_reloid JOIN pg_namespace n ON n.oid = relnamespace"
        ).fetchall()
        for name, schema, table, columns, where in members:
            found[name][1][f"{schema}.{table}"] = columns and sorted({*columns}), where
    return found


def show(folder: Path) -> Listed:
    """What `show set` says of every set that there is."""
    project = load(folder)
    definitions, deparse = project.definitions, FilterCache(project).deparse
    found: Listed = {}
    for name in {*definitions.replication_sets, *PREDEFINED}:
        said = set_json(name, definitions, deparse, needs_key=True)
        actions = ("insert", "update", "delete", "truncate")
        tables = {
            f"{each['nspname']}.{each['relname']}": (
                each["columns"] and sorted(each["columns"]),
                each["row_filter"],
            )
            for each in said["tables"]  # type: ignore[attr-defined]
        }
        found[name] = tuple(bool(said[f"replicate_{one}"]) for one in actions), tables
    return found
