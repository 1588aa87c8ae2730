"""Places where a target may be, a server of all kinds, and a world for them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pyarrow
import pytest
import secured
from interpreting import INTERPRETED
from relays import relay
from running import SPAN, World, insert, table, update
from small_spark import AROUND_SMALL
from spark_server import SparkServer, serving

from filtersql.feeds.staged_files import StagedColumn
from filtersql.run import lease
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine
from filtersql.targets.remote import Remote

WAYS = {
    "binary": {},
    "http": {"hive.server2.transport.mode": "http"},
    "nosasl": {"hive.server2.authentication": "NOSASL"},
}
HOSTILE = 'x"; DROP TABLE t1; --'
#: a table's name, where the catalog takes any
HOSTILE_TABLE = '`x`"; DROP TABLE t1; --'
TEXT = "it's ${x} \\ `q`'; DROP TABLE s1.t1; -- /* \n é 日本 😀"


_CONF = {
    "spark.connect.authenticate.token": secured.TOKEN,
    # Its statements are many, its rows few: what is compiled for a statement runs once.
    **INTERPRETED,
    **AROUND_SMALL,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[SparkServer]:
    """One Java process that speaks Thrift in several ways, and Connect over TLS with a token.

    Two of them ask a directory server for the password, over TLS; where slapd is installed.
    """
    folder = tmp_path_factory.mktemp("server")
    with ExitStack() as stack:
        ways = dict(WAYS)
        secured.authority(folder, "good")
        secured.authority(folder, "other")
        keystore = secured.keystore(folder, "good", "localhost")
        if secured.has_directory():
            asked = {
                "hive.server2.authentication": "LDAP",
                "hive.server2.authentication.ldap.url": stack.enter_context(
                    secured.directory(folder / "ldap")
                ),
                "hive.server2.authentication.ldap.baseDN": secured.BASE,
                "hive.server2.use.SSL": "true",
                "hive.server2.keystore.path": str(keystore),
                "hive.server2.keystore.password": secured.KEYSTORE_PASSWORD,
            }
            ways |= {"ldap": asked, "ldap over http": {**asked, **WAYS["http"]}}
        started = stack.enter_context(serving(folder, ways, conf=_CONF))
        secure = stack.enter_context(relay(started.ports["connect"], secured.http2(folder)))
        ports = {**started.ports, "connect over tls": secure.port}
        yield replace(started, ports=ports)


@dataclass
class Place:
    """Where a target is: an output of profiles.yml, and the world that is run there."""

    world: World
    output: SimpleNamespace
    opened: list[Engine] = field(default_factory=list)

    def open(self, **settings: object) -> Engine:
        """A connection; what an earlier test left on the server is removed with the first."""
        self.output.settings |= settings
        engine = open_engine(self.output, self.world.root)
        if not self.opened:
            for name in ("t1", second(self.world)):
                engine.drop(("s1", name))
            engine.drop(("filtersql", "ledger"))
        self.opened.append(engine)
        return engine


def output(kind: str, server: Callable[[], SparkServer]) -> SimpleNamespace:
    """`duckdb`, or `<method> <format>`."""
    method, _, table_format = kind.partition(" ")
    iceberg = table_format == "iceberg"
    settings: dict[str, object] = {}
    if method == "duckdb":
        settings = {"path": "x.duckdb"}
    elif method == "session" and iceberg:
        settings = {"catalog_config": {"type": "hadoop", "warehouse": "lakehouse"}}
    elif method == "thrift":
        settings = {"host": "127.0.0.1", "port": server().ports["binary"], "connect_timeout": 60}
    elif method == "connect":
        settings = secure(server())
    return SimpleNamespace(
        type="duckdb" if method == "duckdb" else "spark",
        method=None if method == "duckdb" else method,
        format=table_format or None,
        catalog="lake" if iceberg else None,
        threads=2,
        settings=settings,
        span=SPAN,
    )


def secure(server: SparkServer) -> dict[str, object]:
    """How Connect is reached: over TLS that is verified, and with the token."""
    return {
        "url": f"sc://localhost:{server.ports['connect over tls']}",
        "use_ssl": True,
        "ca_cert": str(server.folder / "good.pem"),
        "token": secured.TOKEN,
    }


def second(world: World) -> str:
    """The name of a sample's second table."""
    return HOSTILE_TABLE if world.catalog_name or world.engine == "duckdb" else "t2"


@pytest.fixture
def at(tmp_path, request) -> Iterator[Callable[[str], Place]]:
    """`at("thrift delta")`: a place whose connections are closed at the end."""
    places = []

    def make(kind: str) -> Place:
        if kind.startswith("session"):
            request.getfixturevalue("spark")
        found = output(kind, lambda: request.getfixturevalue("server"))
        engine = "duckdb" if kind == "duckdb" else "spark"
        place = Place(World(tmp_path, engine, found.catalog), found)
        places.append(place)
        return place

    yield make
    for place in places:
        for engine in place.opened:
            engine.close()


TYPES = {
    "b": "bool", "i": "int2", "l": "int8", "f": "float8", "r": "float4", "n": "numeric",
    "p": "numeric(38,9)", "c": "text", "d": "date", "s": "timestamp", "z": "timestamptz",
    "y": "bytea",
}  # fmt: skip
HIGH = {
    "b": True, "i": 32767, "l": 9223372036854775807, "f": "NaN", "r": 0.1, "n": "1.50",
    "p": "12345678901234567890123456789.123456789", "c": TEXT, "d": "9999-12-31",
    "s": "2024-01-01 00:00:00.000001", "z": "2024-01-01 00:00:00+02", "y": "\\x00ff",
}  # fmt: skip
LOW = {
    "b": False, "i": -32768, "l": -9223372036854775808, "f": "-Infinity", "r": -0.0, "n": "0",
    "p": "-0.000000001", "c": "", "d": "0001-01-01", "s": "0001-01-01 00:00:00",
    "z": "1500-03-01 12:00:00+00", "y": "\\x",
}  # fmt: skip


def sample(world: World) -> World:
    """Two tables: every kind of value, and names that are SQL."""
    world.publish(table("t1", a="int4!", **TYPES), where="{p}a > 5")
    other = second(world)
    world.publish(table(other, a="int4!", **{HOSTILE: "text"}))
    world.source(path="source/{schema}.{table}.jsonl")
    world.write("source/public.t1.jsonl", [{"a": 1, **LOW}, {"a": 6, **LOW}, {"a": 7, **HIGH}])
    world.write(f"source/public.{other}.jsonl", [{"a": 1, HOSTILE: TEXT}])
    return world.feed(
        [
            insert("t1", a=8, **HIGH),
            update("t1", {"a": 1}, a=9, **LOW),
            update("t1", {"a": 6}, a=2, **LOW),
            update("t1", a=7, **dict.fromkeys(TYPES)),
            insert(other, a=2, **{HOSTILE: None}),
        ]
    )


def held(engine: Engine, name: str) -> list[tuple]:
    """A target's rows, each value as PostgreSQL's or Python's text of it."""
    found = engine.rows(f"SELECT * FROM {engine.table_sql(('s1', name))} ORDER BY a")
    return [tuple(map(shown, row)) for row in found]


def shown(value: object) -> object:
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(" ")
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(float(f"{value:.7g}"))
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex()
    return None if value is None else str(value)


def expected(a: int, values: dict[str, object]) -> tuple:
    """What HIGH and LOW are, once stored."""
    if values is HIGH:
        return (str(a), "True", "32767", "9223372036854775807", "NaN", "0.1", "1.50",
                "12345678901234567890123456789.123456789", TEXT, "9999-12-31",
                "2024-01-01 00:00:00.000001", "2023-12-31 22:00:00", "00ff")  # fmt: skip
    return (str(a), "False", "-32768", "-9223372036854775808", "-inf", "-0.0", "0",
            "-1E-9", "", "0001-01-01", "0001-01-01 00:00:00", "1500-03-01 12:00:00",
            "")  # fmt: skip


def small(world: World) -> World:
    """One table whose feed has one change."""
    world.publish(table("t1", a="int4!", b="text"), where="{p}a > 5")
    return world.feed([insert("t1", a=6, b="x")])


def remote(engine: Engine) -> Remote:
    """The engine is a server's."""
    assert isinstance(engine, Remote)
    return engine


def of_no_rows(engine: Remote) -> list[tuple]:
    """What is shown of changes that all come after the place where a run stops."""
    none = pyarrow.schema([("c0", pyarrow.int64())]).empty_table()
    return engine.rows(engine.line.local(none, [StagedColumn("seq", "BIGINT")])[0])


def assert_few_trips(engine, world, monkeypatch, announce) -> None:
    """Ten for the batch after the first of a table that is alone; the lease is not renewed.

    Two of them ask whether the first run was carried out.
    """
    monkeypatch.setattr(lease, "SECONDS", 3600)
    before = engine.line.trips
    world.feed([{"seq": 900, **insert("t1", a=900, b="y")}], name="2")
    assert world.run(engine).results[0].rows_inserted == 1
    trips = engine.line.trips - before
    announce(f"round trips of a batch of one table over Thrift, {engine.format}: {trips}")
    assert trips <= 10


def slowed(marked: str, rows: int) -> None:
    """The MERGE of a run takes as long as counting so many rows; `marked` is printed before it.

    An initial copy takes so many milliseconds. There are no heartbeats: what the server works at
    then is the MERGE or the copy.
    """
    lease.SECONDS = 3600  # type: ignore[misc]
    write = Remote._write

    def slow(self: Remote, statement: str, *rest: object) -> object:
        staged = "SELECT * FROM `filtersql_stage__0`"
        head, source, tail = statement.rpartition("\nFROM filtersql_source__public__t1\n")
        if source:
            nap = f"(SELECT REFLECT('java.lang.Thread', 'sleep', {rows}L) AS m FROM RANGE(1))"
            slower = f"(SELECT s.* FROM {source.split()[1]} AS s JOIN {nap} ON m <> 'x')"
            statement = f"{head}\nFROM {slower}\n{tail}"
            print(marked, flush=True)
        if staged in statement:
            count = f"(SELECT MAX(id) AS m FROM RANGE({rows}))"
            slower = f"SELECT s.* FROM `filtersql_stage__0` AS s JOIN {count} ON m > 0"
            statement = statement.replace(staged, slower)
            print(marked, flush=True)
        return write(self, statement, *rest)  # type: ignore[arg-type]

    Remote._write = slow  # type: ignore[method-assign, assignment]
