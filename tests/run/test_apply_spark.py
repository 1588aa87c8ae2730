"""A changed definition on Delta and Iceberg: the same rows, and a mark that tells what was done."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_filters import Shop
from one_by_one import killed_behind_a_write
from test_apply_plan import FEED, HELD, LATER, NEW, OLD, SOURCE

from filtersql.targets.open import open_engine


@pytest.mark.spark
@pytest.mark.parametrize("target", [pytest.param("delta", marks=pytest.mark.long), "iceberg"])
def test_spark_moves_the_same_rows_and_knows_a_killed_change(
    spark: object, target: str, tmp_path: Path
) -> None:
    """A process that dies behind a target's commit has changed it: its mark tells."""
    # A run of a small table takes Delta twice as long.
    names = ["orders"] if target == "delta" else ["orders", "bare"]
    shop = Shop(tmp_path, target).define(**{name: OLD[name] for name in names})
    shop.write(SOURCE, FEED)
    output = shop.compiled()[0].output
    assert output is not None
    engine = open_engine(output, tmp_path)
    try:
        assert shop.run(engine).mistakes == ()
        shop.define(**{name: NEW[name] for name in names})
        with killed_behind_a_write(engine):
            shop.apply(engine)
        done = shop.apply(engine) or []
        assert len(done) == len(names) - 1
        assert {name: sorted(shop.rows(engine, name)) for name in names} == {
            name: HELD[name] for name in names
        }
        shop.write(changes=LATER, name="2")
        assert shop.run(engine).mistakes == ()
        assert len(shop.rows(engine, "orders")) == 6
        marks = engine.marks(("s1", "orders"))
        assert [mark.change is not None for mark in marks] == [False, True, False, False]
        shop.define(**{name: OLD[name] for name in names})
        planned = shop.plan(engine)["orders"]
        assert "in force" in str(planned.statement)
        # What is executed looks at no row that stays.
        assert planned.moved is not None
        assert "ON NOT COALESCE((t." in " ".join(planned.moved.merge.split())
        engine.execute(f"UPDATE {engine.table_sql(('s1', 'orders'))} SET total = 7 WHERE id = 8")
        (wrong,) = shop.plan(engine)["orders"].mistakes
        assert "not as its definition in force left it" in wrong.message
    finally:
        engine.close()
