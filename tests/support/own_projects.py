"""Fixtures: a PostgreSQL 15 that a test may harm, and a project whose source it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from live_projects import LiveProject
from own_servers import OwnServer, own_server

__all__ = ["own", "project"]


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
