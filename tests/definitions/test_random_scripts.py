"""Random DDL: a real PostgreSQL and filtersql refuse the same statements in the same words.

What both accept leaves the same tables, publications, entries and pg_publication_tables behind.
FILTERSQL_SCRIPTS says how many scripts there are;
`python tests/support/random_scripts.py` is the soak.
"""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest
from random_scripts import differences
from servers import Server

pytestmark = pytest.mark.postgres

SCRIPTS = int(os.environ.get("FILTERSQL_SCRIPTS", "8"))


def agree(connection: psycopg.Connection[object], folder: Path, version: int) -> None:
    """Every answer of every script."""
    answers = 0
    for number in range(SCRIPTS):
        for found in differences(connection, folder, f"test/{number}", version):
            assert found is None, str(found)
            answers += 1
    assert answers > 5 * SCRIPTS


def test_scripts_of_18(postgres: Server, tmp_path: Path) -> None:
    """On the version that filtersql assumes."""
    with postgres.connect(postgres.create_database("scripts")) as connection:
        agree(connection, tmp_path, 18)


def test_scripts_of_older(older: tuple[Server, int], tmp_path: Path) -> None:
    """On the older versions."""
    server, version = older
    with server.connect(server.create_database("scripts")) as connection:
        agree(connection, tmp_path, version)
