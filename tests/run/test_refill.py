"""A target that is copied again finds every change that it had, or nothing is done."""

from __future__ import annotations

import pytest
from running import World, insert
from test_applying import T1, T2, held

from filtersql.targets.duckdb_file import connect


@pytest.fixture
def engine():
    engine = connect(None)
    yield engine
    engine.close()


@pytest.fixture
def world(tmp_path, engine) -> World:
    """It was filled; then the file of its changes is removed."""
    import test_applying

    world = test_applying.sample(tmp_path)
    assert not world.run(engine).mistakes
    (world.root / "changes/1.jsonl").unlink()
    return world.feed([{"seq": 60, **insert("t1", a=60, b=0)}], name="2")


def test_a_feed_that_lost_changes_is_refused(world, engine) -> None:
    """Without the removed file rows would be missing."""
    result = world.run(engine, full_refresh=True)
    assert "no longer holds all changes" in result.mistakes[0].message
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, T2)
    assert not world.run(engine).mistakes


def test_a_source_that_holds_them_is_enough(world, engine) -> None:
    """It says up to where."""
    world.source(path="source/{schema}.{table}.jsonl", seq=6)
    assert not world.run(engine, full_refresh=True).mistakes
    assert held(engine, "t1") == [(6, 0), (7, 0), (60, 0)]
