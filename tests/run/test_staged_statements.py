"""A statement that reads its stage, and looks at some rows of the target alone."""

from __future__ import annotations

import pytest
from running import World, table

from filtersql.filter_cache import _printed
from filtersql.filters import resolve
from filtersql.run.staged_statements import asking_target, staged_merge
from filtersql.source import Source
from filtersql.targets.duckdb_file import connect

MERGE = "MERGE INTO x AS t USING (SELECT 1 AS a) AS s ON t.a = s.a WHEN MATCHED THEN DELETE"


def test_a_condition_stands_before_the_keys() -> None:
    """Asked by the alias of the target; a statement of another form stays as it is."""
    asked = asking_target(MERGE, lambda alias: f"{alias}.b > 5", "spark")
    assert asked == MERGE.replace("ON t.a = s.a ", "ON t.b > 5 AND (t.a = s.a) ")
    bare = "MERGE INTO x USING y ON x.a = y.a WHEN MATCHED THEN DELETE"
    assert asking_target(bare, lambda alias: f"{alias}.b > 5", "spark") == bare


@pytest.mark.parametrize(("engine", "quote"), [("spark", "`"), ("duckdb", '"')])
def test_a_filter_is_written_over_the_row_of_a_table(engine: str, quote: str) -> None:
    """Names that need quotes have them; the table's own stands before each."""
    one = table("t", a="int4!", Date="int4")
    found = resolve(Source("here", 'a > 1 OR "Date" < 2').passage(), one)
    wanted = f"t.a > 1 OR t.{quote}Date{quote} < 2"
    assert _printed(found, "t.", engine) == wanted  # type: ignore[arg-type]


def test_more_rows_than_the_target_has_come_in_its_order(tmp_path) -> None:
    """DuckDB is slow where they do not; with fewer rows there is nothing to order."""
    world = World(tmp_path).publish(table("t1", a="int4!", b="int4"))
    rows = [{"a": number, "b": number} for number in (3, 1, 2)]
    world.feed([{"op": "insert", "relation": "public.t1", "after": row} for row in rows])
    engine = connect(None)
    assert world.run(engine).mistakes == ()
    (compiled,) = world.compiled()
    engine.execute("CREATE TEMP TABLE few AS SELECT 2 AS a, 5 AS b, 'update' AS effect")
    more = "FROM range(9) AS r (n)"
    engine.execute(f"CREATE TEMP TABLE many AS SELECT n AS a, n AS b, 'update' AS effect {more}")
    assert "ORDER BY" not in str(staged_merge(compiled, "few", engine))
    merge = str(staged_merge(compiled, "many", engine))
    assert 'ORDER BY (SELECT MIN("held"."rowid")' in merge
    engine.execute(merge)
    assert sorted(engine.rows("SELECT * FROM s1.t1")) == [(n, n) for n in range(9)]
