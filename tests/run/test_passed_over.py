"""A file that comes when a run has gone beyond its changes is said to be passed over."""

from __future__ import annotations

from pathlib import Path

from running import World, insert, table

from filtersql.targets.duckdb_file import connect


def test_a_file_that_comes_late_is_named_once(tmp_path: Path) -> None:
    """Whether its changes were sent before nobody can tell; those of a new target are read."""
    world = World(tmp_path).publish(table("t1", a="int4!"))
    world.feed([{"seq": 10, **insert("t1", a=1)}, {"seq": 12, **insert("t1", a=2)}])
    engine = connect(None)
    assert world.run(engine).passed_over == ()
    world.feed([{"seq": 11, **insert("t1", a=3)}], name="0")
    world.feed([{"seq": 12, **insert("t1", a=2)}, {"seq": 13, **insert("t1", a=4)}], name="2")
    late = world.run(engine)
    assert (late.passed_over, late.results[0].rows_inserted) == (("changes/0.jsonl",), 1)
    assert late.results[0].changes_skipped == 2
    assert world.run(engine).passed_over == ()
    engine.close()
