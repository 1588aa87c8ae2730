"""Files that servers see by URLs; see test_spark_servers, whose server it is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from bronze import bronze_feed, kept
from landing_files import WRITERS, Change, fed
from noting import noting
from pyspark.sql import SparkSession
from running import SPAN, insert, table
from server_worlds import Place

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.feeds import portions
from filtersql.run import feed_reading, sources, spread_feeds
from filtersql.targets import server_work
from filtersql.targets.cluster import SparkCluster
from filtersql.targets.remote import Remote
from filtersql.targets.server_cluster import ServerCluster
from filtersql.targets.server_files import ServerFiles

__all__ = [
    "test_a_feed_that_the_server_sees_is_named_by_a_url",
    "test_answers_of_a_server_are_records",
    "test_executors_of_a_server_read_a_table",
    "test_executors_of_a_server_read_messages",
    "test_executors_of_a_server_read_what_is_shared",
    "test_files_come_as_they_are",
]

_SERVERS = pytest.mark.parametrize("kind", ["thrift iceberg", "connect iceberg"])
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


@pytest.mark.parametrize(
    "kind", ["thrift delta", pytest.param("connect delta", marks=pytest.mark.long)]
)
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
        ServerFiles,
        "fetch",
        lambda store, copies: asked.append(copies) or fetch(store, copies),
    )
    assert world.run(engine).results[0].rows_inserted == 1
    world.feed([{"seq": 4, **insert("t1", a=4, b="x")}], name="2")
    assert world.run(engine).results[0].rows_inserted == 1
    assert [[Path(url).name for url in copies] for copies in asked] == [["1.jsonl"], ["2.jsonl"]]


@pytest.fixture
def spread(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is small is cut into portions; which functions read it on executors."""
    monkeypatch.setattr(spread_feeds, "_ROWS", 9)
    monkeypatch.setattr(portions, "_BYTES", 700)
    used: list[str] = []
    monkeypatch.setattr(ServerCluster, "copied", noting(ServerCluster.copied, used))
    spreading = (
        (feed_reading, "spread_feed"),
        (sources, "spread_source"),
        (feed_reading, "spread_table"),
    )
    for module, name in spreading:
        monkeypatch.setattr(module, name, noting(getattr(module, name), used))
    return used


@_SERVERS
def test_executors_of_a_server_read_what_is_shared(
    kind: str,
    at: Callable[[str], Place],
    tmp_path: Path,
    spread: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Files in `staging_path`, and those of a URL, which they copy there; no others.

    Nor any where they have another version; then one reader reads them.
    """
    place = at(kind)
    world = place.world.publish(table("t1", a="int4!", b="text"), "{p}a > 5")
    world.source(path="shared/source/{table}.jsonl")
    world.write("shared/source/t1.jsonl", [{"a": a, "b": "x"} for a in range(50)])
    world.subscribe(changes=Feed(SPAN, path="shared/changes/*.jsonl"))
    changes = [{"seq": a, "tx": str(a // 7), **insert("t1", a=a, b="é")} for a in range(100, 200)]
    world.write("shared/changes/1.jsonl", changes)
    engine = place.open(staging_path="shared")
    (first,) = world.run(engine).results
    assert (first.rows_inserted, first.position) == (44 + 100, 199)
    assert spread == ["spread_feed", "spread_source"]
    asked = f"SELECT b, COUNT(*), MIN(a), MAX(a) FROM {engine.table_sql(('s1', 't1'))} GROUP BY b"
    assert sorted(engine.rows(asked)) == [("x", 44, 6, 49), ("é", 100, 100, 199)]

    world.subscribe(changes=Feed(SPAN, path=f"file://{tmp_path}/shared/changes/*.jsonl"))
    world.write("shared/changes/2.jsonl", [{"seq": 300, **insert("t1", a=300, b="x")}])
    assert world.run(engine).results[0].rows_inserted == 1
    wrong = {"seq": 400, **insert("t1", a="x", b="x")}
    world.write("shared/changes/3.jsonl", [wrong])
    (mistake,) = world.run(engine).mistakes
    assert "3.jsonl:1" in str(mistake)
    (tmp_path / "shared/changes/3.jsonl").unlink()
    assert spread == ["spread_feed", "spread_source", "copied", "spread_feed", "copied"]

    spread.clear()
    world.subscribe(changes=Feed(SPAN, path="changes/*.jsonl"))
    world.feed([{"seq": 500, **insert("t1", a=500, b="x")}], name="4")
    assert world.run(engine).results[0].rows_inserted == 1
    monkeypatch.setattr(server_work, "__version__", "0.0.1")
    world.subscribe(changes=Feed(SPAN, path="shared/changes/*.jsonl"))
    world.write("shared/changes/5.jsonl", [{"seq": 600, **insert("t1", a=600, b="x")}])
    assert world.run(engine).results[0].rows_inserted == 1
    assert spread == []
    left = {path.name for path in (tmp_path / "shared").iterdir()}
    assert left == {"source", "changes"}


@_SERVERS
def test_executors_of_a_server_read_a_table(
    kind: str, at: Callable[[str], Place], spread: list[str]
) -> None:
    """No row of it comes here."""
    place = at(kind)
    world = place.world.publish(table("t1", a="int4!", b="text"), "{p}a > 5")
    world.subscribe(changes=Feed(SPAN, table="lake.s1.t2"))
    engine = place.open(staging_path="shared")
    engine.create(("s1", "t2"), "seq BIGINT, op STRING, relation STRING, after STRING", {})
    engine.execute(
        "INSERT INTO lake.s1.t2 SELECT id, 'insert', 'public.t1', "
        "TO_JSON(NAMED_STRUCT('a', id, 'b', 'x')) FROM RANGE(1, 51)"
    )
    (first,) = world.run(engine).results
    assert (first.rows_inserted, first.position) == (45, 50)
    assert spread == ["spread_table"]


@_SERVERS
def test_executors_of_a_server_read_messages(
    kind: str, at: Callable[[str], Place], spread: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them comes here where the server sees a folder of this machine."""
    place = at(kind)
    world = fed(place.world, "debezium").subscribe(changes=bronze_feed("lake.s1.m"))
    engine = place.open(staging_path="shared")
    for name in "tum":
        engine.drop(("s1", name))
    engine.create(("s1", "m"), "topic STRING, part INT, place BIGINT, value BINARY", {})
    fetched: list[str] = []
    monkeypatch.setattr(Remote, "stream", noting(Remote.stream, fetched))

    def brought(*changes: Change) -> None:
        for one in changes:
            message = "t", 0, 2**17 + one.at, WRITERS["debezium"]("t", one)
            kept(engine, "lake.s1.m", "BINARY", [message])

    brought(Change(1, 10), Change(2, 11))
    assert [one.rows_inserted for one in world.run(engine).results] == [2, 0]
    assert (spread, fetched) == (["spread_feed"], [])
    brought(Change(1, 12, "d"), Change(3, 13))
    del place.output.settings["staging_path"]
    engine = place.open()
    assert world.run(engine).mistakes == ()
    assert fetched == ["stream"]
    asked = f"SELECT id, v FROM {engine.table_sql(('s1', 't'))} ORDER BY id"
    assert engine.rows(asked) == [(2, "11.0"), (3, "13.0")]


@_SERVERS
def test_answers_of_a_server_are_records(
    kind: str, at: Callable[[str], Place], tmp_path: Path
) -> None:
    """What else comes back is no answer: nothing of it is called here."""
    cluster = at(kind).open(staging_path=str(tmp_path)).cluster
    assert cluster is not None
    assert cluster.answers(str.upper, ["a", "b"]) == ["A", "B"]
    assert cluster.answers(Path, ["a"]) is None
