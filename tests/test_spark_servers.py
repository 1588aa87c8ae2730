"""Every target gives the same rows: DuckDB, embedded Spark, a Thrift server, a Connect server."""

from __future__ import annotations

import datetime
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
import secured
from running import SPAN, World, delete, insert, table, truncate, update
from spark_server import SparkServer, serving
from transcripts import Shell

from filtersql.applying import ledger
from filtersql.errors import Mistakes
from filtersql.targets import thrift, uploading
from filtersql.targets.model import Engine, Mark
from filtersql.targets.open import open_engine
from filtersql.targets.remote import Remote
from filtersql.targets.transports import address

pytestmark = pytest.mark.spark

WAYS = {
    "binary": {},
    "http": {"hive.server2.transport.mode": "http"},
    "nosasl": {"hive.server2.authentication": "NOSASL"},
}
HOSTILE = 'x"; DROP TABLE t1; --'
TEXT = "it's ${x} \\ `q`'; DROP TABLE s1.t1; -- /* \n é 日本 😀"


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[SparkServer]:
    """One Java process that speaks Thrift in several ways, and Connect.

    Two of them ask a directory server for the password, over TLS; where slapd is installed.
    """
    folder = tmp_path_factory.mktemp("server")
    with ExitStack() as stack:
        ways = dict(WAYS)
        if secured.has_directory():
            secured.authority(folder, "good")
            secured.authority(folder, "other")
            asked = {
                "hive.server2.authentication": "LDAP",
                "hive.server2.authentication.ldap.url": stack.enter_context(
                    secured.directory(folder / "ldap")
                ),
                "hive.server2.authentication.ldap.baseDN": secured.BASE,
                "hive.server2.use.SSL": "true",
                "hive.server2.keystore.path": str(secured.keystore(folder, "good", "localhost")),
                "hive.server2.keystore.password": secured.KEYSTORE_PASSWORD,
            }
            ways |= {"ldap": asked, "ldap over http": {**asked, **WAYS["http"]}}
        yield stack.enter_context(serving(folder, ways))


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
            for parts in (("s1", "t1"), ("s1", "t2"), ("filtersql", "ledger")):
                engine.drop(parts)
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
        settings = {"host": "127.0.0.1", "port": server().ports["binary"], "connect_timeout": 10}
    elif method == "connect":
        settings = {"url": f"sc://127.0.0.1:{server().ports['connect']}"}
    return SimpleNamespace(
        type="duckdb" if method == "duckdb" else "spark",
        method=None if method == "duckdb" else method,
        format=table_format or None,
        catalog="lake" if iceberg else None,
        threads=2,
        settings=settings,
        span=SPAN,
    )


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
    world.publish(table("t2", a="int4!", **{HOSTILE: "text"}))
    world.source(path="source/{schema}.{table}.jsonl")
    world.write("source/public.t1.jsonl", [{"a": 1, **LOW}, {"a": 6, **LOW}, {"a": 7, **HIGH}])
    world.write("source/public.t2.jsonl", [{"a": 1, HOSTILE: TEXT}])
    return world.feed(
        [
            insert("t1", a=8, **HIGH),
            update("t1", {"a": 1}, a=9, **LOW),
            update("t1", {"a": 6}, a=2, **LOW),
            update("t1", a=7, **dict.fromkeys(TYPES)),
            insert("t2", a=2, **{HOSTILE: None}),
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


EVERYWHERE = [
    "duckdb", "session delta", "session iceberg", "thrift delta", "thrift iceberg",
    "connect delta", "connect iceberg",
]  # fmt: skip


@pytest.mark.parametrize("kind", EVERYWHERE)
def test_the_same_rows_everywhere(kind, at) -> None:
    """Copy, MERGE, nothing twice, a run that was killed, TRUNCATE, a refusal that keeps all."""
    place = at(kind)
    world = sample(place.world)
    engine = place.open()
    result = world.run(engine)
    assert result.mistakes == ()
    nulls = ("7", *[None] * len(TYPES))
    assert held(engine, "t1") == [nulls, expected(8, HIGH), expected(9, LOW)]
    assert held(engine, "t2") == [("1", TEXT), ("2", None)]
    first = result.results[0]
    assert (first.rows_inserted, first.rows_updated, first.rows_deleted) == (4, 1, 1)
    assert [found.message for found in world.run(engine).results] == ["nothing new"] * 2

    compiled = world.compiled()[0]
    if not engine.atomic:
        assert engine.committed(compiled) == Mark("s1", compiled.relation, 1, 5)
        forget_the_end(engine, compiled)
    world.feed([{"seq": 9, **truncate("t1")}, {"seq": 10, **insert("t1", a=30, **HIGH)},
                {"seq": 11, **delete("t2", a=1)}], name="2")  # fmt: skip
    result = world.run(engine)
    assert result.mistakes == ()
    assert held(engine, "t1") == [expected(30, HIGH)]
    assert held(engine, "t2") == [("2", None)]
    assert [(r.rows_inserted, r.rows_deleted, r.position) for r in result.results] == [
        (1, 3, 11),
        (0, 1, 11),
    ]

    world.feed([{"seq": 12, **insert("t1", a=31, **LOW)},
                {"seq": 13, **insert("t2", a=2, **{HOSTILE: "again"})},
                {"seq": 14, **insert("t1", a=32, **{**LOW, "i": 99999})}], name="3")  # fmt: skip
    assert world.run(engine).mistakes
    assert held(engine, "t1") == [expected(30, HIGH)]
    assert held(engine, "t2") == [("2", None)]


def forget_the_end(engine: Engine, compiled) -> None:
    """As if the process had died between the MERGE's commit and the ledger's."""
    table = engine.table_sql(("filtersql", "ledger"))
    ordinal = int(str(engine.rows(f"SELECT MAX(ordinal) FROM {table}")[0][0]))
    entry = ledger.Entry(
        ordinal=ordinal + 1,
        subscription="s1",
        relation_schema="public",
        relation_name="t1",
        target=compiled.target_sql,
        filter_hash=compiled.filter_hash,
        via_partition_root=compiled.via_partition_root,
        generation=1,
        phase="applying",
        position=5,
    )
    ledger.append(engine, "filtersql", [entry])


def small(world: World) -> World:
    """One table whose feed has one change."""
    world.publish(table("t1", a="int4!", b="text"), where="{p}a > 5")
    return world.feed([insert("t1", a=6, b="x")])


def remote(engine: Engine) -> Remote:
    """The engine is a server's."""
    assert isinstance(engine, Remote)
    return engine


@pytest.mark.parametrize("kind", ["thrift iceberg", "connect iceberg"])
def test_what_the_server_does_not_see_is_sent_in_chunks(kind, at, monkeypatch) -> None:
    """The rows stand in a table meanwhile; afterwards the table is gone."""
    monkeypatch.setattr(uploading, "CHUNK_BYTES", 4000)
    place = at(kind)
    engine = remote(place.open())
    world = small(place.world)
    world.feed([insert("t1", a=number, b="x" * 50) for number in range(200)])
    result = world.run(engine)
    assert result.mistakes == ()
    assert result.results[0].rows_inserted == 194
    assert engine.sent_rows == 200
    left = engine.rows(f"SHOW TABLES IN {engine.table_sql(['filtersql'])}")
    assert any(str(row[1]).startswith("upload_") for row in left)
    engine.close()
    left = place.open().rows(f"SHOW TABLES IN {engine.table_sql(['filtersql'])}")
    assert [row[1] for row in left] == ["ledger"]


def test_a_shared_folder_is_read_by_the_server(at, tmp_path) -> None:
    """Nothing is sent; the file is gone afterwards."""
    place = at("thrift iceberg")
    engine = remote(place.open(staging_path="shared"))
    assert small(place.world).run(engine).mistakes == ()
    assert held(engine, "t1") == [("6", "x")]
    assert engine.sent_rows == 0
    assert list((tmp_path / "shared").iterdir()) == []


def test_a_batch_costs_few_round_trips(at, announce) -> None:
    """Eight for a table that is alone in its subscription."""
    place = at("thrift iceberg")
    engine = remote(place.open())
    world = small(place.world)
    assert world.run(engine).mistakes == ()
    before = engine.line.trips
    world.feed([{"seq": 9, **insert("t1", a=9, b="y")}], name="2")
    assert world.run(engine).results[0].rows_inserted == 1
    trips = engine.line.trips - before
    announce(f"round trips of a batch of one table over Thrift: {trips}")
    assert trips <= 8


_KILLED = """
import json, sys
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from types import SimpleNamespace
from test_spark_servers import Place, output, small, slowed
from running import World
said = json.loads(sys.argv[1])
server = SimpleNamespace(ports={"binary": said["port"]})
place = Place(World(Path(said["root"]), "spark", "lake"), output("thrift iceberg", lambda: server))
place.opened.append(None)
slowed(place, said["port"])
"""


def slowed(place: Place, port: int) -> None:
    """A run whose MERGE takes seconds: its source is joined with a long count."""
    engine = remote(place.open(port=port, transport="http"))
    write = Remote._write

    def slow(self: Remote, statement: str, *rest: object) -> object:
        if "filtersql_stage__0" in statement:
            count = "(SELECT MAX(id) AS m FROM RANGE(3000000000))"
            staged = "SELECT * FROM `filtersql_stage__0`"
            assert staged in statement
            slower = f"SELECT s.* FROM `filtersql_stage__0` AS s JOIN {count} ON m > 0"
            statement = statement.replace(staged, slower)
            print("WRITING", flush=True)
        return write(self, statement, *rest)  # type: ignore[arg-type]

    Remote._write = slow  # type: ignore[method-assign, assignment]
    world = small(place.world)
    world.feed([{"seq": 9, **insert("t1", a=9, b="y")}], name="2")
    world.run(engine)


def test_a_merge_whose_client_was_killed_is_settled_by_its_mark(at, server) -> None:
    """Over HTTP the server does not see that nobody waits any more: the MERGE goes on."""
    place = at("thrift iceberg")
    engine = remote(place.open())
    world = small(place.world)
    assert world.run(engine).mistakes == ()
    said = {"root": str(world.root), "port": server.ports["http"]}
    child = subprocess.Popen(
        [sys.executable, "-c", _KILLED, json.dumps(said), os.path.dirname(__file__)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    with child.stdout:
        assert child.stdout.readline() == "WRITING\n"
        time.sleep(1)
        child.send_signal(signal.SIGKILL)
        child.wait()
    snapshots = f"SELECT COUNT(*) FROM {engine.table_sql(('s1', 't1'))}.snapshots"
    before = engine.rows(snapshots)
    for _ in range(120):
        if engine.rows(snapshots) != before:
            break
        time.sleep(0.5)
    assert held(engine, "t1") == [("6", "x"), ("9", "y")]  # the server went on
    result = world.run(engine)
    assert result.mistakes == ()
    assert result.results[0].message == "an interrupted run is finished"
    assert held(engine, "t1") == [("6", "x"), ("9", "y")]


def test_an_interrupted_statement_is_cancelled(server) -> None:
    """From another thread, as Ctrl-C does it; the session is gone, and says so."""
    line = thrift.connect(address({"host": "127.0.0.1", "port": server.ports["http"],
                                   "transport": "http"}, server.folder), {})  # fmt: skip
    threading.Timer(2, line.interrupt).start()
    began = time.monotonic()
    with pytest.raises(Mistakes) as found:
        line.ask("SELECT SUM(a.id * b.id) FROM RANGE(10000000) AS a, RANGE(10000000) AS b")
    assert time.monotonic() - began < 60
    assert found.value.exit_code in (1, 2)
    with pytest.raises(Mistakes) as found:
        line.ask("SELECT 1")
    assert found.value.exit_code == 2
    assert "lost the connection" in str(found.value)


def refused(server: SparkServer, way: str, **settings: object) -> str:
    """What is said of a connection that does not come to be."""
    said = {"host": "127.0.0.1", "port": server.ports.get(way, 1), "connect_timeout": 10,
            "password": secured.PASSWORD, **settings}  # fmt: skip
    with pytest.raises(Mistakes) as found:
        thrift.connect(address(said, server.folder), {})
    assert found.value.exit_code == 2
    assert secured.PASSWORD not in str(found.value)
    return str(found.value)


def test_each_way_to_sign_in_is_its_own(server) -> None:
    """NOSASL, NONE and HTTP answer; a client that speaks otherwise gets one message."""
    for way, settings in {
        "binary": {"user": "ann"},
        "nosasl": {"auth": "NOSASL"},
        "http": {"transport": "http", "user": "ann"},
    }.items():
        said = {"host": "127.0.0.1", "port": server.ports[way], **settings}
        line = thrift.connect(address(said, server.folder), {"spark.sql.session.timeZone": "UTC"})
        assert line.ask("SELECT 'é', ARRAY('a', NULL) AS b")[1] == [("é", ["a", None])]
        line.close()
    assert "could not reach the Spark Thrift server" in refused(server, "nowhere")
    assert "nowhere.invalid" in refused(server, "binary", host="nowhere.invalid")
    assert "another auth or transport" in refused(server, "binary", auth="NOSASL")
    assert "another auth or transport" in refused(server, "nosasl")
    assert "another auth or transport" in refused(server, "binary", transport="http")
    assert "TLS connection" in refused(server, "binary", use_ssl=True)
    assert 'pip install "filtersql[kerberos]"' in refused(server, "binary", auth="KERBEROS")


def test_a_directory_server_knows_the_password_and_tls_is_verified(server) -> None:
    """A wrong password, a wrong authority, another host's name: nothing is sent, or refused."""
    if "ldap" not in server.ports:
        pytest.skip("slapd is not installed")
    right = {"host": "localhost", "auth": "LDAP", "user": secured.USER, "use_ssl": True,
             "ca_cert": "good.pem", "password": secured.PASSWORD}  # fmt: skip
    for way, transport in (("ldap", "binary"), ("ldap over http", "http")):
        said = {**right, "transport": transport, "port": server.ports[way]}
        line = thrift.connect(address(said, server.folder), {})
        assert line.ask("SELECT CURRENT_USER()")[1] == [(secured.USER,)]
        line.close()
        assert 'refused the user "ann"' in refused(server, way, **{**said, "password": "wrong"})
        for wrong in ({"ca_cert": "other.pem"}, {"ca_cert": None}, {"host": "127.0.0.1"}):
            assert "CERTIFICATE_VERIFY_FAILED" in refused(server, way, **{**said, **wrong})
        assert "none.pem" in refused(server, way, **{**said, "ca_cert": "none.pem"})


def test_debug_says_what_works_and_nothing_shows_a_secret(server, tmp_path, monkeypatch) -> None:
    """Not on the terminal, in logs, in the manifest or on the review page."""
    secret = "hunter-2; DROP TABLE t"
    monkeypatch.setenv("THRIFT_PASSWORD", secret)
    shell = Shell(tmp_path)
    shell.run("filtersql init demo")
    shell.run("cd demo")
    thrifty = {"type": "spark", "method": "thrift", "host": "127.0.0.1", "format": "iceberg",
               "catalog": "lake", "user": "u", "auth": "LDAP", "connect_timeout": 10,
               "password": "{{ env_var('THRIFT_PASSWORD') }}"}  # fmt: skip
    outputs = {
        "good": {**thrifty, "port": server.ports["binary"]},
        "away": {**thrifty, "port": 1},
        "connect": {"type": "spark", "method": "connect", "url": "sc://127.0.0.1:1",
                    "token": secret},
    }  # fmt: skip
    profiles = {"shop": {"target": "good", "outputs": outputs}}
    (tmp_path / "demo" / "profiles.yml").write_text(json.dumps(profiles))
    good = shell.run("filtersql debug")
    assert "over Thrift with Iceberg, MERGE works" in good.stdout
    assert good.exit_code == 0
    shown = good.both
    for target in ("away", "connect"):
        for command in ("debug", "run", "status"):
            ended = shell.run(f"filtersql {command} --target {target}")
            assert ended.exit_code == 2, ended.both
            assert "could not reach" in ended.stderr
            assert "Traceback" not in ended.both
            shown += ended.both
    shown += shell.run("filtersql review").both
    assert secret not in shown
    for path in (tmp_path / "demo").rglob("*"):
        if path.is_file() and path.name != "profiles.yml":
            assert secret not in path.read_text(errors="replace"), path
