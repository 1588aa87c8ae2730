"""A file that comes when a run has gone beyond its changes is said to be passed over."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import SPAN, World, insert, table

from filtersql.definitions.model import Feed
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


@pytest.mark.parametrize("seq", ["NULL", "-5"])
@pytest.mark.parametrize("late", [False, True])
def test_a_row_of_a_table_without_a_place_is_refused(tmp_path: Path, seq: str, late: bool) -> None:
    """As a line of a file is: it is not below the changes that were read."""
    world = World(tmp_path).publish(table("t1", a="int4!"))
    world.subscribe(changes=Feed(SPAN, table="main.fed"))
    engine = connect(None)
    engine.execute("CREATE TABLE fed (seq bigint, op text, relation text, after text)")
    row = """INSERT INTO fed VALUES ({0}, 'insert', 't1', '{{"a": {1}}}')"""
    engine.execute(row.format(1, 7))
    assert not late or world.run(engine).mistakes == ()
    engine.execute(row.format(seq, 8))
    (refused,) = world.run(engine).mistakes
    assert "main.fed:" in str(refused)
    assert "`seq`" in str(refused) or "`$.seq`" in str(refused)
    engine.close()


@pytest.mark.parametrize("name", ["prev_seq", "PREV_SEQ"])
def test_a_gap_in_a_table_is_seen_however_its_column_is_written(tmp_path: Path, name: str) -> None:
    """A column that is not read says nothing."""
    world = World(tmp_path).publish(table("t1", a="int4!"))
    world.subscribe(changes=Feed(SPAN, table="main.fed"))
    engine = connect(None)
    engine.execute(f"CREATE TABLE fed (SEQ bigint, OP text, Relation text, After text, {name} int)")
    engine.execute("""INSERT INTO fed VALUES (1, 'insert', 't1', '{"a": 7}', NULL)""")
    engine.execute("""INSERT INTO fed VALUES (9, 'insert', 't1', '{"a": 8}', 5)""")
    (refused,) = world.run(engine).mistakes
    assert refused.message == "changes are missing before seq 9"
    engine.close()
