"""How values are printed in a session, whatever the server, the role or the dsn say.

Example
    as_it_is(connection)        dates are 2026-11-27, bytes \\x00ff, moments in UTC, and so on

PostgreSQL
    src/backend/replication/libpqwalreceiver/libpqwalreceiver.c, libpqrcv_connect().
"""

from __future__ import annotations

from psycopg import sql

from filtersql.postgres.connection import Connection, major_version

__all__ = ["as_it_is"]

_SETTINGS = {
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "timezone": "UTC",
    "extra_float_digits": "3",
    "bytea_output": "hex",
    "lc_monetary": "C",
    "client_encoding": "UTF8",
    # names, in types that print some, have their schemas
    "search_path": "pg_catalog",
    # a policy that would hide rows is an error
    "row_security": "off",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",
}
_SINCE_17 = {"transaction_timeout": "0"}


def as_it_is(connection: Connection) -> None:
    """Settings under which each value has one text, and no row is left out."""
    newer = _SINCE_17 if major_version(connection) >= 17 else {}
    for name, value in {**_SETTINGS, **newer}.items():
        connection.execute(sql.SQL("SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
