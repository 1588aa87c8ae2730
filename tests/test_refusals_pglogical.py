"""Replication sets that pglogical 2.4 refuses are refused with its message, detail and hint.

What it accepts, `show set` prints as its catalogs hold it.

Each script of `data/refused_by_pglogical.sql` is carried out by a PostgreSQL 15 with pglogical, and
read by filtersql. Skipped, with the reason, where Debian's package is not installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from pglogical_servers import missing, serve_pglogical
from projects import maker
from refusals import Words, agree, of_filtersql, of_server

from filtersql.compile import FilterShelf
from filtersql.definitions.predefined_sets import PREDEFINED
from filtersql.project import load
from filtersql.reviewing.show_set import set_json

_SCRIPTS = Path(__file__).parent / "data" / "refused_by_pglogical.sql"
#: the details of these hold numbers that only the server knows
_NUMBERED = "duplicate key value violates unique constraint"


@pytest.mark.skipif(missing() is not None, reason=missing() or "")
def test_pglogical_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every script; a detail or hint of filtersql's own may stand where pglogical has none."""
    folder = maker(tmp_path, monkeypatch)({"tables/t.sql": ""})
    _, *scripts = _SCRIPTS.read_text(encoding="utf-8").split("\n\n")
    found: dict[str, tuple[Words | None, list[Words]]] = {}
    listed: dict[str, tuple[object, object]] = {}
    with serve_pglogical() as server:
        database = server.create_database("refusals")
        with server.connect(database) as connection:
            connection.execute("CREATE EXTENSION pglogical")
            connection.execute("SELECT pglogical.create_node('n', %s)", (server.url(database),))
            for script in scripts:
                theirs = of_server(connection, script)
                ours = of_filtersql(folder, script, 15, "pglogical")
                if theirs is None and not ours:
                    held, shown = catalogs(connection, script), show(folder)
                    if held != shown:
                        listed[script] = held, shown
                if theirs and (theirs[0] or "").startswith(_NUMBERED):
                    theirs = theirs[0], None, theirs[2]
                if not agree(theirs, ours):
                    found[script] = theirs, ours

    assert len(scripts) > 60
    assert found == {}
    assert listed == {}, "\n".join(f"{a}\n{b}" for a, b in listed.values())


#: of a set: its name, its actions, and its tables with columns and filter
Listed = dict[str, tuple[tuple[bool, ...], dict[str, tuple[list[str] | None, str | None]]]]


def catalogs(connection: psycopg.Connection[Any], script: str) -> Listed:
    """What the tables behind pglogical.tables hold after a script; nothing is kept.

    Column lists are texts there: a name that no column has any more means nothing.
    """
    with connection.transaction(force_rollback=True):
        connection.execute(script.encode())
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
    definitions, deparse = project.definitions, FilterShelf(project).deparse
    found: Listed = {}
    for name in {*definitions.replication_sets, *PREDEFINED.keys() - definitions.dropped_sets}:
        said = set_json(name, definitions, deparse)
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
