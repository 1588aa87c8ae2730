"""Connections to a live source: what they are, and what is said when there is none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from servers import Server, free_port

from filtersql.errors import Mistake, Mistakes
from filtersql.postgres.connection import connect, major_version, newer_than_known, read_only, told
from filtersql.postgres.driver import require_driver
from filtersql.project.live_sources import LiveSource
from filtersql.source import Source

pytestmark = pytest.mark.postgres
PLACE = Source("profiles.yml", "erp: x").span(0, 3)
PASSWORD = "hunter two's"


def source(dsn: str) -> LiveSource:
    return LiveSource("erp", dsn, PLACE)


def refused(dsn: str) -> str:
    """What is said; the exit code is that of what cannot be reached, or of a mistake."""
    with pytest.raises(Mistakes) as caught:
        connect(source(dsn))
    (mistake,) = caught.value.mistakes
    report = f"{caught.value.exit_code} {mistake}"
    assert "hunter" not in report
    assert "profiles.yml:1:1:" in report
    return report


@pytest.fixture(scope="module")
def locked(postgres: Server) -> Iterator[str]:
    """A user who must give a password."""
    with postgres.connect() as connection:
        connection.execute("CREATE ROLE locked LOGIN PASSWORD 'hunter two''s'")
        row = connection.execute("SHOW hba_file").fetchone()
        assert row
        path = Path(row[0])
        before = path.read_text()
        path.write_text(f"host all locked 127.0.0.1/32 scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        yield postgres.url().replace("user=postgres", "user=locked")
        path.write_text(before)
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP ROLE locked")


def test_a_connection(postgres: Server) -> None:
    """It says who it is; each statement is a transaction; a replication command is refused."""
    with connect(source(postgres.url())) as connection:
        names = connection.execute("SHOW application_name").fetchone()
        assert names == ("filtersql",)
        assert major_version(connection) == 18
        assert newer_than_known(source(""), connection) == ()
        assert connection.autocommit
        with pytest.raises(psycopg.errors.SyntaxError):
            connection.execute("IDENTIFY_SYSTEM")


def test_a_replication_connection(postgres: Server) -> None:
    """It takes replication commands, and SQL."""
    with connect(source(postgres.url()), replication=True) as connection:
        row = connection.execute("IDENTIFY_SYSTEM").fetchone()
        assert row is not None
        assert row[3] == "postgres"
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_reading_writes_nothing(postgres: Server) -> None:
    """One snapshot, and names with their schemas."""
    with read_only(source(postgres.url())) as connection:
        assert connection.execute("SELECT current_schemas(false)").fetchone() == ([],)
    with pytest.raises(Mistakes) as caught, read_only(source(postgres.url())) as connection:
        connection.execute("CREATE TABLE public.t (a int)")
    assert caught.value.exit_code == 2
    assert 'source "erp" refused a query' in str(caught.value)
    assert "Cannot execute CREATE TABLE in a read-only transaction." in str(caught.value)


def test_a_lost_connection(postgres: Server) -> None:
    """What psycopg raises is told in words."""
    connection = connect(source(postgres.url()))
    with postgres.connect() as other:
        other.execute("SELECT pg_terminate_backend(%s)", (connection.info.backend_pid,))
    with pytest.raises(Mistakes) as caught, told(source("")):
        connection.execute("SELECT 1")
    assert 'lost the connection to source "erp"' in str(caught.value)


def test_passwords(locked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The right one, in the dsn and in a pgpass file; a wrong one is told, and none is shown."""
    connect(source(rf"{locked} password='hunter two\'s'")).close()
    connect(source(f"{as_url(locked)}?password=hunter%20two%27s")).close()
    for wrong in ("password=hunter3", r"password='hunter\'s'"):
        report = refused(f"{locked} {wrong}")
        assert report.startswith('2 profiles.yml:1:1: could not connect to source "erp"')
        assert 'failed: password authentication failed for user "locked".' in report
        assert "past its VALID UNTIL" in report
    assert "o password supplied" in refused(locked)
    pgpass = tmp_path / "pgpass"
    pgpass.write_text(f"*:*:*:locked:{PASSWORD}\n")
    pgpass.chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(pgpass))
    connect(source(locked)).close()


def test_a_password_that_is_past_its_time(locked: str, postgres: Server) -> None:
    """PostgreSQL refuses it in the words of a wrong one."""
    with postgres.connect() as connection:
        connection.execute("ALTER ROLE locked VALID UNTIL '2020-01-01'")
        assert "past its VALID UNTIL" in refused(rf"{locked} password='hunter two\'s'")
        connection.execute("ALTER ROLE locked VALID UNTIL 'infinity'")


@pytest.mark.parametrize(
    "dsn",
    [
        "host=h password=my hunter",
        "postgres://u:pass@hunter@host/db",
        "postgres://u:hunter/x@host/db",
        "postgres://u:1/hunter@host/db",
        "postgres://u:p%hunter@host/db",
        "postgres://u@host?pasword=hunter",
        "hunter",
    ],
)
def test_a_dsn_that_is_none(dsn: str) -> None:
    """Nothing of it is shown, because it may be a part of the password."""
    report = refused(dsn)

    assert report.startswith('1 profiles.yml:1:1: the dsn of source "erp"')
    assert "percent-encoded" in report


def as_url(dsn: str) -> str:
    said = dict(part.split("=") for part in dsn.split())
    return f"postgresql://{said['user']}@{said['host']}:{said['port']}/{said['dbname']}"


def test_servers_that_cannot_be_reached(postgres: Server) -> None:
    """A port where nothing listens, a host, database or service that is not there, no TLS."""
    said = {
        f"host=127.0.0.1 port={free_port()}": "that it is up",
        "host=nowhere.invalid": "that it is up",
        postgres.url("absent"): 'database "absent" does not exist',
        "service=absent": "PGSERVICEFILE",
        f"{postgres.url()} sslmode=require": "how TLS is spoken",
        f"{postgres.url()} sslmode=verify-full sslrootcert=/absent.pem": "how TLS is spoken",
    }
    for dsn, words in said.items():
        assert words in refused(f"{dsn} password=hunter2")


def test_something_else_listens() -> None:
    """A web server, say."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            peer, _ = server.accept()
            with peer:
                peer.recv(100)
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        web = threading.Thread(target=answer)
        web.start()
        dsn = f"host=127.0.0.1 port={server.getsockname()[1]} sslmode=disable"
        assert "Is it a PostgreSQL that listens there?" in refused(dsn)
        web.join()


def test_without_psycopg(monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install is said."""
    require_driver()
    monkeypatch.setattr("sys.path", [])
    monkeypatch.delitem(__import__("sys").modules, "psycopg")
    with pytest.raises(Mistake, match="psycopg, which is not installed") as caught:
        require_driver()
    assert caught.value.hint == 'Install it: pip install "filtersql[postgres]".'
