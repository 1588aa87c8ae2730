"""Conflicts and quarantine on Delta and Iceberg end as they do on DuckDB."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from checked import with_conflicts
from running import World, insert, update
from test_check import proofs
from test_conflicts import Replacing, Subscriber, replacing, shelf
from test_targets_spark import FORMATS, output

from filtersql.targets.duckdb_file import connect
from filtersql.targets.open import open_engine
from filtersql.verify.check import prove
from filtersql.verify.loading import TrialEngine

pytestmark = [pytest.mark.spark, pytest.mark.long]


@pytest.fixture(params=FORMATS)
def lake(request, tmp_path, spark):
    """(engine, the catalog of its tables)."""
    engine = open_engine(output(request.param), tmp_path)
    yield engine, "lake" if request.param == "iceberg" else None
    engine.close()


def on_spark(world: World, catalog: str | None) -> World:
    world.engine, world.catalog_name = "spark", catalog
    return world


def rows(engine, name: str = "t") -> list[tuple]:
    return sorted(engine.rows(f"SELECT a, b FROM {engine.table_sql(('s1', name))}"))


def history(seed: int, length: int, *, moves: bool = True) -> list[dict]:
    """Inserts, updates, perhaps changes of the key, and deletes of few keys, so that they meet."""
    random = Random(seed)
    found = []
    for _ in range(length):
        old = {"a": random.randint(1, 6), "b": random.randint(1, 9)}
        key = random.choice([old["a"], random.randint(1, 6)]) if moves else old["a"]
        new = {"a": key, "b": random.randint(0, 9)}
        op = random.choice(["insert", "update", "update", "update", "delete", "truncate"])
        change: dict = {"op": op, "relation": "public.t"}
        if op in ("update", "delete"):
            change["before"] = old
        if op in ("insert", "update"):
            change["after"] = new
        if op != "truncate" or random.random() < 0.2:
            found.append(change)
    return found


@pytest.mark.parametrize("moves", [True, False], ids=["moves", "no_moves"])
def test_skipped_changes_change_nothing(lake, tmp_path: Path, moves: bool) -> None:
    """Two batches of many changes; changes of a key that hang on each other among them, or none."""
    engine, catalog = lake
    world = on_spark(shelf(tmp_path, "skip"), catalog)
    model = Subscriber()
    changes = history(7, 120, moves=moves)
    for change in changes:
        model.apply(change)
    met: dict[str, int] = {}
    for upto in (70, len(changes)):
        world.feed([{"seq": seq, **change} for seq, change in enumerate(changes[:upto], 1)])
        result = world.run(engine)
        assert not result.mistakes
        for kind, count in result.results[0].conflicts.items():
            met[kind] = met.get(kind, 0) + count
    assert rows(engine) == sorted(model.rows.items())
    assert met == {kind: model.met[kind] for kind in met}
    assert result.results[0].conflict_sample


@pytest.mark.parametrize("moves", [True, False], ids=["moves", "no_moves"])
def test_updates_of_missing_rows_change_nothing(lake, tmp_path: Path, moves: bool) -> None:
    """As pglogical has it: an INSERT of a row that exists replaces it."""
    engine, catalog = lake
    world = on_spark(replacing(tmp_path), catalog)
    model = Replacing()
    changes = history(9, 120, moves=moves)
    for change in changes:
        model.apply(change)
    for upto in (70, len(changes)):
        world.feed([{"seq": seq, **change} for seq, change in enumerate(changes[:upto], 1)])
        assert not world.run(engine).mistakes
    assert rows(engine) == sorted(model.rows.items())


def test_applied_changes_are_counted_as_on_duckdb(lake, tmp_path: Path) -> None:
    """What met something is staged beside the rows on Spark, and counted apart on DuckDB."""
    engine, catalog = lake
    changes = history(14, 140)
    with closing(connect(None)) as duckdb:
        there = on_spark(shelf(tmp_path / "spark", "apply"), catalog)
        here = shelf(tmp_path / "duckdb", "apply")
        for upto in (60, len(changes)):
            numbered = [{"seq": seq, **change} for seq, change in enumerate(changes[:upto], 1)]
            found = []
            for world, where in ((there, engine), (here, duckdb)):
                world.feed(numbered)
                result = world.run(where)
                assert not result.mistakes
                (one,) = result.results
                assert all(one.conflicts.values())
                found.append((one.conflicts, sorted(map(repr, one.conflict_sample))))
            assert found[0] == found[1]
        held = sorted(duckdb.rows("SELECT a, b FROM s1.t"))
    assert rows(engine) == held


def test_an_error_stops_before_its_transaction(lake, tmp_path: Path) -> None:
    """The rows before it are there; without the row that was in the way the run goes on."""
    engine, catalog = lake
    world = on_spark(shelf(tmp_path, "error"), catalog)
    world.feed(
        [
            {**insert("t", a=1, b=1), "tx": "1"},
            {**insert("t", a=2, b=2), "tx": "2"},
            {**update("t", {"a": 2, "b": 2}, a=1, b=3), "tx": "2"},
            {**insert("t", a=3, b=3), "tx": "3"},
        ]
    )
    (mistake,) = world.run(engine).mistakes
    assert "conflict=update_exists" in mistake.message
    assert rows(engine) == [(1, 1)]
    engine.execute(f"DELETE FROM {engine.table_sql(('s1', 't'))} WHERE a = 1")
    assert not world.run(engine).mistakes
    assert rows(engine) == [(1, 3), (3, 3)]


def test_what_was_put_aside_comes_back(lake, tmp_path: Path) -> None:
    """A release at the position that the target has is committed, once."""
    engine, catalog = lake
    raising = "CASE WHEN {p}b = 0 THEN raise_error('no') ELSE {p}b > 0 END"
    world = on_spark(shelf(tmp_path, "apply", raising), catalog)
    world.subscribe(on_filter_error="quarantine")
    world.feed(
        [
            insert("t", a=1, b=1),
            update("t", {"a": 1, "b": 1}, a=1, b=0),
            insert("t", a=2, b=2),
            update("t", {"a": 1, "b": 0}, a=3, b=7),
        ]
    )
    result = world.run(engine)
    assert not result.mistakes
    assert result.results[0].quarantined == 2
    assert rows(engine) == [(1, 1), (2, 2)]
    mended = on_spark(shelf(tmp_path, "apply"), catalog)
    result = mended.run(engine, release=True, accept_filter_change=True)
    assert not result.mistakes
    assert result.results[0].released == 2
    assert rows(engine) == [(2, 2), (3, 7)]
    mended.feed([{"seq": 9, **insert("t", a=4, b=4)}], name="2")
    assert not mended.run(engine).mistakes
    assert rows(engine) == [(2, 2), (3, 7), (4, 4)]


@pytest.mark.parametrize("name", ["keyed", "kept"])
def test_the_text_for_spark_is_proved_as_it_stands(spark, tmp_path: Path, name: str) -> None:
    """Every cell and short history of what `on_conflict: skip` compiles to, on Delta."""
    made = proofs(tmp_path / "project", "dev", tmp_path, with_conflicts("skip"))
    assert made.project.output is not None
    engine = open_engine(made.project.output, tmp_path)
    try:
        made.bench = made.bench.__class__(
            made.bench.duckdb, TrialEngine(engine, tmp_path), made.bench.filters, made.bench.dialect
        )
        proof = prove(made.nodes[name], made.folder(name), name, made.bench)
        assert proof.counterexample is None
    finally:
        engine.close()


def test_histories_are_the_same_on_duckdb(tmp_path: Path) -> None:
    """The history that Spark is tried on holds every kind of conflict."""
    world = shelf(tmp_path, "skip")
    world.feed([{"seq": seq, **change} for seq, change in enumerate(history(7, 120), 1)])
    engine = connect(None)
    met = world.run(engine).results[0].conflicts
    engine.close()
    assert all(met.values())
