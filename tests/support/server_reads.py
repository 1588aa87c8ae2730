"""Files that servers see by URLs; see test_spark_servers, whose server it is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from running import SPAN, insert, table
from server_worlds import Place

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.targets.cluster import SparkCluster
from filtersql.targets.server_files import ServerFiles

__all__ = ["test_a_feed_that_the_server_sees_is_named_by_a_url", "test_files_come_as_they_are"]

_NAMES = ("a b.jsonl", "[1],{x}*?.jsonl", "100%25.jsonl", "é`'\\.jsonl")


@pytest.mark.parametrize("kind", ["thrift delta", "connect delta"])
def test_files_come_as_they_are(
    kind: str, at: Callable[[str], Place], tmp_path: Path, spark: SparkSession
) -> None:
    """Listed and copied byte by byte, whatever their names, as by a session of this process."""
    held = {name: random.Random(name).randbytes(len(name) * 9_999) for name in _NAMES}
    held["piece.jsonl"] = bytes(2**15)
    folder = tmp_path / "an [1] é"
    (folder / "within.jsonl").mkdir(parents=True)
    (folder / "within.jsonl" / "other.jsonl").write_bytes(b"not named")
    (folder / "_under way.jsonl").write_bytes(b"as Spark's own writers call it")
    for number, (name, data) in enumerate(held.items()):
        (folder / name).write_bytes(data)
        os.utime(folder / name, (number, number + 0.25))
    url = f"file://{tmp_path}/an ?1? é"
    store = at(kind).open().store

    found = store.files(f"{url}/*.jsonl")
    here = SparkCluster(spark).files(f"{url}/[!_]*.jsonl")
    assert sorted(found) == sorted(here)
    assert {Path(path).name for path, *_ in found} == set(held)
    copies = {path: tmp_path / str(number) for number, (path, *_) in enumerate(found)}
    store.fetch(copies)
    assert {Path(path).name: copy.read_bytes() for path, copy in copies.items()} == held

    assert store.files(f"{url}/*.json") == []
    with pytest.raises(Mistakes, match="folders inside of braces"):
        store.files(f"{url}/{{a/b,c}}.jsonl")
    (folder / "piece.jsonl").unlink()
    with pytest.raises(Mistakes) as refused:
        store.fetch(copies)
    (wrong,) = refused.value.mistakes
    assert 'piece.jsonl" was changed or removed while it was read' in wrong.message


@pytest.mark.parametrize("kind", ["thrift delta", "connect delta"])
def test_a_feed_that_the_server_sees_is_named_by_a_url(
    kind: str, at: Callable[[str], Place], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are applied once, and its files are not read again."""
    place = at(kind)
    world = place.world.publish(table("t1", a="int4!", b="text"), "{p}a > 1")
    world.subscribe(changes=Feed(SPAN, path=f"file://{tmp_path}/changes/*.jsonl"))
    world.feed([insert("t1", a=each, b="x") for each in range(3)])
    engine = place.open()
    asked: list[dict[str, Path]] = []
    fetch = ServerFiles.fetch
    monkeypatch.setattr(
        ServerFiles, "fetch", lambda store, copies: asked.append(copies) or fetch(store, copies)
    )
    assert world.run(engine).results[0].rows_inserted == 1
    world.feed([{"seq": 4, **insert("t1", a=4, b="x")}], name="2")
    assert world.run(engine).results[0].rows_inserted == 1
    assert [[Path(url).name for url in copies] for copies in asked] == [["1.jsonl"], ["2.jsonl"]]
