"""The jars of Delta and Iceberg are resolved by one process at a time."""

from __future__ import annotations

import threading

import pytest

from filtersql.errors import Mistakes
from filtersql.exclusive import alone
from filtersql.targets.jars import COORDINATES, _resolved, cache_folder, jars


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


def test_a_jar_that_is_given_is_not_looked_for(tmp_path, monkeypatch) -> None:
    """Of any version, by its own name or with its group; another artifact is another jar."""
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(tmp_path))
    given = [
        tmp_path / "delta-spark_4.1_2.13-4.4.1.jar",
        tmp_path / "io.delta_delta-storage-4.4.0.jar",
        tmp_path / "delta-storage-s3-dynamodb-4.4.0.jar",
    ]
    folder = cache_folder()
    folder.mkdir()
    (folder / f"{COORDINATES[2].split(':')[1]}-{COORDINATES[2].split(':')[2]}.jar").touch()
    (cached,) = jars({}, given)
    assert cached.name.startswith("iceberg-spark-runtime")
    (folder / "delta-storage-4.4.0.jar").touch()
    assert {path.name for path in jars({}, [given[0], given[2]])} == {
        "delta-storage-4.4.0.jar",
        cached.name,
    }


def test_a_jar_is_found_where_java_is_at_home(tmp_path, monkeypatch) -> None:
    """HOME may be elsewhere, as in a container of a repository's checks."""
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    name = "io.delta_delta-storage-4.4.0.jar"
    path = tmp_path / ".ivy2.5.2" / "jars" / name
    path.parent.mkdir(parents=True)
    path.touch()
    assert _resolved(f"spark://192.0.2.1:7077/jars/{name}", name, {}, tmp_path) == path


def test_a_cache_that_cannot_be_made_is_named(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("FILTERSQL_CACHE_DIR", str(tmp_path / "file"))

    with pytest.raises(Mistakes, match="could not reach Spark"):
        jars({})
