"""A real PostgreSQL 18, 17 or 16 for tests and recorders, out of a jar of Maven Central.

Example
    >>> with serve() as server:                                        # doctest: +SKIP
    ...     with server.connect(server.create_database()) as connection:
    ...         connection.execute("select version()")

    `python tests/support/servers.py 16` serves a PostgreSQL 16 until it is interrupted, and prints
    what FILTERSQL_POSTGRES_16 should hold so that tests ask it: its superuser's connection string.

The jar comes through Spark's own resolver (`spark-submit --packages`), so whatever lets Spark find
its jars (a mirror, a proxy) finds it too. It is kept in the user's cache folder. PostgreSQL refuses
to run as root: then the server runs as `nobody`.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
import pwd
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

__all__ = [
    "RELEASES", "Server", "cache_folder", "free_port", "listens", "named", "resolve", "serve",
    "without",
]  # fmt: skip

RELEASES = {16: "16.15.0", 17: "17.11.0", 18: "18.6.0"}
#: the first with a locale of its own, which is the same on every machine
_BUILTIN_LOCALES = 17
_ARTIFACTS = {
    ("Linux", "x86_64"): "linux-amd64",
    ("Linux", "aarch64"): "linux-arm64v8",
    ("Darwin", "x86_64"): "darwin-amd64",
    ("Darwin", "arm64"): "darwin-arm64v8",
}
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "wal_level": "logical",
    "max_wal_senders": "30",
    "max_replication_slots": "30",
    "max_logical_replication_workers": "12",
    "max_sync_workers_per_subscription": "2",
    "max_worker_processes": "16",
    "max_prepared_transactions": "2",
    "wal_retrieve_retry_interval": "100ms",
    # The data folder is thrown away, so a power cut may lose it.
    "fsync": "off",
    "full_page_writes": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
_UNPRIVILEGED = ("nobody", "postgres", "daemon")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server whose superuser is `postgres`, without a password, on this machine only."""

    port: int
    log: Path | None = None
    host: str = "127.0.0.1"
    user: str = "postgres"

    def url(self, database: str = "postgres") -> str:
        """The connection string, also for `CREATE SUBSCRIPTION … CONNECTION`."""
        return f"host={self.host} port={self.port} user={self.user} dbname={database}"

    def connect(
        self, database: str = "postgres", autocommit: bool = True
    ) -> psycopg.Connection[Any]:
        """A connection of psycopg."""
        options = "-c timezone=UTC -c datestyle=ISO"
        return psycopg.connect(self.url(database), autocommit=autocommit, options=options)

    def drop_database(self, name: str) -> None:
        """Remove a database with its replication slots."""
        drop = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots"
        with self.connect() as connection:
            connection.execute(drop + " WHERE database = %s AND NOT active", (name,))
            connection.execute(
                sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
            )

    def create_database(self, prefix: str = "t") -> str:
        """A new empty database; its name."""
        name = f"{prefix}_{os.getpid()}_{next(_NUMBERS)}"
        with self.connect() as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return name


_NUMBERS = itertools.count(1)


def named(version: int) -> Server | None:
    """The server of an older version that the environment names, as FILTERSQL_POSTGRES_15 does."""
    url = os.environ.get(f"FILTERSQL_POSTGRES_{version}")
    if not url:
        return None
    with psycopg.connect(url) as connection:
        info = connection.info
        return Server(info.port, None, info.host, info.user)


@contextlib.contextmanager
def serve(version: int = 18) -> Iterator[Server]:
    """A server of its own in a temporary folder, shut down and removed at the end."""
    user = _unprivileged()
    with tempfile.TemporaryDirectory(
        prefix="filtersql-postgres-", ignore_cleanup_errors=True
    ) as name:
        home = Path(name)
        home.chmod(0o755)
        _unpack(postgres_jar(version), home / "postgres")
        data = home / "data"
        data.mkdir(mode=0o700)
        if user:
            os.chown(data, user.pw_uid, user.pw_gid)
        _initialise(home, data, user, version)
        log, port = home / "log", free_port()
        with log.open("wb") as output:
            process = _start(home, data, port, user, output)
        try:
            server = Server(port, log)
            _wait(server, process)
            yield server
        finally:
            _stop(process)


def cache_folder() -> Path:
    """Where downloads are kept between runs."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "filtersql" / "tests"


def free_port() -> int:
    """A TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a process that has just begun listens at a port."""
    for _ in range(200):
        assert process.poll() is None, f"{process.args} ended"
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"{process.args} did not start")


def without(*names: str) -> dict[str, str]:
    """The environment without some variables."""
    return {name: value for name, value in os.environ.items() if name not in names}


@cache
def postgres_jar(version: int) -> Path:
    """The jar with PostgreSQL's binaries, resolved on first use."""
    system = (platform.system(), platform.machine())
    assert system in _ARTIFACTS, f"no PostgreSQL binaries are known for {' '.join(system)}"
    artifact = f"embedded-postgres-binaries-{_ARTIFACTS[system]}"
    ivy, release = cache_folder() / "ivy", RELEASES[version]
    jar = ivy / "jars" / f"io.zonky.test.postgres_{artifact}-{release}.jar"
    if not jar.exists():
        resolve(f"io.zonky.test.postgres:{artifact}:{release}", ivy)
    assert jar.exists(), f"Spark's resolver left no {jar.name} in {jar.parent}"
    return jar


def resolve(coordinates: str, ivy: Path) -> None:
    """Let `spark-submit --packages` fetch an artifact, with a program that does nothing."""
    import pyspark

    assert shutil.which("java") or os.environ.get("JAVA_HOME"), (
        "the tests need a JDK 17 or newer: Spark runs on it, and fetches PostgreSQL's jar"
    )
    home = Path(pyspark.__file__).parent
    environment = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable}
    environment["PYSPARK_DRIVER_PYTHON"] = sys.executable
    ivy.mkdir(parents=True, exist_ok=True)
    options = ["--master", "local[1]", "--packages", coordinates]
    options += ["--conf", f"spark.jars.ivy={ivy}"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "nothing.py")
        program.write_text("")
        ended = subprocess.run(
            [home / "bin" / "spark-submit", *options, program],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=600,
        )
    message = f"Spark's resolver could not fetch {coordinates}:\n{ended.stdout}{ended.stderr}"
    assert ended.returncode == 0, message


def _unprivileged() -> pwd.struct_passwd | None:
    """The user to run the server as; None when this process is not root."""
    if os.geteuid() != 0:
        return None
    users = {user.pw_name: user for user in pwd.getpwall()}
    known = next((users[name] for name in _UNPRIVILEGED if name in users), None)
    assert known, f"PostgreSQL does not run as root, and there is no user {_UNPRIVILEGED[0]!r}"
    return known


def _unpack(jar: Path, folder: Path) -> None:
    with zipfile.ZipFile(jar) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".txz"))
        with archive.open(name) as stream, tarfile.open(fileobj=stream, mode="r:xz") as binaries:
            # The archive's links between its own libraries are within it, which this filter checks.
            binaries.extractall(folder, filter="tar")


def _as_user(user: pwd.struct_passwd | None) -> dict[str, Any]:
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _initialise(home: Path, data: Path, user: pwd.struct_passwd | None, version: int) -> None:
    program = home / "postgres" / "bin" / "initdb"
    builtin = ["--locale-provider=builtin", "--locale=C.UTF-8"]
    locale = builtin if version >= _BUILTIN_LOCALES else ["--locale=C"]
    options = [*locale, "--encoding=UTF8"]
    options += ["--username=postgres", "--auth=trust", "--no-sync", "--no-instructions"]
    ended = subprocess.run(
        [program, "-D", data, *options],
        cwd=data,
        env=without("PGDATA", "LC_ALL", "LANG"),
        capture_output=True,
        text=True,
        **_as_user(user),
    )
    assert ended.returncode == 0, f"initdb failed:\n{ended.stdout}{ended.stderr}"


def _start(
    home: Path, data: Path, port: int, user: pwd.struct_passwd | None, output: Any
) -> subprocess.Popen[bytes]:
    settings = [f"--{name}={value}" for name, value in {**_SETTINGS, "port": str(port)}.items()]
    return subprocess.Popen(
        [home / "postgres" / "bin" / "postgres", "-D", data, *settings],
        cwd=data,
        env=without("PGDATA", "LC_ALL", "LANG"),
        stdout=output,
        stderr=subprocess.STDOUT,
        **_as_user(user),
    )


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            server.connect().close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    assert server.log
    raise AssertionError(f"PostgreSQL did not start:\n{server.log.read_text(errors='replace')}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(2)  # a "fast" shutdown: it does not wait for clients
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    """Serve one version until interrupted."""
    with serve(int(sys.argv[1])) as server, contextlib.suppress(KeyboardInterrupt):
        print(server.url(), flush=True)
        while True:
            time.sleep(3600)


if __name__ == "__main__":
    main()
