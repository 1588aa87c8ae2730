"""Captures that go on: beside runs, when connections break, servers stop, signals come."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from pathlib import Path

import pytest
from live_processes import Process, Writers, wait_for
from live_projects import LiveProject
from own_servers import NEEDS_POSTGRES_15, OwnServer
from relays import relay
from servers import Server

from filtersql.postgres import slot_stream

pytestmark = NEEDS_POSTGRES_15


def test_runs_beside_a_capture_follow_the_source(project: LiveProject) -> None:
    """Targets are seconds behind what clients write, while both go on; a signal ends each."""
    results = project.folder / "target/run_results.json"
    results.unlink()

    with (
        Process(project, "capture", "erp") as capture,
        Process(project, "run", "--follow", "--interval", "1s") as run,
    ):
        wait_for(results.exists)
        for number in range(3):
            with Writers(project, 2, number):
                time.sleep(1)
            behind = time.monotonic()
            wait_for(project.is_right)
            assert time.monotonic() - behind < 10
        for process in (capture, run):
            code, said = process.stopped()
            assert code == 0, said
    assert "  s/public.orders: " in said
    assert "ERROR" not in said.replace("ERROR=0", ""), said


def test_a_network_that_breaks_and_a_server_that_crashes(
    project: LiveProject, own: OwnServer
) -> None:
    """The capture waits until the server is there again, and goes on."""
    profile = (project.folder / "profiles.yml").read_text()
    with relay(project.server.port) as between:
        relayed = profile.replace(f"port={project.server.port}", f"port={between.port}")
        project.write("profiles.yml", relayed)

        def goes_on() -> None:
            captured = len(project.changes)
            wait_for(lambda: len(project.changes) > captured + 1)

        with Writers(project, 2, 1), Process(project, "capture", "erp") as capture:
            goes_on()
            between.cut()
            goes_on()
            own.stop("immediate")
            own.start()
            goes_on()
            code, waited = capture.stopped()
    lost = waited.count('lost the connection to source "erp"'), waited.count("Again in 1 s")
    assert (code, *lost) == (0, 2, 2), waited
    project.write("profiles.yml", profile)
    project.brought_up_to_date()


def test_a_server_that_stops_does_not_wait_for_ever(project: LiveProject, own: OwnServer) -> None:
    """It waits until all is on disk here, also what concerns no table of the project."""
    with Process(project, "capture", "erp") as capture:
        capture.begins()
        project.sql("CREATE TABLE other (a int)", "INSERT INTO other SELECT generate_series(1, 9)")
        own.stop("fast")
        code, said = capture.stopped()
    assert code == 0, said
    said = project.refused("capture", "erp", "--until-current", code=2)
    assert "could not connect" in said
    own.start()
    project.brought_up_to_date()


def test_a_server_that_is_not_heard_any_more(
    project: LiveProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network that is cut says nothing: it is noticed all the same."""
    monkeypatch.setattr(slot_stream, "_LOST", 3.0)
    walsender = "SELECT active_pid FROM pg_replication_slots WHERE active"
    stopped: list[int] = []

    def stop() -> None:
        wait_for(lambda: project.rows(walsender) != [])
        stopped.extend(project.rows(walsender)[0])
        os.kill(stopped[0], signal.SIGSTOP)
        time.sleep(4)
        os.kill(stopped[0], signal.SIGCONT)
        wait_for(lambda: project.rows(walsender) not in ([], [tuple(stopped)]))
        os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=stop)
    thread.start()
    said = project.goes("capture", "erp")
    thread.join()
    assert "nothing was heard of the server for 3 s" in said.lower()
    project.brought_up_to_date()


def test_ended_by_a_signal(project: LiveProject) -> None:
    """What is whole is closed, and the exit code is 0; how fast it was and is, is told."""
    with Process(project, "capture", "erp") as capture:
        capture.begins()
        project.sql("INSERT INTO items VALUES (100, '', '')")
        time.sleep(0.5)
        status = project.goes("status")
        code, said = capture.stopped()
    assert re.search(r"bytes of its log behind; a capture is running, \d+ changes a second", status)
    told = r"1 transaction, 1 change up to \w+/\w+, \d+ a second, \d+\.\d s behind"
    assert (code, bool(re.search(told, said))) == (0, True), said
    project.followed()


def test_a_slot_that_waits_for_a_transaction(tmp_path: Path, postgres: Server) -> None:
    """PostgreSQL makes it once others have ended: that is said, and a second signal ends it."""
    project = LiveProject.made(tmp_path, postgres)
    name = project.database
    waiting = (
        "SELECT FROM pg_stat_activity WHERE query LIKE 'CREATE_REPLICATION_SLOT%'"
        f" AND wait_event_type = 'Lock' AND datname = '{name}'"
    )
    with project.server.connect(name) as connection:
        connection.execute("BEGIN")
        connection.execute("INSERT INTO items VALUES (100, '', '')")
        time.sleep(2.1)
        with Process(project, "capture", "erp", "--create") as capture:
            wait_for(lambda: project.rows(waiting) != [])
            capture.process.send_signal(signal.SIGINT)
            time.sleep(0.5)
            assert capture.process.poll() is None
            capture.process.send_signal(signal.SIGINT)
            code, said = capture.ended(10)
        pid = connection.info.backend_pid
        connection.execute("COMMIT")
    assert code == 130
    assert re.search(rf"waits for the end of open transactions: .*process {pid}\b", said), said
    project.capture("--create")
    project.followed()
    project.drop()


def test_a_large_transaction_that_was_rolled_back(tmp_path: Path, postgres: Server) -> None:
    """It is streamed as it happens; asked for again, PostgreSQL 18 sends nothing of it."""
    project = LiveProject.made(tmp_path, postgres)
    name = project.database
    project.sql(f"ALTER DATABASE {name} SET debug_logical_replication_streaming = immediate")
    project.capture("--create")
    closed = len(project.changes)
    with Process(project, "capture", "erp") as capture:
        capture.begins()
        with project.server.connect(name) as connection:
            connection.execute("INSERT INTO items VALUES (100, '', '')")
            with connection.transaction(), connection.transaction(force_rollback=True):
                connection.execute("INSERT INTO items SELECT n FROM generate_series(101, 999) n")
        wait_for(lambda: len(project.changes) > closed)
        capture.kill()
    project.brought_up_to_date()
    project.drop()
