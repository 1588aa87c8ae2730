"""Fixtures of a test's own: a PostgreSQL 15, a project whose source it is, DuckDB, killed runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from crashes import Runner
from live_projects import LiveProject
from one_by_one import OneByOne
from own_servers import OwnServer, own_server

from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect

__all__ = ["engine", "own", "project", "runner", "used"]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[DuckDB]:
    """A file of DuckDB."""
    engine = connect(tmp_path / "x.duckdb")
    yield engine
    engine.close()


@pytest.fixture(params=["transaction", "marks"])
def used(engine: DuckDB, request: pytest.FixtureRequest) -> DuckDB:
    """What commits all at once, and what commits and marks table by table."""
    return OneByOne(engine.connection) if request.param == "marks" else engine


@pytest.fixture
def runner() -> Iterator[Runner]:
    """Commands in processes that may be killed."""
    runner = Runner()
    yield runner
    runner.close()


@pytest.fixture
def own() -> Iterator[OwnServer]:
    """A server that a test may harm."""
    with own_server() as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, own: OwnServer) -> LiveProject:
    """Some rows, captured and run once."""
    made = LiveProject.made(tmp_path, own.server)
    made.sql("INSERT INTO items SELECT g, 'k', 'n' FROM generate_series(1, 50) g")
    made.capture("--create")
    made.goes("run")
    return made
