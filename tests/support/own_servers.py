"""A PostgreSQL 15 of Debian's package that is stopped, killed, restored and promoted, for tests.

with own_server() as server:
    server.stop("immediate"); server.start()
    kept = server.copied(); …; server.restore(kept)
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from servers import Server, _as_user, _unprivileged, free_port, without

__all__ = ["INSTALLED", "NEEDS_POSTGRES_15", "OwnServer", "own_server"]

_HOME = Path("/usr/lib/postgresql/15/bin")
#: whether Debian's package is there
INSTALLED = (_HOME / "postgres").exists()
NEEDS_POSTGRES_15 = [
    pytest.mark.postgres,
    pytest.mark.skipif(
        not INSTALLED, reason="postgresql-15 is not installed (apt-get install postgresql-15)"
    ),
]
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "wal_level": "logical",
    "max_wal_senders": "10",
    "fsync": "off",
    "autovacuum": "off",
    "checkpoint_timeout": "1h",
    "timezone": "UTC",
}


@dataclass
class OwnServer:
    """A cluster in a folder; `server` connects to it while it runs."""

    home: Path
    server: Server
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        return self.home / "data"

    def start(self) -> None:
        """Start it; what is configured is told on the command line."""
        told = {**_SETTINGS, **self.settings, "port": str(self.server.port)}
        options = " ".join(f"-c {key}={value}" for key, value in told.items())
        self._ask("pg_ctl", "-w", "-l", str(self.server.log), "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it: `fast`, or `immediate` as a power cut does."""
        self._ask("pg_ctl", "-w", "-m", mode, "stop")

    def copied(self) -> Path:
        """A copy of the files of a server that does not run."""
        subprocess.run(["cp", "-a", self.data, self.home / "copied"], check=True)
        return self.home / "copied"

    def restore(self, copied: Path) -> None:
        """Take the copy's files in place of its own, while it does not run."""
        shutil.rmtree(self.data)
        copied.rename(self.data)

    def promoted(self) -> None:
        """Become another timeline, as a standby does that is promoted."""
        self.stop()
        (self.data / "standby.signal").touch()
        if user := _unprivileged():
            os.chown(self.data / "standby.signal", user.pw_uid, user.pw_gid)
        self.start()
        self._ask("pg_ctl", "-w", "promote")

    def _initialise(self) -> None:
        self._ask(
            "initdb", "--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8",
            "--locale=C",
        )  # fmt: skip

    def _ask(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [_HOME / program, "-D", self.data, *arguments],
            check=True, cwd=self.home, stdout=subprocess.DEVNULL, timeout=60,
            env=without("PGDATA", "LC_ALL", "LANG"), **_as_user(_unprivileged()),
        )  # fmt: skip


@cache
def _template() -> Path:
    """The files of a new cluster, made once in a process."""
    home = _home(stack := contextlib.ExitStack())
    atexit.register(stack.close)
    OwnServer(home, Server(0))._initialise()
    return home / "data"


def _home(stack: contextlib.ExitStack) -> Path:
    folder = tempfile.TemporaryDirectory(prefix="filtersql-own-", ignore_cleanup_errors=True)
    home = Path(stack.enter_context(folder))
    if user := _unprivileged():
        os.chown(home, user.pw_uid, user.pw_gid)
    return home


@contextlib.contextmanager
def own_server(*, fresh: bool = False, **settings: str) -> Iterator[OwnServer]:
    """A cluster of its own, removed at the end; all but `fresh` ones are one to their clients."""
    with contextlib.ExitStack() as stack:
        home = _home(stack)
        made = OwnServer(home, Server(free_port(), home / "log"), settings)
        if fresh:
            made._initialise()
        else:
            subprocess.run(["cp", "-a", _template(), made.data], check=True)
        made.start()
        try:
            yield made
        finally:
            with contextlib.suppress(subprocess.CalledProcessError):
                made.stop("immediate")
