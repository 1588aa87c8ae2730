"""Tables of any types, keys and identities: what `run` leaves is what a live subscriber holds.

Random tables (tests/support/live_shapes.py), random transactions on a real PostgreSQL 18 with a
live subscription; the recorded feed is cut anywhere, replayed and overlapping, under each
`on_conflict`, and applied to DuckDB. A table that filtersql refuses to compile is left out and
counted.

FILTERSQL_SHAPES_SECONDS says for how long (one schema without it); FILTERSQL_LIVE_SEED where to
begin.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
from feed import recorded
from live_shapes import Shape, Shapes
from msgspec.structs import replace
from servers import Server
from shop import Subscribed
from subscribers import carry_out, caught_up, create_slot, subscribed

from filtersql.api.inputs import inputs_of
from filtersql.api.loading import load_project
from filtersql.api.options import Options as Flags
from filtersql.api.reporter import Reporter
from filtersql.compile import compile_project
from filtersql.errors import Mistake, Mistakes
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Inputs, Options, run
from filtersql.targets.duckdb_file import connect

BUDGET = float(os.environ.get("FILTERSQL_SHAPES_SECONDS", "0"))
FIRST = int(os.environ.get("FILTERSQL_LIVE_SEED", "1"))
MODES = ("apply", "error", "skip")
_STREAMS = 2
Rows = Counter[tuple[str | None, ...]]
Connection = psycopg.Connection[Any]


@dataclass
class Tally:
    """What was tried."""

    tables: int = 0
    rows: int = 0
    changes: int = 0
    runs: int = 0
    refused: Counter[str] = field(default_factory=Counter)


def test_any_table_holds_what_its_subscriber_holds(
    postgres: Server, tmp_path: Path, announce: Callable[[str], None]
) -> None:
    """Keys with several texts, -0, BC, TOAST, partitions, generated columns, no key at all."""
    began, seed, tally = time.monotonic(), FIRST, Tally()
    while seed == FIRST or time.monotonic() - began < BUDGET:
        play(postgres, seed, tmp_path / str(seed), tally)
        seed += 1
    announce(
        f"{seed - FIRST} random schemas: {tally.tables} tables with {tally.rows} rows equal a live"
        f" subscriber's after {tally.changes} changes in {tally.runs} runs;"
        f" refused: {dict(tally.refused)}"
    )
    assert tally.tables


def play(server: Server, seed: int, folder: Path, tally: Tally) -> None:
    """One schema: its subscriber, and the targets of some streams of its feed."""
    shapes = Shapes(random.Random(seed)).build(tables=8)
    shapes.tables = [each for each in shapes.tables if _compiles(folder, shapes, each, tally)]
    publisher = server.create_database("shapes")
    with ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        _define(connection, shapes)
        _execute(connection, ([statement] for statement in shapes.initial()))
        slots = ["rows", *(each.name for each in shapes.tables if each.partitions)]
        for slot in slots:
            create_slot(connection, f"{publisher}_{slot}")
        sources = {each.name: _rows(connection, each.name, each.every) for each in shapes.tables}
        ddl = shapes.types + "".join(each.ddl(subscriber=True) for each in shapes.tables)
        wanted = Subscribed(tuple(f"p_{each.name}" for each in shapes.tables), (), ddl)
        databases = stack.enter_context(subscribed(server, publisher, {"s": wanted}))
        _execute(connection, shapes.transactions(40))
        assert caught_up(server, connection, databases["s"]), f"FILTERSQL_LIVE_SEED={seed}"
        feed = list(recorded(connection, publisher, slots[1:]))
        with server.connect(databases["s"]) as subscriber:
            expected = {
                each.name: _equal(each, _rows(subscriber, each.name, each.names))
                for each in shapes.tables
            }
        for number in range(_STREAMS):
            stream = _Stream(random.Random(f"{seed}/{number}"), folder / str(number))
            held = stream.apply(shapes, sources, feed, MODES[(seed + number) % 3], connection)
            for name, rows in held.items():
                missing, leaked = expected[name] - rows, rows - expected[name]
                assert not missing, (
                    f"FILTERSQL_LIVE_SEED={seed} {number} {name}: {missing} {leaked}"
                )
                assert not leaked, f"FILTERSQL_LIVE_SEED={seed} {number} {name}: {leaked}"
            tally.runs += stream.runs
        tally.tables += len(expected)
        tally.rows += sum(rows.total() for rows in expected.values())
        tally.changes += len(feed)


@dataclass
class _Stream:
    """The feed in files of its own, applied file by file."""

    random: random.Random
    folder: Path
    runs: int = 0

    def apply(
        self,
        shapes: Shapes,
        sources: Mapping[str, Rows],
        feed: Sequence[dict[str, Any]],
        mode: str,
        printer: Connection,
    ) -> dict[str, Rows]:
        """Cut anywhere; some changes come again, in another order or in front of a file."""
        inputs, tables = _project(self.folder, shapes, shapes.tables, mode)
        (self.folder / "source").mkdir()
        (self.folder / "changes").mkdir()
        for each in shapes.tables:
            rows = [
                dict(zip(each.every, row, strict=True)) for row in sources[each.name].elements()
            ]
            self._write(f"source/{each.name}.jsonl", rows)
        with closing(connect(None)) as engine:
            done = 0
            while not self.runs or done < len(feed):
                upto = done + self.random.choice((1, 3, 10, 60, 300))
                begin = max(0, done - self.random.choice((0, 0, 3, 20)))
                self._write(f"changes/{self.runs:04}.jsonl", feed[begin:upto])
                if self.random.random() < 0.3:
                    place = self.random.randrange(done + 1)
                    again = [*feed[place : min(done, place + 9)]]
                    self.random.shuffle(again)
                    self._write(f"changes/{self.runs:04}-again.jsonl", again)
                done, self.runs = upto, self.runs + 1
                result = run(inputs, {"s": tables}, engine, Options())
                assert not result.mistakes, "\n".join(map(str, result.mistakes))
                for one in result.results:
                    assert not any(one.conflicts.values()), (one.unique_id, one.conflict_sample)
            return {
                each.name: _equal(each, _printed(printer, each, engine.rows(_query(tables, each))))
                for each in shapes.tables
            }

    def _write(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / name).write_text(text, encoding="utf-8")


def _compiles(folder: Path, shapes: Shapes, shape: Shape, tally: Tally) -> bool:
    try:
        _project(folder / "tried", shapes, [shape], "apply")
    except (Mistake, Mistakes) as refused:
        every = refused.mistakes if isinstance(refused, Mistakes) else (refused,)
        tally.refused.update(mistake.message for mistake in every)
        return False
    finally:
        shutil.rmtree(folder / "tried")
    return True


def _project(
    folder: Path, shapes: Shapes, tables: Sequence[Shape], mode: str
) -> tuple[Inputs, list[CompiledTable]]:
    names = ", ".join(f"p_{each.name}" for each in tables)
    files = {
        "filtersql_project.yml": "name: shapes\nversion: 1\nprofile: shapes\n",
        "profiles.yml": "shapes: {outputs: {dev: {type: duckdb, path: shapes.duckdb}}}\n",
        "tables/t.sql": shapes.types + "".join(each.ddl(subscriber=False) for each in tables),
        "publications/p.sql": "".join(map(shapes.publication, tables)),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = "-- filtersql: raw\n" if name.endswith(".sql") else ""
        path.write_text(raw + text, encoding="utf-8")
    (folder / "subscriptions").mkdir()
    (folder / "subscriptions/s.yml").write_text(
        f"subscriptions: [{{name: s, on_conflict: {mode}, publications: [{names}],"
        ' source: {path: "source/{table}.jsonl"}, changes: {path: "changes/*.jsonl"}}]\n'
    )
    project = load_project(Reporter(Flags(project_dir=folder)))
    nodes = compile_project(project).nodes
    return replace(inputs_of(project), root=folder), [node.compiled for node in nodes]


def _define(connection: Connection, shapes: Shapes) -> None:
    connection.execute(shapes.types)
    for each in shapes.tables:
        connection.execute(each.ddl(subscriber=False) + shapes.publication(each))
        if each.partitions:
            connection.execute(
                f"CREATE PUBLICATION recorder_{each.name} FOR TABLE {each.name}"
                " WITH (publish = 'truncate', publish_via_partition_root = true)"
            )
    stored = "publish_generated_columns = stored"
    connection.execute(f"CREATE PUBLICATION recorder FOR ALL TABLES WITH ({stored})")


def _execute(connection: Connection, transactions: Iterable[Sequence[str]]) -> None:
    """Each list as a transaction; a statement that is refused is left out."""
    carry_out(connection, transactions, psycopg.errors.IntegrityError, psycopg.errors.DataError)


def _rows(connection: Connection, table: str, names: Sequence[str]) -> Rows:
    """A table's rows as PostgreSQL prints them."""
    columns = ", ".join(f"{name}::text" for name in names)
    return Counter(connection.execute(f"SELECT {columns} FROM {table}").fetchall())


def _query(tables: Sequence[CompiledTable], shape: Shape) -> str:
    (compiled,) = (each for each in tables if each.relation.name == shape.name)
    return f"SELECT {', '.join(shape.names)} FROM {compiled.target_sql}"


def _printed(connection: Connection, shape: Shape, rows: Sequence[tuple[object, ...]]) -> Rows:
    """A target's rows as PostgreSQL prints them."""
    values = ", ".join(f"(%s::text)::{kind}::text" for kind in shape.kinds)
    return Counter(
        connection.execute(f"SELECT {values}", [_text(value) for value in row]).fetchone() or ()
        for row in rows
    )


def _text(value: object) -> str | None:
    if value is None:
        return None
    return f"\\x{value.hex()}" if isinstance(value, bytes) else str(value)


def _equal(shape: Shape, rows: Rows) -> Rows:
    """Without a key a subscriber takes any of the rows that PostgreSQL holds to be equal.

    DuckDB's UPDATE of 0 to -0 changes nothing.
    """
    several = [kind if not shape.key and not shape.index else "" for kind in shape.kinds]
    found: Rows = Counter()
    for row, number in rows.items():
        zero = ("0" if value == "-0" else value for value in row)
        found[tuple(map(_one_text, several, zero))] += number
    return found


def _one_text(kind: str, text: str | None) -> str | None:
    if text is None:
        return None
    if kind == "numeric" and text != "NaN":
        return f"{Decimal(text).normalize():f}"
    if kind == "interval":
        return {"24:00:00": "1 day", "30 days": "1 mon"}.get(text, text)
    return text.replace("1.0", "1") if kind == "jsonb" else text
