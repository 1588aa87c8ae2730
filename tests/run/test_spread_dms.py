"""Feeds of DMS in portions of whole files: what one reader tells, or they are left to that."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pyarrow
import pytest
from feed_histories import dms, history
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from portioned import SETTINGS, PortionedFeed, read_in_portions
from pyarrow import csv, parquet
from running import SPAN, World, table
from test_targets_spark import output

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.definitions.model import Feed
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

_OPTIONS = {"sequence": "at", "before_image": "true", "csv_null_value": "\\N"}


def dms_world(root: Path, *engine: str) -> World:
    """Two tables, one of them with a filter, whose changes and full load DMS wrote."""
    world = World(root, *engine)
    feed = Feed(SPAN, "dms", "changes/*/*/*", options=_OPTIONS)
    for name, where in (("t", "{p}v = 'eu'"), ("u", None)):
        one = table(name, key=("id",), id="int4!", v="text", n="numeric(10,2)")
        full = replace(one, replica_identity=ReplicaIdentity(Identity.FULL))
        world.subscribe(changes=feed).publish(full, where)
    return world


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> PortionedFeed:
    return PortionedFeed(dms_world(tmp_path_factory.mktemp("portions")))


def written(seed: int, length: int, cut: random.Random) -> dict[str, bytes]:
    """Two histories in files, each behind a full load; some files are Parquet."""
    files: dict[str, bytes] = {}
    for name in ("t", "u"):
        loaded = [f"{100 + n},eu,1.00" for n in range(cut.randint(0, 7))]
        for number, rows in enumerate((loaded[:3], loaded[3:]), 1):
            if rows:
                text = "\n".join(["id,v,n", *rows, ""]).encode()
                files[f"public/{name}/LOAD0000000{number}.csv"] = text
        changes = history(seed, length, fixed_keys=False, truncates=False)
        header, *rows = dms(changes, old_rows=True).splitlines()
        seed += 1
        while rows:
            size = cut.randint(1, len(rows))
            text = "\n".join([header, *rows[:size], ""]).encode()
            files[f"public/{name}/2026-{length - len(rows):05}.csv"] = text
            rows = rows[size:]
        if cut.random() < 0.3:
            name, text = files.popitem()
            files[name.replace(".csv", ".parquet")] = _parquet(text)
    return files


def _parquet(text: bytes) -> bytes:
    names = text.decode().splitlines()[0].split(",")
    kinds = dict.fromkeys(names, pyarrow.string())
    options = csv.ConvertOptions(column_types=kinds, null_values=["\\N"], strings_can_be_null=True)
    kept = pyarrow.BufferOutputStream()
    parquet.write_table(csv.read_csv(io.BytesIO(text), convert_options=options), kept)
    return kept.getvalue().to_pybytes()


_HISTORIES = st.tuples(st.integers(0, 10_000), st.integers(1, 40))


@SETTINGS
@given(_HISTORIES, st.integers(50, 3000), st.randoms(use_true_random=False))
def test_a_usual_feed_needs_no_other_reader(
    feeds: PortionedFeed, drawn: tuple[int, int], size: int, rng: random.Random
) -> None:
    """Changes of one hundredth of a second stand in one order, whatever files they are in."""
    feeds.write_named(written(*drawn, rng))
    expected = feeds.by_one(feeds.landings(None))
    assert feeds.in_portions(feeds.landings(None), size) == expected


@SETTINGS
@given(_HISTORIES, st.integers(50, 3000), st.randoms(use_true_random=False))
def test_portions_tell_what_one_reader_tells(
    feeds: PortionedFeed, drawn: tuple[int, int], size: int, rng: random.Random
) -> None:
    """Of files that are missing, damaged or in another order, and wherever targets stand."""
    files = written(*drawn, rng)
    feeds.write_named(files)
    whole = feeds.by_one(feeds.landings(None))
    position = rng.choice([None, None, *whole[0][2]])
    lost = rng.choice([[], [], rng.sample([*files], 1)])
    kept = {name: text for name, text in files.items() if name not in lost}
    if position is not None and rng.random() < 0.8:
        kept = {name: text for name, text in kept.items() if "LOAD" not in name}
    if kept and rng.random() < 0.2:
        name = rng.choice([*kept])
        kept[name] = kept[name][:-7]
    if len(kept) > 1 and rng.random() < 0.2:
        one, other = rng.sample([*kept], 2)
        kept[one], kept[other] = kept[other], kept[one]
    if not kept:
        return
    feeds.write_named(kept)
    expected = feeds.by_one(feeds.landings(position))
    found = feeds.in_portions(feeds.landings(position), size)
    refused = isinstance(expected, list)
    if refused and "is a full load" in expected[0]:
        return  # that is said before any reader begins
    assert found == (None if refused else expected)


def test_a_load_that_lost_rows_is_left_to_one_reader(feeds: PortionedFeed) -> None:
    """A target has read four rows of it."""
    rows = b"".join(b"%d,eu,1.00\n" % number for number in range(3))
    feeds.write_named({"public/t/LOAD00000001.csv": b"id,v,n\n" + rows})
    (said,) = feeds.by_one(feeds.landings(3))
    assert said.startswith("the transaction at seq 3 goes on")
    assert feeds.in_portions(feeds.landings(3), 1000) is None


@pytest.mark.parametrize("header", ["id,v,n", "7,eu,1.00"])
def test_a_file_of_one_line_is_usual_where_that_names_columns(
    feeds: PortionedFeed, header: str
) -> None:
    """Of a table that was empty; else it is a row, of which one reader speaks."""
    rows = "id,v,n\n1,eu,1.00\n"
    files = {"t/LOAD00000001.csv": rows, "u/LOAD00000001.csv": f"{header}\n"}
    feeds.write_named({f"public/{name}": text.encode() for name, text in files.items()})
    expected = feeds.by_one(feeds.landings(None))
    found = feeds.in_portions(feeds.landings(None), 1000)
    if header[0] == "7":
        assert "could not read" in expected[0]
        assert found is None
    else:
        assert found == expected


def held(world: World, engine: Engine, files: dict[str, bytes]) -> list[list[tuple[object, ...]]]:
    """The rows of each target behind a run."""
    for name, text in files.items():
        world.write(f"changes/{name}", text)
    assert world.run(engine).mistakes == ()
    queries = [
        f"SELECT id, v, CAST(n AS VARCHAR(20)) FROM {one.target_sql}" for one in world.compiled()
    ]
    return [sorted(engine.rows(query)) for query in queries]


@pytest.mark.spark
def test_a_run_reads_them_on_the_executors(
    spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In processes that see files alone: the rows are those that one reader leaves."""
    files = written(3, 40, random.Random(3))
    expected = held(dms_world(tmp_path / "one"), connect(None), files)
    used = read_in_portions(monkeypatch, 300)
    engine = open_engine(output("iceberg"), tmp_path)
    try:
        found = held(dms_world(tmp_path / "spark", "spark", "lake"), engine, files)
    finally:
        engine.close()
    assert used == [True]
    assert found == expected
    assert all(found)
