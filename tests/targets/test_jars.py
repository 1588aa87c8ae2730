"""The jars of Delta and Iceberg are resolved by one process at a time."""

from __future__ import annotations

import threading

import pytest

from filtersql.errors import Mistakes
from filtersql.exclusive import alone
from filtersql.targets.jars import COORDINATES, cache_folder, jars


def test_a_process_waits_for_another_one_that_resolves_them(tmp_path, monkeypatch) -> None:
    """It finds the files of the other one, and asks no repository."""
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(tmp_path))
    folder = cache_folder()
    folder.mkdir()
    found: list[tuple[object, ...]] = []
    waiting = threading.Thread(target=lambda: found.append(jars({"spark.jars.ivy": "/nowhere"})))
    with alone(folder):
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        for coordinate in COORDINATES:
            _, artifact, version = coordinate.split(":")
            (folder / f"{artifact}-{version}.jar").touch()
    waiting.join()

    assert [len(paths) for paths in found] == [len(COORDINATES)]


def test_a_cache_that_cannot_be_made_is_named(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(tmp_path / "file"))

    with pytest.raises(Mistakes, match="could not reach Spark"):
        jars({})
