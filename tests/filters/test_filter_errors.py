"""A row filter that raises an error stops the run before that transaction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from running import World, insert, table, truncate, update

from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect


@pytest.fixture
def engine() -> Iterator[DuckDB]:
    engine = connect(None)
    yield engine
    engine.close()


@pytest.fixture
def world(tmp_path: Path) -> World:
    """`error()` on rows whose `b` is 0, as a division would."""
    raising = "CASE WHEN {p}b = 0 THEN error('division by zero') ELSE {p}b > 0 END"
    world = World(tmp_path).publish(table("t", a="int4!", b="int4"), where=raising)
    return world.publish(table("u", a="int4!"))


def rows(engine: DuckDB, name: str = "t") -> list[tuple]:
    return engine.rows(f"SELECT * FROM s1.{name} ORDER BY 1")


HISTORY = [
    {**insert("t", a=1, b=1), "tx": "1"},
    {**insert("u", a=1), "tx": "1"},
    {**insert("u", a=2), "tx": "2"},
    {**insert("t", a=2, b=2), "tx": "3"},
    {**insert("u", a=3), "tx": "3"},
    {**insert("t", a=3, b=0), "tx": "3"},
    {**insert("t", a=4, b=0), "tx": "4"},
    {**insert("u", a=4), "tx": "5"},
]


def test_the_run_stops_before_the_transaction(world: World, engine: DuckDB) -> None:
    """All targets stand at the boundary before it; the change, its key and the error are named."""
    world.feed(HISTORY)
    for position in (3, 3):
        result = world.run(engine)
        (mistake,) = result.mistakes
        assert mistake.message == (
            'row filter of "s1/public.t" raises an error on change 6: '
            "Invalid Input Error: division by zero"
        )
        assert mistake.detail == "Key (a)=(3). Everything up to seq 3 is applied."
        assert rows(engine) == [(1, 1)]
        assert rows(engine, "u") == [(1,), (2,)]
        assert {one.position for one in result.results} == {position}
        assert [one.status for one in result.results] == ["error", "success"]


def test_what_comes_before_a_truncate_is_not_judged(world: World, engine: DuckDB) -> None:
    """The statement does not look at it, so no error is looked for."""
    world.feed([insert("t", a=1, b=0), truncate("t"), insert("t", a=2, b=2), insert("t", a=3, b=0)])
    result = world.run(engine)
    assert "on change 4" in result.mistakes[0].message


class TestQuarantine:
    """`on_filter_error: quarantine` puts changes aside and goes on."""

    @pytest.fixture
    def aside(self, world: World) -> World:
        return world.subscribe(on_filter_error="quarantine")

    def test_one_row_keeps_its_last_good_state(self, aside: World, engine: DuckDB) -> None:
        """The change and the later ones of its key are put aside, and applied when released."""
        aside.feed(
            [
                insert("t", a=1, b=1),
                update("t", None, a=1, b=0),
                update("t", None, a=1, b=5),
                insert("t", a=2, b=2),
            ]
        )
        result = aside.run(engine)
        assert not result.mistakes
        assert rows(engine) == [(1, 1), (2, 2)]
        assert held(engine) == [
            (2, "update", '{"a":"1","b":"0"}', "Invalid Input Error: division by zero"),
            (
                3,
                "update",
                '{"a":"1","b":"5"}',
                "held back: an earlier change of its row is in quarantine, seq 2",
            ),
        ]
        assert [one.quarantined for one in result.results] == [2, 0]
        aside.feed([{"seq": 9, **update("t", None, a=1, b=6)}], name="2")
        assert not aside.run(engine).mistakes
        assert rows(engine) == [(1, 1), (2, 2)]
        assert [row[0] for row in held(engine)] == [2, 3, 9]
        released = aside.run(engine, release=True)
        assert not released.mistakes
        assert [row[0] for row in held(engine)] == [2, 3, 9]
        mended = World(aside.root).publish(table("t", a="int4!", b="int4"))
        mended.publish(table("u", a="int4!"))
        assert not mended.run(engine, release=True, accept_filter_change=True).mistakes
        assert rows(engine) == [(1, 6), (2, 2)]
        assert held(engine) == []


def held(engine: DuckDB) -> list[tuple]:
    return engine.rows('SELECT seq, op, "after", error FROM s1.t__quarantine ORDER BY seq')


@pytest.mark.parametrize("says", ["stop", "quarantine"])
def test_what_the_engine_refuses_whatever_the_rows_is_no_change_s(
    tmp_path: Path, engine: DuckDB, says: str
) -> None:
    """Spark's analyzer gives up so: no change is named or put aside, nothing is written."""
    world = World(tmp_path).publish(table("t", a="int4!", b="int4"), where="nothing_known({p}b)")
    world.subscribe(on_filter_error=says)
    world.feed([insert("t", a=1, b=1), insert("t", a=2, b=2)])
    result = world.run(engine)
    (mistake,) = result.mistakes
    assert "nothing_known" in mistake.message
    assert "on change" not in mistake.message
    assert [(one.status, one.position) for one in result.results] == [("error", None)]
