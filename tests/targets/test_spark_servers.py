"""Every target gives the same rows: DuckDB, embedded Spark, a Thrift server, a Connect server."""

from __future__ import annotations

import json
import signal

import pytest
import secured
from broken_off import broken_project, fed, until, watching, writing
from other_writers import (
    refused,
    test_a_copy_that_goes_on_without_its_client_is_not_there_twice,
    test_a_database_that_is_not_there_is_named,
    test_a_mark_is_committed_once_on_iceberg,
    test_another_writer_of_the_target_loses_nothing,
    test_ctrl_c_inside_of_an_answer_asks_nothing_more_there,
    test_ctrl_c_while_a_request_begins_is_no_wait_for_its_end,
    test_each_way_to_sign_in_is_its_own,
)
from relays import relay
from running import SPAN, delete, forget_the_end, insert, truncate
from server_changes import (
    test_a_change_that_was_asked_for_again_is_made_once,
    test_a_changed_definition_is_carried_out_by_a_server,
    test_a_guard_keeps_a_statement_from_being_run,
    test_rows_enter_on_a_server_when_their_time_begins,
    test_small_work_is_spared_what_pays_for_large_work,
)
from server_reads import (
    spread,  # noqa: F401 - a fixture of theirs
    test_a_feed_that_the_server_sees_is_named_by_a_url,
    test_answers_of_a_server_are_records,
    test_executors_of_a_server_read_a_table,
    test_executors_of_a_server_read_messages,
    test_executors_of_a_server_read_what_is_shared,
    test_files_come_as_they_are,
)
from server_worlds import (
    HIGH,
    HOSTILE,
    LOW,
    TEXT,
    TYPES,
    assert_few_trips,
    expected,
    held,
    of_no_rows,
    remote,
    sample,
    second,
    secure,
    small,
)
from transcripts import Shell

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.run import ledger_writer
from filtersql.targets import connect, thrift, uploading
from filtersql.targets.marks import Mark
from filtersql.targets.remote import Remote
from filtersql.targets.transports import address

__all__ = [
    "test_a_change_that_was_asked_for_again_is_made_once",
    "test_a_changed_definition_is_carried_out_by_a_server",
    "test_a_copy_that_goes_on_without_its_client_is_not_there_twice",
    "test_a_database_that_is_not_there_is_named",
    "test_a_feed_that_the_server_sees_is_named_by_a_url",
    "test_a_guard_keeps_a_statement_from_being_run",
    "test_a_mark_is_committed_once_on_iceberg",
    "test_another_writer_of_the_target_loses_nothing",
    "test_answers_of_a_server_are_records",
    "test_ctrl_c_inside_of_an_answer_asks_nothing_more_there",
    "test_ctrl_c_while_a_request_begins_is_no_wait_for_its_end",
    "test_each_way_to_sign_in_is_its_own",
    "test_executors_of_a_server_read_a_table",
    "test_executors_of_a_server_read_messages",
    "test_executors_of_a_server_read_what_is_shared",
    "test_files_come_as_they_are",
    "test_rows_enter_on_a_server_when_their_time_begins",
    "test_small_work_is_spared_what_pays_for_large_work",
]

pytestmark = pytest.mark.spark

EVERYWHERE = [
    "duckdb", pytest.param("session delta", marks=pytest.mark.long),
    pytest.param("session iceberg", marks=pytest.mark.long),
    "thrift delta", pytest.param("thrift iceberg", marks=pytest.mark.long),
    pytest.param("connect delta", marks=pytest.mark.long), "connect iceberg",
]  # fmt: skip


@pytest.mark.parametrize("kind", EVERYWHERE)
def test_the_same_rows_everywhere(kind, at, monkeypatch) -> None:
    """Copy, MERGE, nothing twice, a run that was killed, TRUNCATE, a refusal that keeps all."""
    monkeypatch.setattr(ledger_writer, "JOINED_EVERY", 3)
    place = at(kind)
    world = sample(place.world)
    engine = place.open()
    joined, join = [], type(engine).join_files
    monkeypatch.setattr(
        type(engine), "join_files", lambda self, parts: joined.append(parts) or join(self, parts)
    )
    result = world.run(engine)
    assert result.mistakes == ()
    assert held(engine, "t1") == [("7", *[None] * len(TYPES)), expected(8, HIGH), expected(9, LOW)]
    other = second(place.world)
    assert held(engine, other) == [("1", TEXT), ("2", None)]
    first = result.results[0]
    assert (first.rows_inserted, first.rows_updated, first.rows_deleted) == (4, 1, 1)
    assert [found.message for found in world.run(engine).results] == ["nothing new"] * 2

    compiled = world.compiled()[0]
    if not engine.atomic:
        assert engine.committed(compiled.target) == Mark("s1", compiled.relation, 1, 5)
        forget_the_end(engine, compiled)
    world.feed([{"seq": 9, **truncate("t1")}, {"seq": 10, **insert("t1", a=30, **HIGH)},
                {"seq": 11, **delete(other, a=1)}], name="2")  # fmt: skip
    result = world.run(engine)
    assert result.mistakes == ()
    assert held(engine, "t1") == [expected(30, HIGH)]
    assert held(engine, other) == [("2", None)]
    engine.join_files(joined[-1])  # as runs did, where nobody hears of a refusal
    assert [(r.rows_inserted, r.rows_deleted, r.position) for r in result.results] == [
        (1, 3, 11),
        (0, 1, 11),
    ]

    world.feed([{"seq": 12, **insert("t1", a=31, **LOW)},
                {"seq": 13, **insert(other, a=2, **{HOSTILE: "again"})},
                {"seq": 14, **insert("t1", a=32, **{**LOW, "i": 99999})}], name="3")  # fmt: skip
    assert world.run(engine).mistakes
    assert held(engine, "t1") == [expected(30, HIGH)]
    assert held(engine, other) == [("2", None)]


@pytest.mark.parametrize("kind", ["thrift delta", "connect iceberg"])
def test_what_the_server_does_not_see_is_sent_in_chunks(kind, at, monkeypatch, announce) -> None:
    """The rows stand in a table meanwhile; afterwards the table is gone; no rows are a query."""
    monkeypatch.setattr(uploading, "CHUNK_BYTES", 4000)
    place = at(kind)
    engine = remote(place.open())
    assert of_no_rows(engine) == []
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
    if kind == "thrift delta":
        assert_few_trips(engine, world, monkeypatch, announce)
    engine.close()
    left = place.open().rows(f"SHOW TABLES IN {engine.table_sql(['filtersql'])}")
    assert sorted([row[1] for row in left]) == ["definitions", "ledger"]


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


def test_a_shared_folder_is_read_by_the_server(at, tmp_path, monkeypatch, announce) -> None:
    """Nothing is sent; the files are gone afterwards."""
    place = at("thrift iceberg")
    engine = remote(place.open(staging_path="shared"))
    world = small(place.world)
    assert world.run(engine).mistakes == ()
    assert held(engine, "t1") == [("6", "x")]
    assert_few_trips(engine, world, monkeypatch, announce)
    assert engine.sent_rows == 0
    assert list((tmp_path / "shared").iterdir()) == []


def test_a_merge_that_is_broken_off_is_settled_by_its_mark(server, tmp_path) -> None:
    """A client that is killed, Ctrl-C, and a connection that is cut: no MERGE is made twice."""
    with relay(server.ports["binary"]) as through:
        shell = broken_project(tmp_path, server, through.port)
        line = watching(server, tmp_path)

        def asked(query: str) -> list[tuple]:
            return line.ask(query)[1]

        line.ask("DROP TABLE IF EXISTS lake.filtersql.ledger")
        assert shell.filtersql("run").exit_code == 0

        # Over HTTP the server does not see that nobody waits any more: the MERGE goes on.
        fed(shell, 9)
        child = writing(shell, server, "http", 10**7)
        child.kill()
        child.communicate()
        snapshots = "SELECT summary['filtersql.position'] FROM lake.cut.t1.snapshots"
        until(lambda: ("9",) in asked(snapshots))
        assert asked("SELECT * FROM lake.cut.t1") == [(9, "x")]
        ended = shell.filtersql("run")
        assert (ended.exit_code, "nothing new" in ended.both) == (0, True)

        fed(shell, 10)
        child = writing(shell, server, "plain", 10**10)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate()
        assert (child.returncode, "Traceback" in said) == (130, False)
        until(lambda: server.jobs() == 0)  # long before it could have been through

        child = writing(shell, server, "relayed", 10**10)
        through.cut()
        _, said = child.communicate()
        assert (child.returncode, "Traceback" in said) == (2, False)
        assert "lost the connection to the Spark Thrift server" in said
        until(lambda: server.jobs() == 0)

        assert shell.filtersql("run").exit_code == 0
        assert asked("SELECT * FROM lake.cut.t1 ORDER BY a") == [(9, "x"), (10, "x")]
        assert sorted(asked(snapshots)) == [("10",), ("9",)]
        line.close()


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


def test_connect_verifies_the_server_and_shows_its_token(server) -> None:
    """Another token, none, another authority, another host: one message each."""
    right = secure(server)
    plain = f"sc://localhost:{server.ports['connect']}"
    line = connect.connect({"url": plain, "token": secured.TOKEN}, server.folder, {})
    assert line.ask("SELECT 1")[1] == [(1,)]
    line.close()
    for wrong, message in (
        ({"token": "wrong-secret"}, "refused the token"),
        ({"token": None}, "refused the token"),
        ({"ca_cert": "other.pem"}, "CERTIFICATE_VERIFY_FAILED"),
        ({"ca_cert": None}, "CERTIFICATE_VERIFY_FAILED"),
        ({"url": right["url"].replace("localhost", "127.0.0.1")}, "CERTIFICATE_VERIFY_FAILED"),
    ):
        with pytest.raises(Mistakes) as found:
            connect.connect({**right, **wrong}, server.folder, {})
        assert found.value.exit_code == 2
        assert message in str(found.value)
        assert "secret" not in str(found.value)
        assert secured.TOKEN not in str(found.value)


def test_debug_says_what_works_and_nothing_shows_a_secret(server, tmp_path, monkeypatch) -> None:
    """Not on the terminal, in logs, in the manifest or on the review page."""
    secret = "hunter-2; DROP TABLE t"
    monkeypatch.setenv("THRIFT_PASSWORD", secret)
    shell = Shell(tmp_path)
    shell.run("filtersql init demo")
    shell.run("cd demo")
    thrifty = {"type": "spark", "method": "thrift", "host": "127.0.0.1", "format": "iceberg",
               "catalog": "lake", "user": "u", "auth": "LDAP", "connect_timeout": 60,
               "password": "{{ env_var('THRIFT_PASSWORD') }}"}  # fmt: skip
    outputs = {
        "good": {**thrifty, "port": server.ports["binary"]},
        "away": {**thrifty, "port": 1},
        "connect": {"type": "spark", "method": "connect", "url": "sc://127.0.0.1:1",
                    "token": secret},
    }  # fmt: skip
    profiles = {"demo": {"target": "good", "outputs": outputs}}
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
