"""Every target gives the same rows: DuckDB, embedded Spark, a Thrift server, a Connect server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import secured
from running import SPAN, delete, insert, truncate
from server_worlds import (
    HIGH,
    HOSTILE,
    LOW,
    TEXT,
    TYPES,
    expected,
    forget_the_end,
    held,
    remote,
    sample,
    small,
)
from spark_server import SparkServer
from transcripts import Shell

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.targets import thrift, uploading
from filtersql.targets.model import Mark
from filtersql.targets.remote import Remote
from filtersql.targets.transports import address

pytestmark = pytest.mark.spark

EVERYWHERE = [
    "duckdb", "session delta", "session iceberg", "thrift delta", "thrift iceberg",
    pytest.param("connect delta", marks=pytest.mark.long), "connect iceberg",
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


@pytest.mark.parametrize("kind", ["thrift iceberg", "connect iceberg"])
def test_what_the_server_does_not_see_is_sent_in_chunks(kind, at, monkeypatch) -> None:
    """The rows stand in a table meanwhile; afterwards the table is gone."""
    monkeypatch.setattr(uploading, "CHUNK_BYTES", 4000)
    place = at(kind)
    engine = remote(place.open())
    world = small(place.world)
    world.feed([insert("t1", a=number, b="x" * 50) for number in range(200)])
    made: list[tuple] = []
    create = Remote.create
    monkeypatch.setattr(
        Remote,
        "create",
        lambda self, parts, *rest, **more: made.append(parts) or create(self, parts, *rest, **more),
    )
    result = world.run(engine)
    assert result.mistakes == ()
    assert result.results[0].rows_inserted == 194
    assert engine.sent_rows == 200
    assert any(parts[1].startswith("upload_") for parts in made)
    engine.close()
    left = place.open().rows(f"SHOW TABLES IN {engine.table_sql(['filtersql'])}")
    assert [row[1] for row in left] == ["ledger"]


@pytest.mark.parametrize("kind", ["thrift iceberg", "connect iceberg"])
def test_a_feed_in_a_table_of_the_server_is_fetched_in_parts(kind, at, monkeypatch) -> None:
    """Few of its rows are here at a time; who has read enough of them can ask something else."""
    monkeypatch.setattr(thrift, "_ROWS_FETCHED", 7)
    place = at(kind)
    engine = remote(place.open())
    world = small(place.world).subscribe(changes=Feed(SPAN, table="lake.s1.t2"))
    columns = "seq BIGINT, op STRING, relation STRING, after STRING, unchanged ARRAY<STRING>"
    engine.create(("s1", "t2"), columns, {})
    engine.execute(
        "INSERT INTO lake.s1.t2 SELECT id, 'insert', 'public.t1', "
        "TO_JSON(NAMED_STRUCT('a', id, 'b', 'x')), ARRAY() FROM RANGE(1, 51)"
    )
    result = world.run(engine)
    assert result.mistakes == ()
    assert result.results[0].rows_inserted == 45
    some = engine.stream("SELECT id FROM RANGE(0, 30000) ORDER BY id")
    assert [next(some) for _ in range(3)] == [(0,), (1,), (2,)]
    some.close()
    assert engine.rows("SELECT 1") == [(1,)]
    with pytest.raises(Mistakes):
        list(engine.stream("SELECT * FROM nowhere"))
    assert world.run(engine).results[0].message == "nothing new"


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
from server_worlds import Place, output, small, slowed
from running import World
said = json.loads(sys.argv[1])
server = SimpleNamespace(ports={"binary": said["port"]})
place = Place(World(Path(said["root"]), "spark", "lake"), output("thrift iceberg", lambda: server))
place.opened.append(None)
slowed(place, said["port"])
"""


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
    end = time.monotonic() + 300
    while engine.rows(snapshots) == before and time.monotonic() < end:
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


# What Python's HTTP client leaves of a connection that was refused is the garbage collector's.
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
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
