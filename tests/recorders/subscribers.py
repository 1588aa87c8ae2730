"""Live subscriptions to a publisher in the same cluster."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from psycopg import Connection, sql
from shop import Subscribed

if TYPE_CHECKING:
    from servers import Server

__all__ = ["create_slot", "subscribed", "wait"]

_READY = "SELECT count(*) > 0 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel"
_PATIENCE = 180.0


@contextlib.contextmanager
def subscribed(
    server: Server, publisher: str, subscriptions: Mapping[str, Subscribed]
) -> Iterator[dict[str, str]]:
    """A database and a live subscription for each: the name of the database, slot and subscription.

    The slot is made by hand: CREATE SUBSCRIPTION would wait for its own transaction to end where
    publisher and subscriber are one cluster.
    """
    databases: dict[str, str] = {}
    try:
        for name, wanted in subscriptions.items():
            database = server.create_database(f"subscriber_{name}")
            with server.connect(publisher) as source:
                create_slot(source, database)
            with server.connect(database) as connection:
                connection.execute(wanted.ddl)
                connection.execute(_subscription(server, publisher, database, wanted))
                databases[name] = database
                wait(connection, f"{name}'s initial copy", _READY)
        yield databases
    finally:
        for database in databases.values():
            with server.connect(database) as connection:
                _drop(connection, database)
            server.drop_database(database)


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
