"""A PostgreSQL 15 with pglogical 2.4, from Debian's package `postgresql-15-pglogical`, for tests.

Example
    >>> with serve_pglogical() as server:                              # doctest: +SKIP
    ...     provider, subscriber = nodes(server)

Provider and subscriber are databases of one cluster. Where the package is not installed, `missing`
says so in a sentence.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from own_servers import own_server
from servers import Server

__all__ = [
    "CopyFailed",
    "ask",
    "caught_up",
    "missing",
    "nodes",
    "serve_installed",
    "serve_pglogical",
    "subscribe",
]

Found = TypeVar("Found")

_PLUGIN = Path("/usr/lib/postgresql/15/lib/pglogical.so")
_SETTINGS = {
    "max_wal_senders": "60",
    "max_replication_slots": "60",
    "max_worker_processes": "200",
    "track_commit_timestamp": "on",
    "pglogical.conflict_log_level": "log",
    "full_page_writes": "off",
}


#: seconds in which something must move: pglogical itself looks for work once in 180 s at the latest
_STILL = 240.0


class CopyFailed(Exception):
    """The worker of a subscription broke off its copy, and again when it was tried once more."""


def missing() -> str | None:
    """Why pglogical cannot be asked here, or None."""
    if _PLUGIN.exists():
        return None
    return "postgresql-15-pglogical is not installed (apt-get install postgresql-15-pglogical)"


def serve_pglogical() -> contextlib.AbstractContextManager[Server]:
    """A cluster of its own with pglogical."""
    return serve_installed({"shared_preload_libraries": "pglogical"})


@contextlib.contextmanager
def serve_installed(more: Mapping[str, str]) -> Iterator[Server]:
    """A cluster of Debian's PostgreSQL 15 in a temporary folder, removed at the end."""
    with own_server(**_SETTINGS, **more) as own:
        _allow_plugins(own.server)
        yield own.server


def _allow_plugins(server: Server) -> None:
    """PostgreSQL 15.20 and later name the output plugins that a slot may have."""
    with server.connect() as connection:
        known = "SELECT FROM pg_settings WHERE name = 'output_plugin_libraries'"
        if connection.execute(known).fetchone() is not None:
            plugins = "pgoutput, wal2json, pglogical_output"
            connection.execute(f"ALTER SYSTEM SET output_plugin_libraries = {plugins}")
            connection.execute("SELECT pg_reload_conf()")


def nodes(server: Server) -> tuple[str, str]:
    """A provider's and a subscriber's database, each a node of pglogical."""
    names = server.create_database("provider"), server.create_database("subscriber")
    for name in names:
        with server.connect(name) as connection:
            connection.execute("CREATE EXTENSION pglogical")
            connection.execute("SELECT pglogical.create_node(%s, %s)", (name, server.url(name)))
    return names


def subscribe(server: Server, provider: str, subscriber: str, sets: list[str]) -> None:
    """Subscribe, and wait until every table was copied; CopyFailed where that cannot be."""
    with server.connect(subscriber) as connection:
        connection.execute(
            "SELECT pglogical.create_subscription('sub', %s, %s, false, true, '{}')",
            (server.url(provider), sets),
        )
        named = ask(
            connection,
            "SELECT format('\"pglogical apply %%s:%%s\" ', oid, sub_id)"
            " FROM pg_database, pglogical.subscription WHERE datname = current_database()",
        )
        for status, _ in _while_moving(lambda: _copying(server, connection, named[0][0])):
            if status == "replicating":
                break
        connection.execute("SELECT pglogical.wait_for_subscription_sync_complete('sub')")


def _copying(server: Server, connection: psycopg.Connection[Any], worker: str) -> tuple[Any, ...]:
    """How far the copy is: the status, and all that moves while it is at work."""
    assert server.log
    log = server.log.read_text(errors="replace")
    ends = [line for line in log.splitlines() if worker in line and " exited with " in line]
    if len(ends) > 1:
        raise CopyFailed(log[-2000:])
    status = ask(connection, "SELECT status FROM pglogical.show_subscription_status('sub')")
    steps = "SELECT sync_nspname, sync_relname, sync_status FROM pglogical.local_sync_status"
    return status[0][0], [*ask(connection, f"{steps} ORDER BY 1, 2"), len(log)]


def caught_up(server: Server, provider: str, subscriber: str) -> bool:
    """Wait until the subscriber has everything; False where its apply worker gave up."""
    with server.connect(provider) as source, server.connect(subscriber) as target:
        position = ask(source, "SELECT pg_current_wal_insert_lsn()")[0][0]

        def reached() -> list[tuple[Any, ...]]:
            return ask(
                source,
                "SELECT confirmed_flush_lsn >= %s::pg_lsn, confirmed_flush_lsn::text"
                " FROM pg_replication_slots"
                " WHERE database = %s AND plugin = 'pglogical_output'",
                position,
                provider,
            )

        for slots in _while_moving(reached):
            if slots and all(row[0] for row in slots):
                return True
            status = ask(target, "SELECT status FROM pglogical.show_subscription_status('sub')")
            if status and status[0][0] == "down":
                return False
    raise AssertionError("unreachable: _while_moving() ends by raising")


def _while_moving(look: Callable[[], Found]) -> Iterator[Found]:
    """What is seen, again and again; on a busy machine for as long as anything of it moves."""
    before, moved = look(), time.monotonic()
    yield before
    while time.monotonic() - moved < _STILL:
        time.sleep(0.05)
        found = look()
        if found != before:
            before, moved = found, time.monotonic()
        yield found
    raise TimeoutError(f"nothing moved for {_STILL:.0f} s: {before}")


def ask(connection: psycopg.Connection[Any], query: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    return connection.execute(query, values).fetchall()
