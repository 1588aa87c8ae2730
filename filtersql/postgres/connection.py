"""Connections to a live source. libpq reads the dsn, service and pgpass files, and speaks TLS.

Example
    with connect(source) as connection, told(source):
        connection.execute("SELECT 1")
    with read_only(source) as connection: …                one snapshot, nothing can be written
    with connect(source, replication=True) as connection:  START_REPLICATION may be said

Nothing here prints a dsn: libpq's words are shown without the password, and not at all where they
are about the dsn itself.

PostgreSQL
    fe-connect.c
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow

from filtersql.errors import Mistakes, Notice
from filtersql.errors.concealing import conceal
from filtersql.errors.live import (
    CONNECTION_LOST,
    NOT_A_DSN,
    NOT_POSTGRESQL,
    QUERY_REFUSED,
    SERVER_TOO_OLD,
    UNREACHABLE_SOURCE,
    Unavailable,
)
from filtersql.names import RelationName
from filtersql.project.live_sources import LiveSource
from filtersql.project.settings import VERSIONS

__all__ = [
    "Connection",
    "connect",
    "has_table",
    "major_version",
    "newer_than_known",
    "read_only",
    "told",
]

Connection = psycopg.Connection[TupleRow]

#: how definitions are printed, as pg_dump sets it, and the zone in which timestamps are
_PRINTING = {
    "search_path": "",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "extra_float_digits": "3",
    "bytea_output": "hex",
    "timezone": "UTC",
    "quote_all_identifiers": "off",
    "standard_conforming_strings": "on",
}

_IS_UP = "Compare host and port of the dsn with the server's, and that it is up."
#: what libpq or the server says of a connection that fails, and what mends it
_REMEDIES = (
    (
        r"password authentication failed|no password supplied",
        "Compare user and password with the server's; it says the same of a password that is past "
        "its VALID UNTIL. A pgpass file must be readable by its owner alone.",
    ),
    (
        r"no pg_hba\.conf entry",
        "The server's pg_hba.conf must let this user, database and host in, for replication too.",
    ),
    (
        r"certificate|SSL|TLS",
        "sslmode, sslrootcert, sslcert and sslkey of the dsn say how TLS is spoken; "
        "sslrootcert=system trusts the system's authorities.",
    ),
    (r"definition of service", "PGSERVICEFILE or ~/.pg_service.conf holds services."),
    (r'database ".*" does not exist|role ".*" does not exist', "Compare the dsn with the server."),
    (r"expected authentication request|invalid response", "Is it a PostgreSQL that listens there?"),
    (
        r"refused|resolve|translate|[Tt]imeout|timed out|No such file|unreachable",
        _IS_UP,
    ),
    (
        r"number of requested standby|max_wal_senders|replication",
        "The role needs REPLICATION, and the server wal_level = logical and a free wal sender.",
    ),
)

#: milliseconds in which a network that is cut is noticed
_UNHEARD = "60000"


def connect(source: LiveSource, *, replication: bool = False) -> Connection:
    """A connection, each statement of which is a transaction of its own.

    With `replication` it takes replication commands, too. Raises Mistakes; Unavailable where the
    server may only be down.
    """
    if source.unset:
        raise Mistakes(source.unset)
    settings = _settings(source)
    if replication:
        settings = {"tcp_user_timeout": _UNHEARD, **settings, "replication": "database"}
    try:
        connection = psycopg.connect(
            autocommit=True,
            fallback_application_name="filtersql",
            client_encoding="UTF8",
            **settings,  # type: ignore[arg-type]  # libpq's settings are texts
        )
    except psycopg.Error as error:
        reason = _reason(error)
        remedy = next((hint for words, hint in _REMEDIES if re.search(words, reason)), None)
        wrong = UNREACHABLE_SOURCE(source.span, source=source.name, reason=reason, remedy=remedy)
        raise (Unavailable if remedy in (None, _IS_UP) else Mistakes)([wrong]) from None
    _check_server(source, connection)
    return connection


@contextmanager
def read_only(source: LiveSource) -> Iterator[Connection]:
    """A connection in one transaction that sees one snapshot and writes nothing.

    Names are printed with their schemas, values alike whatever a role or database has set. Raises
    Mistakes.
    """
    with connect(source) as connection, told(source):
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        # In the transaction: a pooler may give each its own session.
        for name, value in _PRINTING.items():
            connection.execute("SELECT set_config(%s, %s, true)", (name, value))
        yield connection


@contextmanager
def told(source: LiveSource) -> Iterator[None]:
    """What psycopg raises within becomes Mistakes; Unavailable where it may pass by itself."""
    try:
        yield
    except psycopg.Error as error:
        refused = error.sqlstate is not None and error.sqlstate[:2] not in ("08", "57")
        reason = _reason(error)
        wrong = (QUERY_REFUSED if refused else CONNECTION_LOST)(source=source.name, reason=reason)
        # The server may not have noticed yet that the reader of a slot is gone.
        passes = not refused or isinstance(error, psycopg.errors.ObjectInUse)
        raise (Unavailable if passes else Mistakes)([wrong]) from None


def major_version(connection: Connection) -> int:
    """The server's, 15 and later."""
    return connection.info.server_version // 10000


def has_table(connection: Connection, name: RelationName) -> bool:
    """Whether the server has a table of this name."""
    found = "SELECT FROM pg_catalog.pg_tables WHERE schemaname = %s AND tablename = %s"
    return connection.execute(found, (name.schema, name.name)).fetchone() is not None


def newer_than_known(source: LiveSource, connection: Connection) -> tuple[Notice, ...]:
    """A warning where the server is newer than any whose rules filtersql knows."""
    version, newest = major_version(connection), VERSIONS[-1]
    if version <= newest:
        return ()
    message = f'source "{source.name}" is PostgreSQL {version}'
    return (
        Notice(
            "newer-postgresql",
            message,
            detail=f"Its rules are taken to be those of PostgreSQL {newest}.",
        ),
    )


def _settings(source: LiveSource) -> dict[str, str]:
    """What the dsn says. Raises Mistakes, without libpq's words, where it cannot be read."""
    try:
        found = {key: str(value) for key, value in conninfo_to_dict(source.dsn).items()}
    except psycopg.Error:
        raise Mistakes([NOT_A_DSN(source.span, source=source.name)]) from None
    for secret in (*map(found.get, ("password", "sslpassword")), os.environ.get("PGPASSWORD")):
        if secret:
            conceal(secret)
    # A password in a URL that is not encoded is taken for a part of the host, port or database.
    host, port, name = (found.get(key, "") for key in ("host", "port", "dbname"))
    astray = "://" in source.dsn and ("@" in host or "@" in name)
    if astray or not re.fullmatch(r"[0-9,]*", port):
        raise Mistakes([NOT_A_DSN(source.span, source=source.name)])
    return found


def _reason(error: psycopg.Error) -> str:
    """The first thing that is said: libpq repeats itself for each of a host's addresses."""
    text = str(error.diag.message_primary or error).split("\n")[0]
    return re.sub(r"^connection failed: |FATAL: +", "", text).strip()


def _check_server(source: LiveSource, connection: Connection) -> None:
    with told(source):
        row = connection.execute("SELECT version()").fetchone()
    version = str(row[0]) if row else ""
    words = version.split(" on ")[0]
    # Others speak its protocol.
    known = words.startswith("PostgreSQL ")
    if known and major_version(connection) >= VERSIONS[0]:
        return
    connection.close()
    wrong = (
        SERVER_TOO_OLD(source.span, source=source.name, version=words.removeprefix("PostgreSQL "))
        if known
        else NOT_POSTGRESQL(source.span, source=source.name, version=words)
    )
    raise Mistakes([wrong])
