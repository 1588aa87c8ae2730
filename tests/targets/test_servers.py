"""The PostgreSQL that the tests start is what they take it for."""

from __future__ import annotations

import pytest
from servers import Server

pytestmark = pytest.mark.postgres


def test_server_is_postgresql_18_with_logical_decoding(postgres: Server) -> None:
    """It is version 18 with the builtin C.UTF-8 locale and logical decoding."""
    with postgres.connect(postgres.create_database()) as connection:
        found = connection.execute(
            "SELECT current_setting('server_version_num')::int / 10000,"
            " current_setting('wal_level'), datlocprovider::text, datlocale"
            " FROM pg_database WHERE datname = current_database()"
        ).fetchone()

    assert found == (18, "logical", "b", "C.UTF-8")


def test_databases_are_separate(postgres: Server) -> None:
    """Each database is empty and has a name of its own."""
    first, second = postgres.create_database(), postgres.create_database()
    with postgres.connect(first) as connection:
        connection.execute("CREATE TABLE t (a int)")
    with postgres.connect(second) as connection:
        found = connection.execute("SELECT to_regclass('t')").fetchone()

    assert first != second
    assert found == (None,)
