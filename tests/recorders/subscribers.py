"""Live subscriptions to a publisher in the same cluster."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import Connection, sql
from shop import Subscribed

if TYPE_CHECKING:
    from servers import Server

__all__ = ["CopyFails", "carry_out", "caught_up", "create_slot", "subscribed", "wait"]

_READY = "SELECT count(*) > 0 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel"
_FAILED = (
    "SELECT coalesce(sum(sync_error_count), 0) FROM pg_stat_subscription_stats WHERE subname = %s"
)
_PATIENCE, _RETRIES = 180.0, 1


@contextlib.contextmanager
def subscribed(
    server: Server,
    publisher: str,
    subscriptions: Mapping[str, Subscribed],
    source: Server | None = None,
) -> Iterator[dict[str, str]]:
    """A database and a live subscription for each: the name of the database, slot and subscription.

    The slot is made by hand: CREATE SUBSCRIPTION would wait for its own transaction to end where
    publisher and subscriber are one cluster. `source` is the publisher's where they are two.
    """
    source = source or server
    databases: dict[str, str] = {}
    try:
        for name, wanted in subscriptions.items():
            database = server.create_database(f"subscriber_{name}")
            with source.connect(publisher) as connection:
                create_slot(connection, database)
            with server.connect(database) as connection:
                connection.execute(wanted.ddl)
                connection.execute(_subscription(source, publisher, database, wanted))
                databases[name] = database
                _wait_for_copy(server, connection, database)
        yield databases
    finally:
        for database in databases.values():
            with server.connect(database) as connection:
                _drop(connection, database)
            server.drop_database(database)


def carry_out(
    connection: Connection[Any],
    transactions: Iterable[Iterable[str]],
    *refused: type[psycopg.Error],
) -> None:
    """Each list as a transaction; a statement that is refused so is left out."""
    for statements in transactions:
        with connection.transaction():
            for statement in statements:
                with contextlib.suppress(*refused), connection.transaction():
                    connection.execute(statement.encode())


def create_slot(connection: Connection[Any], name: str) -> None:
    """A logical slot of pgoutput in the connection's database."""
    connection.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", (name,))


def wait(connection: Connection[Any], what: str, query: str, values: tuple[Any, ...] = ()) -> None:
    """Ask until the answer is true."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        row = connection.execute(query, values).fetchone()
        if row and row[0]:
            return
        assert time.monotonic() < deadline, f"waited {_PATIENCE:.0f} s for {what}"
        time.sleep(0.1)


class CopyFails(Exception):
    """The initial copy stops with an error again and again; the server's log says which."""


def caught_up(server: Server, publisher: Connection[Any], database: str) -> bool:
    """Wait until a subscriber has everything; False where it gave up."""
    (position,) = publisher.execute("SELECT pg_current_wal_insert_lsn()").fetchone() or ("",)
    deadline = time.monotonic() + 60
    with server.connect(database) as subscriber:
        while time.monotonic() < deadline:
            reached = publisher.execute(
                "SELECT confirmed_flush_lsn >= %s::pg_lsn FROM pg_replication_slots"
                " WHERE slot_name = %s",
                (position, database),
            ).fetchone()
            if reached and reached[0]:
                return True
            errors = subscriber.execute(
                "SELECT sum(apply_error_count) FROM pg_stat_subscription_stats s"
                " JOIN pg_subscription USING (subname) WHERE subdbid ="
                " (SELECT oid FROM pg_database WHERE datname = current_database())"
            ).fetchone()
            if errors and errors[0]:
                return False
            time.sleep(0.02)
    raise AssertionError(f"{database} neither caught up nor stopped")


def _wait_for_copy(server: Server, connection: Connection[Any], name: str) -> None:
    """Wait until every table was copied."""
    deadline = time.monotonic() + _PATIENCE
    while connection.execute(_READY).fetchone() != (True,):
        (failures,) = connection.execute(_FAILED, (name,)).fetchone() or (0,)
        if failures > _RETRIES or time.monotonic() > deadline:
            lines = server.log.read_text(errors="replace").splitlines() if server.log else []
            raise CopyFails("\n".join([name, *[line for line in lines if "ERROR:" in line][-3:]]))
        time.sleep(0.1)


def _subscription(
    server: Server, publisher: str, database: str, wanted: Subscribed
) -> sql.Composed:
    return sql.SQL(
        "CREATE SUBSCRIPTION {} CONNECTION {} PUBLICATION {}"
        " WITH (create_slot = false, slot_name = {}, copy_data = true)"
    ).format(
        sql.Identifier(database),
        sql.Literal(server.url(publisher)),
        sql.SQL(", ").join(map(sql.Identifier, wanted.publications)),
        sql.Literal(database),
    )


def _drop(connection: Connection[Any], database: str) -> None:
    name = sql.Identifier(database)
    connection.execute(sql.SQL("ALTER SUBSCRIPTION {} DISABLE").format(name))
    connection.execute(sql.SQL("ALTER SUBSCRIPTION {} SET (slot_name = NONE)").format(name))
    connection.execute(sql.SQL("DROP SUBSCRIPTION {}").format(name))
