"""Histories whose files land in any order, while runs are killed: each change is applied once."""

from __future__ import annotations

import os
import random
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from landing_files import FEEDS, WRITERS, Change, Tables, Told, fed
from one_by_one import Killed
from running import World
from small_spark import SMALL
from test_targets_spark import output, warm

from filtersql.run import Options, run
from filtersql.targets.duckdb_file import connect
from filtersql.targets.marks import Written
from filtersql.targets.open import open_engine
from filtersql.targets.session import Session

__all__ = ["warm"]

MORE = 25 if os.environ.get("FILTERSQL_LONG_TESTS") else 1
CHANGE = st.tuples(st.sampled_from("tu"), st.integers(0, 4))
TRANSACTIONS = st.lists(st.lists(CHANGE, min_size=1, max_size=6), min_size=1, max_size=12)


@settings(max_examples=40 * MORE, deadline=None, database=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(st.sampled_from([*FEEDS]), TRANSACTIONS, st.randoms(use_true_random=False))
def test_a_run_holds_all_that_has_landed(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    drawn: list[list[tuple[str, int]]],
    rng: random.Random,
) -> None:
    """Over whatever files transactions are parted, some changes sent again, and runs killed."""
    world = fed(World(tmp_path_factory.mktemp("late")), form)
    # A late full load of DMS is refused.
    tables = Tables(drawn, 0 if form == "dms" else rng.choice([0, 5]))
    memory = connect(None)
    for turn in range(6):
        for name in "tu":
            # DMS sends nothing again, Debezium no row of a snapshot.
            sent = [one for one in tables.landed[name][-2:] if one.op != "r"]
            again = rng.choice([[], [], sent]) if form != "dms" else []
            landing = tables.land(name, rng.choice([0, 1, 3, 20]))
            if landing or again:
                text = WRITERS[form](name, *again, *landing)
                world.write(f"changes/public/{name}/{turn}", text.encode())
        if not any(tables.landed.values()):
            continue
        for _ in range(rng.choice([0, 0, 1, 2])):
            dying = Told(memory.connection, rng.randint(1, 6), rng.random() < 0.5)
            some = rng.choice([world.compiled(), world.compiled()[:1], world.compiled()[1:]])
            with suppress(Killed):
                assert not run(world.inputs(), {"s1": some}, dying, Options()).mistakes
        engine = Told(memory.connection)
        told = world.run(engine)
        assert not told.mistakes
        assert not any(any(one.conflicts.values()) for one in told.results)
        for one in world.compiled():
            rows = sorted(engine.rows(f"SELECT id, v FROM {one.target_sql}"))
            assert rows == tables.rows(one.relation.name)


@pytest.mark.spark
@pytest.mark.parametrize(("form", "table_format"), [("debezium", "delta"), ("dms", "iceberg")])
def test_spark_applies_a_late_change_once(tmp_path, monkeypatch, warm, form, table_format) -> None:
    """Its mark is behind the last of its target, not behind those of others; also when killed."""
    world = World(tmp_path, "spark", "lake" if table_format == "iceberg" else None)
    fed(world, form)
    engine = open_engine(output(table_format, spark_conf=SMALL), tmp_path)

    def land(table: str, name: str, *changes: Change) -> None:
        world.write(f"changes/public/{table}/{name}", WRITERS[form](table, *changes).encode())

    def again() -> list[tuple[object, ...]]:
        told = world.run(engine)
        assert not told.mistakes
        assert not any(any(one.conflicts.values()) for one in told.results)
        return engine.rows(f"SELECT id, v FROM {engine.table_sql(('s1', 'u'))} ORDER BY id")

    land("t", "1", Change(1, 10), Change(2, 30))
    land("u", "1", Change(1, 12))
    assert again() == [(1, "12.0")]
    land("u", "2", Change(1, 14, "d"), Change(2, 15))
    assert again() == [(2, "15.0")]
    land("u", "3", Change(2, 16, "u"), Change(1, 17))
    write = Session.write

    def killed(*asked: object) -> Written | None:
        write(*asked)
        raise Killed

    monkeypatch.setattr(Session, "write", killed)
    with pytest.raises(Killed):
        world.run(engine)
    monkeypatch.setattr(Session, "write", write)
    land("u", "4", Change(5, 17, n=1), Change(3, 20), Change(4, 40))
    expected = [(1, "17.0"), (2, "16.0"), (3, "20.0"), (4, "40.0"), (5, "17.1")]
    assert again() == expected
    engine.close()
