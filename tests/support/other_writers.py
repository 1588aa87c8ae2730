"""What else may write a target on a server, and a server that is none; see test_spark_servers."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
import secured
from broken_off import broken_project, copied, fed, overtaken, until, watching
from grpc import _channel
from impala.hiveserver2 import Operation
from msgspec.structs import replace
from server_worlds import held, remote, secure, small
from spark_server import SparkServer

from filtersql.errors import Mistakes
from filtersql.targets import connect, iceberg, thrift
from filtersql.targets.line import server_version
from filtersql.targets.marks import Mark
from filtersql.targets.scripts import under
from filtersql.targets.transports import address

__all__ = [
    "refused",
    "test_a_copy_that_goes_on_without_its_client_is_not_there_twice",
    "test_a_database_that_is_not_there_is_named",
    "test_a_mark_is_committed_once_on_iceberg",
    "test_another_writer_of_the_target_loses_nothing",
    "test_ctrl_c_inside_of_an_answer_asks_nothing_more_there",
    "test_ctrl_c_while_a_request_begins_is_no_wait_for_its_end",
    "test_each_way_to_sign_in_is_its_own",
]


@pytest.mark.long
def test_a_copy_that_goes_on_without_its_client_is_not_there_twice(server, tmp_path) -> None:
    """It fills a table that the next run does not take over."""
    shell, line = broken_project(tmp_path, server, 1), watching(server, tmp_path)
    for number, seconds in enumerate((15, 60, 240)):
        went_on = copied(shell, server, f"copy{number}", seconds * 1000)
        held = line.ask(f"SELECT a FROM lake.copy{number}.t1 ORDER BY a")[1]
        assert held == [(6,), (7,), (8,)]
        if went_on:
            break
    assert went_on
    line.close()


@pytest.mark.long
@pytest.mark.parametrize("target", ["plain", "delta"])
def test_another_writer_of_the_target_loses_nothing(target, server, tmp_path, announce) -> None:
    """Its commits stand, and so do the run's: after some tries, or a refusal and the next run."""
    shell, line = broken_project(tmp_path, server, 1), watching(server, tmp_path)
    (tmp_path / "publications" / "p.yml").write_text(
        "publications: [{name: p, tables: [{name: t1, alias: shared}]}]\n"
    )
    name = f"{'lake' if target == 'plain' else 'spark_catalog'}.cut.shared"
    run = ("run", "--target", target)
    fed(shell, 7)
    shell.succeed(*run)
    line.ask(f"INSERT INTO {name} VALUES (1, 'theirs')")
    fed(shell, 8)
    commits = count(1)
    said = overtaken(
        shell,
        server,
        target,
        2,
        lambda: line.ask(f"UPDATE {name} SET b = 'theirs{next(commits)}' WHERE a = 1"),
    )
    assert shell.filtersql(*run).exit_code == 0
    last = next(commits) - 1
    announce(
        f"{target}: {last} commits of another writer meanwhile, {said.count('Another')} refused"
    )
    assert line.ask(f"SELECT * FROM {name} ORDER BY a")[1] == [
        (1, f"theirs{last}"), (7, "x"), (8, "x"),
    ]  # fmt: skip
    line.close()


def test_a_mark_is_committed_once_on_iceberg(at) -> None:
    """Appends are not compared with each other there: the mark is looked for before and after."""
    place = at("thrift iceberg")
    engine, world = remote(place.open()), small(place.world)
    assert world.run(engine).mistakes == ()
    compiled = world.compiled()[0]
    insert_one = f"INSERT INTO {engine.table_sql(compiled.target)} VALUES (50, 'y')"
    mark = Mark("s1", compiled.relation, 1, 60)
    assert engine.write(insert_one, compiled, mark) is not None
    assert engine.write(insert_one, compiled, mark) is None
    assert held(engine, "t1") == [("6", "x"), ("50", "y")]
    # As if a statement that nobody waits for had been committed just then.
    engine._marked(*under(iceberg.marking(mark), iceberg.MARK_SETTINGS, insert_one))
    with pytest.raises(Mistakes, match=r"the changes up to 60 of .* stand twice"):
        engine.write(insert_one, compiled, replace(mark, position=61))


def refused(server: SparkServer, way: str, **settings: object) -> str:
    """What is said of a connection that does not come to be."""
    said = {"host": "127.0.0.1", "port": server.ports.get(way, 1), "connect_timeout": 10,
            "password": secured.PASSWORD, **settings}  # fmt: skip
    with pytest.raises(Mistakes) as found:
        thrift.connect(address(said, server.folder), {})
    assert found.value.exit_code == 2
    assert secured.PASSWORD not in str(found.value)
    return str(found.value)


def test_a_database_that_is_not_there_is_named(server, monkeypatch) -> None:
    """Whatever its name; one that is there is used. So is a Spark whose LIKE leaves out rows."""
    way = "binary"
    for name in ("nowhere", "lake.nowhere", "x`; DROP TABLE t; --"):
        told = refused(server, way, database=name)
        assert told.startswith(f'could not reach database "{name}" of the Spark Thrift server')
        assert "\tat " not in told
    said = {"host": "127.0.0.1", "port": server.ports[way]}
    line = thrift.connect(address({**said, "database": "default"}, server.folder), {})
    assert line.ask("SELECT CURRENT_SCHEMA()")[1] == [("default",)]
    # a question to which every Spark says false, as 4.0.1 and 4.1.0 do to the real one
    monkeypatch.setattr("filtersql.targets.line.FINDS", "'a' LIKE 'b'")
    with pytest.raises(Mistakes, match="does not find characters beyond"):
        server_version(line)


def told_late(look: Callable[[Operation], Any]) -> Callable[[Operation], Any]:
    """Looks of which two see an error before its words."""
    looks = count(1)

    def get_state(operation: Operation) -> Any:
        answer = look(operation)
        if answer.errorMessage and next(looks) < 3:
            answer.errorMessage = None
        return answer

    return get_state


def test_each_way_to_sign_in_is_its_own(server, monkeypatch) -> None:
    """NOSASL, NONE and HTTP answer; a client that speaks otherwise gets one message.

    So does what is refused, whenever Spark tells the words of it.
    """
    monkeypatch.setattr(Operation, "get_state", told_late(Operation.get_state))
    to = address({"host": "127.0.0.1", "port": server.ports["binary"]}, server.folder)
    with pytest.raises(Mistakes, match="TABLE_OR_VIEW_NOT_FOUND"):
        thrift.connect(to, {}).ask("TABLE nowhere")
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


def test_ctrl_c_inside_of_an_answer_asks_nothing_more_there(server, tmp_path, monkeypatch) -> None:
    """The rest of the answer is still to come; another connection ends the statement."""
    closed = []

    def stopped(_: Operation) -> None:
        until(lambda: server.jobs() > 0)
        raise KeyboardInterrupt

    line = watching(server, tmp_path)
    monkeypatch.setattr(Operation, "get_state", stopped)
    monkeypatch.setattr(Operation, "close", lambda operation: closed.append(operation))
    with pytest.raises(KeyboardInterrupt):
        line.ask("SELECT COUNT(*) FROM RANGE(100000) AS a, RANGE(10000000) AS b WHERE a.id < b.id")
    assert closed == []
    until(lambda: server.jobs() == 0)


def test_ctrl_c_while_a_request_begins_is_no_wait_for_its_end(server, monkeypatch) -> None:
    """Nobody would tell gRPC that a call has ended of which it keeps only a half."""
    begin = _channel._run_channel_spin_thread

    def begins(state: object) -> None:
        if threading.current_thread() is threading.main_thread():
            begin(state)
            raise AssertionError("Ctrl-C meets gRPC")
        os.kill(os.getpid(), signal.SIGINT)
        begin(state)

    line = connect.connect(secure(server), server.folder, {})
    monkeypatch.setattr(_channel, "_run_channel_spin_thread", begins)
    with pytest.raises(KeyboardInterrupt):
        line.ask("SELECT 1")
    with pytest.raises(Mistakes, match="the connection was lost before"):
        line.ask("SELECT 1")
