"""A feed that is read in portions gives what one reader gives, or is left to that."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from noting import noting
from portioned import MORE, SETTINGS, PortionedFeed
from random_feeds import DELETED, FEEDS, POSITIONS, RIGHT, lines, two_targets
from running import SPAN, World, insert, table, update
from test_targets_spark import output

from filtersql.definitions.model import Feed
from filtersql.feeds import portions
from filtersql.feeds.landings import Landing
from filtersql.feeds.lines import FeedFile, lines_in
from filtersql.run import feed_reading, sources, spread_feeds
from filtersql.targets.open import open_engine


@pytest.fixture(scope="module")
def feeds(tmp_path_factory: pytest.TempPathFactory) -> PortionedFeed:
    return PortionedFeed(two_targets(tmp_path_factory.mktemp("portions")))


_POSITIONS = st.sampled_from(POSITIONS)


@SETTINGS
@given(FEEDS, st.sampled_from([0, 0, 0, 1, 9]), _POSITIONS, st.integers(20, 300), st.integers(0, 9))
def test_portions_give_what_one_reader_gives(
    feeds: PortionedFeed,
    feed: list[Any],
    torn: int,
    positions: tuple[int | None, int | None],
    size: int,
    parted: int,
) -> None:
    """Whatever stands in the lines, and wherever they are cut."""
    text = lines(feed, torn)
    place = text.find(b"\n", len(text) * parted // 10) + 1
    feeds.write(text[:place], text[place:])
    landings = list(map(Landing, feeds.tables, positions))
    found = feeds.in_portions(landings, size)
    assert found in (None, feeds.by_one(landings))


@settings(max_examples=25 * MORE, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(
    st.lists(st.tuples(RIGHT | DELETED, st.integers(1, 3)), max_size=12),
    _POSITIONS,
    st.integers(20, 300),
)
def test_a_usual_feed_needs_no_other_reader(
    feeds: PortionedFeed,
    feed: list[Any],
    positions: tuple[int | None, int | None],
    size: int,
) -> None:
    """Transactions that are cut in two are whole again."""
    feed = sorted(feed, key=lambda one: one[1])
    feeds.write(lines(feed, 0))
    landings = list(map(Landing, feeds.tables, positions))
    found = feeds.in_portions(landings, size)
    assert found is not None
    assert found == feeds.by_one(landings)


@pytest.mark.parametrize("size", range(1, 40))
def test_each_line_is_read_once(size: int, tmp_path: Path) -> None:
    """Wherever pieces end: within a line, behind it, or within the last one."""
    for text in (b"a\nbb\n\nccc\n" * 4 + b"dddddddddddd\ne", b"\n", b"x", b"xy\n", b""):
        path = tmp_path / "lines"
        path.write_bytes(text)
        file = FeedFile(path, "lines", len(text), 0)
        with patch.object(portions, "_BYTES", size):
            cut = portions.portions([file])
        found = [line for portion in cut for *_, line in lines_in(portion.chunks())]
        assert found == [line for line in text.splitlines(keepends=True) if line.strip()]


@pytest.mark.spark
@pytest.mark.parametrize("table_format", [pytest.param("delta", marks=pytest.mark.long), "iceberg"])
def test_a_run_reads_its_files_on_the_executors(
    table_format: str, spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Source and changes: what the target holds is what one reader brings; so is a refusal."""
    monkeypatch.setattr(portions, "_BYTES", 700)
    used: list[str] = []
    for module, name in ((feed_reading, "spread_feed"), (sources, "spread_source")):
        monkeypatch.setattr(module, name, noting(getattr(module, name), used))
    world = World(tmp_path, "spark", "lake" if table_format == "iceberg" else None)
    world.publish(table("t1", a="int4!", b="jsonb", c="text"), where="{p}a > 5")
    world.source(path="source/{table}.jsonl")
    world.write("source/t1.jsonl", [{"a": a, "b": {"n": a}, "c": "é"} for a in range(50)])
    changes = [
        {"tx": str(n // 7), **update("t1", a=n % 60, b=[n], c=f"{n}"), "before": {"a": n % 50}}
        if n % 50 == n % 60
        else {"tx": str(n // 7), **insert("t1", a=n + 100, b=None, c=None)}
        for n in range(200)
    ]
    world.feed(changes)
    (compiled,) = world.compiled()
    engine = open_engine(output(table_format), tmp_path)
    try:
        result = world.run(engine)
        assert result.mistakes == (), result.mistakes
        rows = engine.rows(f"SELECT a, b, c FROM {compiled.target_sql} ORDER BY a")
        expected: dict[int, tuple[object, object]] = {a: (f'{{"n": {a}}}', "é") for a in range(50)}
        for n in range(200):
            if n % 50 == n % 60:
                expected[n % 60] = (f"[{n}]", f"{n}")
            else:
                expected[n + 100] = (None, None)
        assert rows == [(a, *expected[a]) for a in sorted(expected) if a > 5]
        assert used == ["spread_feed", "spread_source"]
        wrong = {"seq": 300, **insert("t1", a="x", b=None, c=None)}
        world.write("changes/2.jsonl", [wrong])
        (mistake,) = world.run(engine).mistakes
        assert "changes/2.jsonl:1" in str(mistake)
        assert 'invalid input syntax for type integer: "x"' in str(mistake)
    finally:
        engine.close()


@pytest.mark.spark
def test_a_table_is_read_on_the_executors(
    spark: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last transaction waits until it is complete, though its parts are read by themselves."""
    monkeypatch.setattr(spread_feeds, "_ROWS", 9)
    used: list[str] = []
    monkeypatch.setattr(feed_reading, "spread_table", noting(feed_reading.spread_table, used))
    world = World(tmp_path, "spark", "lake").publish(
        table("t1", a="int4!", b="text"), where="{p}a > 5"
    )
    world.subscribe(changes=Feed(SPAN, table="lake.feed.changes"))
    engine = open_engine(output("iceberg"), tmp_path)
    try:
        engine.execute("CREATE SCHEMA lake.feed")
        engine.execute("CREATE TABLE lake.feed.changes (seq BIGINT, op STRING, relation STRING,"
                       " tx STRING, before STRING, after STRING) USING ICEBERG")  # fmt: skip
        # 40 changes, four of each transaction; the last one goes on.
        write = (
            "INSERT INTO lake.feed.changes"
            " SELECT id, 'insert', 'public.t1', CAST(id DIV 4 AS STRING),"
            " NULL, to_json(struct(id AS a, 'x' AS b)) FROM range({}, {})"
        )
        engine.execute(write.format(0, 39))
        ran = world.run(engine)
        assert ran.mistakes == ()
        (result,) = ran.results
        assert (result.position, result.rows_inserted) == (35, 30)
        engine.execute(write.format(39, 41))
        (result,) = world.run(engine).results
        assert (result.position, result.rows_inserted) == (39, 4)
        engine.execute(write.format(41, 42).replace("'public.t1'", "'public.t9'"))
        (mistake,) = world.run(engine).mistakes
        assert "lake.feed.changes:2" in str(mistake)
        assert used == ["spread_table", "spread_table"]
    finally:
        engine.close()
