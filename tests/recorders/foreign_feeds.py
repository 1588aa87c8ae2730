"""Records what Debezium and wal2json write of one world, and what live subscribers held.

    python tests/recorders/foreign_feeds.py --output tests/data/feeds debezium wal2json

Debezium comes from Maven Central through Spark's resolver and runs against a PostgreSQL 18;
wal2json is Debian's package `postgresql-15-wal2json`, or whatever --wal2json-url names. Left in a
folder of each:

    subscriptions/ tables/ …        the project
    changes/…                       the feed; Debezium: a folder for each way to set it up
    expected/<subscription>/<table>.jsonl    the subscribers' rows at the end
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import feed_world as world
from psycopg import Connection
from recorded import keep_expected, write, write_rows
from servers import Server, cache_folder, resolve, serve
from subscribers import subscribed, wait

__all__ = ["debezium", "record_debezium", "record_wal2json"]

_DEBEZIUM = "3.3.1.Final"
_ARTIFACTS = ("debezium-embedded", "debezium-connector-postgres")
_RECORDER = Path(__file__).parent / "DebeziumRecorder.java"
_EVERY = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "offset.storage": "org.apache.kafka.connect.storage.MemoryOffsetBackingStore",
    "topic.prefix": "recorded",
    "plugin.name": "pgoutput",
    "publication.autocreate.mode": "disabled",
    "slot.drop.on.stop": "true",
    "snapshot.mode": "initial",
    "skipped.operations": "none",
    "interval.handling.mode": "string",
    "schema.include.list": "public",
}
#: how Debezium is set up; the folders of its files
SETTINGS: dict[str, dict[str, str]] = {
    "enveloped": {"converter.schemas.enable": "true"},
    "plain": {
        "converter.schemas.enable": "false",
        "decimal.handling.mode": "string",
        "binary.handling.mode": "hex",
        "time.precision.mode": "adaptive_time_microseconds",
        "provide.transaction.metadata": "true",
    },
    "bare": {"converter.schemas.enable": "false"},
}


def record_wal2json(server: Server, output: Path, *, seed: int, count: int) -> None:
    """The world through wal2json, with the sources of the initial copies."""

    def start(connection: Connection[Any], publisher: str) -> None:
        for table in ("kinds", "doc", "doc_full", "pairs", "orders", "bag", "log", "tree1",
                      "tree2", "tree"):  # fmt: skip
            write_rows(output / "source" / f"{table}.jsonl", connection, table)
        connection.execute(
            "SELECT pg_create_logical_replication_slot(%s, 'wal2json')", (f"{publisher}_w",)
        )

    with _lived(server, output, start, seed=seed, count=count, leaf_truncates=True) as (
        connection,
        publisher,
    ):
        found = connection.execute(
            "SELECT data FROM pg_logical_slot_get_changes(%s, NULL, NULL, 'format-version', '2',"
            " 'include-lsn', '1', 'include-types', '0')",
            (f"{publisher}_w",),
        ).fetchall()
        lines = [line for (line,) in found]
        # A transaction may go on in the next file.
        half = next(n for n in range(len(lines) // 2, len(lines)) if '"U"' in lines[n])
        for name, part in (("1", lines[:half]), ("2", lines[half:])):
            path = output / "changes" / f"{name}.json.gz"
            write(path, "".join(f"{line}\n" for line in part))
    feed = 'format: wal2json, path: "changes/*.json.gz", assume: [finite_numbers]'
    _write_project(output, feed, ', source: {path: "source/{table}.jsonl"}')


def record_debezium(server: Server, output: Path, *, seed: int, count: int) -> None:
    """The world through Debezium, once for each of `SETTINGS`, all at the same time."""
    with contextlib.ExitStack() as stack:
        recorded: list[Callable[[], dict[str, str]]] = []

        def start(connection: Connection[Any], publisher: str) -> None:
            running = debezium(server, connection, publisher, SETTINGS)
            recorded.append(stack.enter_context(running))

        with _lived(server, output, start, seed=seed, count=count, leaf_truncates=False):
            stack.close()
        for way, text in recorded[0]().items():
            write(output / "changes" / way / "1.jsonl.gz", text)
    feed = 'format: debezium, path: "changes/*.jsonl.gz", {{ var("settings") }}'
    _write_project(output, feed, "")


@contextlib.contextmanager
def debezium(
    server: Server,
    connection: Connection[Any],
    publisher: str,
    ways: Mapping[str, Mapping[str, str]],
) -> Iterator[Callable[[], dict[str, str]]]:
    """Debezium under several settings, from a snapshot on; the lines of each, once that ended."""
    texts: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="filtersql-debezium-") as name:
        folder = Path(name)
        connection.execute("CREATE TABLE done (id int PRIMARY KEY)")
        connection.execute("CREATE PUBLICATION debezium FOR ALL TABLES")
        files = [_properties(folder, server, publisher, *way) for way in ways.items()]
        command = ["java", "-Xmx400m", "-cp", f"{_jars()}/*", str(_RECORDER)]
        engine = subprocess.Popen([*command, *files], stderr=subprocess.DEVNULL)
        query = "SELECT count(*) = %s FROM pg_replication_slots WHERE active AND slot_name LIKE %s"
        wait(connection, "Debezium", query, (len(ways), f"{publisher}_%"))
        yield lambda: texts
        connection.execute("INSERT INTO done VALUES (1)")
        assert engine.wait(timeout=300) == 0, "Debezium did not end well"
        texts |= {way: (folder / f"{way}.jsonl").read_text(encoding="utf-8") for way in ways}


def _jars() -> Path:
    """The folder of Debezium's jars, fetched on first use."""
    ivy = cache_folder() / f"ivy-debezium-{_DEBEZIUM}"
    if not (ivy / "jars").exists():
        resolve(",".join(f"io.debezium:{each}:{_DEBEZIUM}" for each in _ARTIFACTS), ivy)
    return ivy / "jars"


def _properties(
    folder: Path, server: Server, publisher: str, way: str, set_up: Mapping[str, str]
) -> Path:
    own = {
        "name": way,
        "database.hostname": server.host,
        "database.port": str(server.port),
        "database.user": server.user,
        "database.password": "none",
        "database.dbname": publisher,
        "slot.name": f"{publisher}_{way}",
        "publication.name": "debezium",
    }
    path = folder / f"{way}.properties"
    settings = {**_EVERY, **own, **set_up}
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    return path


@contextlib.contextmanager
def _lived(
    server: Server,
    output: Path,
    start: Callable[[Connection[Any], str], None],
    *,
    seed: int,
    count: int,
    leaf_truncates: bool,
) -> Iterator[tuple[Connection[Any], str]]:
    """Run the world before live subscribers; their rows are kept."""
    publisher = server.create_database("foreign")
    with contextlib.ExitStack() as stack:
        stack.callback(server.drop_database, publisher)
        connection = stack.enter_context(server.connect(publisher))
        connection.execute(world.TABLES + world.PUBLICATIONS)
        for statement in world.initial():
            connection.execute(statement)
        start(connection, publisher)
        with subscribed(server, publisher, world.SUBSCRIPTIONS) as databases:
            for statements in world.transactions(seed, count, leaf_truncates=leaf_truncates):
                with connection.transaction():
                    for statement in statements:
                        connection.execute(statement)
            expected = output / "expected"
            keep_expected(server, connection, databases, world.SUBSCRIPTIONS, expected)
        yield connection, publisher


def _write_project(output: Path, feed: str, source: str) -> None:
    for name, text in world.project_files(feed, source).items():
        write(output / name, text)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="+", choices=["debezium", "wal2json"])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--transactions", type=int, default=80)
    parser.add_argument("--port", type=int, help="a running PostgreSQL 18")
    parser.add_argument("--wal2json-port", type=int, help="a running PostgreSQL with wal2json")
    options = parser.parse_args()
    size = {"seed": options.seed, "count": options.transactions}
    with contextlib.ExitStack() as stack:
        if "wal2json" in options.formats:
            server = Server(options.wal2json_port)
            record_wal2json(server, options.output / "wal2json", **size)
        if "debezium" in options.formats:
            server = Server(options.port) if options.port else stack.enter_context(serve())
            record_debezium(server, options.output / "debezium", **size)


if __name__ == "__main__":
    main()
