"""A changed definition: what `plan` counts, `apply` moves, and no kill loses."""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path

import pytest
from changed_filters import Shop, change, keep_hashes_alone
from one_by_one import Killed, OneByOne

from filtersql.errors import Mistakes
from filtersql.targets.duckdb import DuckDB

EU, BIG = "region = 'eu'", "region = 'eu' AND total > 5"
SOURCE = {
    "orders": [{"id": n, "region": ("eu", "us")[n % 2], "total": n} for n in range(10)],
    "bare": [{"a": a, "c": "x"} for a in (1, 2, 2, 3, 3, 4)],
}
FEED = [
    change(1, "insert", "orders", after={"id": 20, "region": "eu", "total": 3}),
    change(2, "delete", "bare", before={"a": 2, "c": "x"}),
    change(3, "update", "orders", before={"id": 1, "region": "us", "total": 1},
           after={"id": 1, "region": "eu", "total": 9}),
]  # fmt: skip
LATER = [
    change(4, "insert", "orders", after={"id": 30, "region": "us", "total": 8}),
    change(5, "insert", "bare", after={"a": 3, "c": "x"}),
]
OLD = {"orders": EU, "bare": "a > 2"}
NEW = {"orders": "total > 5", "bare": "a < 4"}
HELD = {
    "orders": [(n, ("eu", "us")[n % 2], n) for n in (6, 7, 8, 9)],
    "bare": [(1, "x"), (2, "x"), (3, "x"), (3, "x")],
}
HELD["orders"] = sorted([(1, "eu", 9), *HELD["orders"]])


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path).define(**OLD)
    shop.write(SOURCE, FEED)
    return shop


def held(shop: Shop, engine: DuckDB) -> dict[str, list[tuple[object, ...]]]:
    return {name: shop.rows(engine, name) for name in ("orders", "bare")}


def test_nothing_changes_where_nothing_was_changed(shop: Shop, engine: DuckDB) -> None:
    """Before the first run all is new; behind it, and with other blanks, nothing changes."""
    assert {name: each.change for name, each in shop.plan(engine).items()} == {
        "orders": "new",
        "bare": "new",
    }
    assert shop.run(engine).mistakes == ()
    assert shop.plan(engine) == {}
    shop.define(orders="(region)  =  'eu'", bare="a>2")
    assert shop.plan(engine) == {}


def test_a_plan_counts_rows_and_shows_one_of_each(shop: Shop, engine: DuckDB) -> None:
    """At the target's position; a narrower filter is judged in the target alone."""
    shop.run(engine)
    shop.define(orders=BIG, bare="a < 4")
    planned = shop.plan(engine)
    orders, bare = planned["orders"], planned["bare"]
    assert (orders.change, orders.delete, orders.insert, orders.unchanged) == ("narrower", 4, 0, 3)
    assert (orders.position, orders.reads_source) == (3, False)
    assert orders.leaves == {"id": 0, "region": "eu", "total": 0}
    assert (bare.change, bare.delete, bare.insert, bare.unchanged) == ("mixed", 1, 2, 2)
    assert bare.reads_source
    assert (bare.leaves, bare.enters) == ({"a": 4, "c": "x"}, {"a": 1, "c": "x"})
    assert shop.run(engine).mistakes  # nothing was written: a run refuses as before


@pytest.mark.parametrize("one_by_one", [False, True])
def test_apply_moves_these_rows_and_a_run_goes_on(
    shop: Shop, engine: DuckDB, *, one_by_one: bool
) -> None:
    """Afterwards an audit finds nothing, and later changes are judged by the new filter."""
    used = OneByOne(engine.connection) if one_by_one else engine
    shop.run(used)
    shop.define(**NEW)
    done = shop.apply(used)
    assert done is not None
    assert held(shop, used) == HELD
    for each in done:
        if each.planned.relation.name == "orders":
            assert each.written is not None
            counts = (each.written.deleted, each.written.inserted, each.written.updated)
            assert counts == (each.planned.delete, each.planned.insert, 0) == (4, 2, 0)
    assert [each.found.total for each in shop.audit(used)] == [0, 0]
    assert shop.plan(used) == {}
    shop.write(changes=LATER, name="2")
    result = shop.run(used)
    assert (result.mistakes, {each.position for each in result.results}) == ((), {5})
    assert held(shop, used)["orders"] == sorted([*HELD["orders"], (30, "us", 8)], key=repr)
    assert [each.found.total for each in shop.audit(used)] == [0, 0]


def test_there_and_back_at_one_position(shop: Shop, engine: DuckDB) -> None:
    """A mark says which change it is: the third one is not taken for the first."""
    used = OneByOne(engine.connection)
    shop.run(used)
    before = held(shop, used)
    for filters, expected in ((NEW, HELD), (OLD, before), (NEW, HELD)):
        shop.define(**filters)
        assert shop.apply(used)
        assert held(shop, used) == expected


@pytest.mark.parametrize(("kill_at", "after"), [(1, False), *((n, True) for n in range(1, 6))])
def test_a_kill_leaves_the_old_or_the_new_definition(
    shop: Shop, engine: DuckDB, kill_at: int, after: bool
) -> None:
    """Definition, intention, two targets, end: `apply` again goes on, and a run as it was."""
    shop.run(OneByOne(engine.connection))
    before = held(shop, engine)
    shop.define(**NEW)
    with pytest.raises(Killed):
        shop.apply(OneByOne(engine.connection, kill_at, after))
    now = held(shop, engine)
    assert all(now[name] in (before[name], HELD[name]) for name in now)
    planned = shop.plan(OneByOne(engine.connection))
    assert all((name in planned) == (now[name] == before[name]) for name in now)
    shop.define(**OLD)
    result = shop.run(OneByOne(engine.connection))
    # What has the new definition is refused under the earlier one, and nothing else.
    assert bool(result.mistakes) == (now != before)
    shop.define(**NEW)
    shop.apply(OneByOne(engine.connection))
    assert held(shop, engine) == HELD
    shop.write(changes=LATER, name="2")
    assert shop.run(OneByOne(engine.connection)).mistakes == ()
    assert [each.found.total for each in shop.audit(OneByOne(engine.connection))] == [0, 0]


def test_of_two_appliers_one_wins(shop: Shop, engine: DuckDB) -> None:
    """The one that was slower is told, and has written nothing; so is one that a run overtakes."""
    shop.run(OneByOne(engine.connection))
    shop.define(**NEW)

    def faster(planned: object) -> bool:
        assert shop.apply(OneByOne(engine.connection.cursor()))
        return True

    with pytest.raises(Mistakes) as slower:
        shop.apply(OneByOne(engine.connection), faster)
    assert "another run has the targets" in slower.value.mistakes[0].message
    assert held(shop, engine) == HELD
    shop.define(**OLD)

    def running(planned: object) -> bool:
        shop.define(**NEW)
        shop.write(changes=LATER, name="2")
        assert not shop.run(OneByOne(engine.connection.cursor())).mistakes
        return True

    with pytest.raises(Mistakes):
        shop.apply(OneByOne(engine.connection), running)
    assert [each.found.total for each in shop.audit(OneByOne(engine.connection))] == [0, 0]


def test_what_is_not_approved_is_not_done(shop: Shop, engine: DuckDB) -> None:
    """The targets and the definitions stay."""
    shop.run(engine)
    before = held(shop, engine)
    shop.define(**NEW)
    assert shop.apply(engine, lambda planned: False) is None
    assert held(shop, engine) == before
    assert set(shop.plan(engine)) == {"orders", "bare"}


def test_where_no_row_moves_the_filters_say_what_could(shop: Shop, engine: DuckDB) -> None:
    """Equivalent is what no row can tell apart; of anything else such a row is shown."""
    shop.run(engine)
    before = held(shop, engine)
    leaves, enters = (f"no row {word} now, but such a row could" for word in ("leaves", "enters"))
    for where, kind, said, row in (
        ("region = 'eu' AND total < 1000", "narrower", {leaves}, "leaves"),
        ("region = 'eu'", "wider", {enters}, "enters"),
        ("region = 'EU' OR region = 'eu' AND total < 1000", "mixed", {leaves, enters}, "leaves"),
        ("NOT region <> 'EU' OR region = 'eu' AND 1000 > total", "equivalent", set(), None),
    ):
        planned = shop.define(orders=where, bare="NOT a <= 2").plan(engine)
        orders = planned["orders"]
        assert (orders.change, orders.delete, orders.insert) == (kind, 0, 0), where
        assert said <= {*orders.says}, orders.says
        assert orders.constructed == (row is not None)
        assert row is None or getattr(orders, row) is not None
        assert "bare" not in planned or planned["bare"].change == "equivalent"
        assert shop.apply(engine)
        assert held(shop, engine) == before
    assert shop.plan(engine) == {}
    assert shop.run(engine).mistakes == ()


def test_rows_of_another_hand_are_refused(shop: Shop, engine: DuckDB) -> None:
    """A value that was changed, and a row that the source does not have."""
    shop.run(engine)
    shop.define(orders="total > 5", bare="a > 2")
    engine.execute("UPDATE s1.orders SET total = 7 WHERE id = 6")
    engine.execute("INSERT INTO s1.orders VALUES (77, 'eu', 77)")
    (wrong,) = shop.plan(engine)["orders"].mistakes
    assert "not as its definition in force left it" in wrong.message
    assert wrong.detail is not None
    assert wrong.detail.startswith("2 rows were changed")
    with pytest.raises(Mistakes):
        shop.apply(engine)


def test_a_filter_that_raises_on_a_row_is_told(shop: Shop, engine: DuckDB) -> None:
    """Which target it is of, and what helps: a plan and an audit ask it of every row."""
    assert shop.run(engine).mistakes == ()
    shop.define(orders="12 / (id - 1) > 0", bare=OLD["bare"])
    (planned,) = shop.plan(engine)["orders"].mistakes
    assert shop.run(engine, accept_filter_change=True).mistakes == ()
    audited = next(one for one in shop.audit(engine) if one.compiled.relation.name == "orders")
    for mistake, doing in ((planned, "plan"), (audited.mistakes[0], "audit")):
        assert mistake.message.startswith(f'DuckDB refused the {doing} of "s1/public.orders": ')
        assert "Division by zero" in mistake.message
        assert "mend it or the row of the source" in str(mistake.hint)


def test_what_a_mark_explains_is_not_compared(shop: Shop, engine: DuckDB) -> None:
    """The filters in force tell what the target holds; a key that comes twice says otherwise."""
    used = OneByOne(engine.connection)
    shop.run(used)
    shop.define(**NEW)
    planned = shop.plan(used)["orders"]
    assert (planned.delete, planned.insert) == (4, 2)
    assert "-- in force: (region = 'eu'::text)" in str(planned.statement)
    assert "in force" not in str(shop.plan(engine)["orders"].statement)
    engine.execute("INSERT INTO s1.orders VALUES (7, 'eu', 1)")
    (wrong,) = shop.plan(used)["orders"].mistakes
    assert "not as its definition in force left it" in wrong.message
    engine.execute("DELETE FROM s1.orders WHERE id = 7")
    assert shop.apply(used)
    assert held(shop, engine) == HELD


def test_a_wider_filter_needs_the_source_and_a_narrower_one_does_not(
    shop: Shop, engine: DuckDB
) -> None:
    """The source is gone: what is proved narrower moves, anything else is refused."""
    shop.run(engine)
    for file in (shop.root / "source").glob("*.jsonl"):
        file.unlink()
    shop.define(orders=BIG, bare="a > 2")
    assert shop.apply(engine)
    assert shop.rows(engine, "orders") == [(1, "eu", 9), (6, "eu", 6), (8, "eu", 8)]
    shop.define(orders=EU, bare="a > 2")
    assert shop.plan(engine)["orders"].mistakes
    with pytest.raises(Mistakes):
        shop.apply(engine)


def test_actions_are_said_in_words_and_move_no_row(shop: Shop, engine: DuckDB) -> None:
    """Later changes are judged anew; what was sent before stays."""
    shop.run(engine)
    before = held(shop, engine)
    shop.publish = "insert, update"
    planned = shop.define(**OLD).plan(engine)
    assert {each.change for each in planned.values()} == {"actions"}
    assert "delete is not published any more; rows stay as they are" in planned["orders"].says
    assert shop.apply(engine)
    assert held(shop, engine) == before
    assert shop.plan(engine) == {}


def test_a_removed_target_stays_until_it_is_dropped(shop: Shop, engine: DuckDB) -> None:
    """Its rows are nobody's concern; with --drop-removed its table is gone, and is not known."""
    shop.run(engine)
    shop.define(orders=EU)
    assert shop.plan(engine)["bare"].change == "removed"
    shop.apply(engine)
    assert engine.exists(("s1", "bare"))
    assert shop.apply(engine, drop_removed=True)
    assert not engine.exists(("s1", "bare"))
    assert shop.plan(engine) == {}
    assert shop.run(engine).mistakes == ()


def test_the_state_of_an_earlier_version_is_taken_over(shop: Shop, engine: DuckDB) -> None:
    """It kept one hash and no text: the same filter is in force, another one is planned by data."""
    shop.run(engine)
    keep_hashes_alone(engine)
    engine.execute("DROP TABLE filtersql.definitions")
    assert shop.plan(engine) == {}
    assert shop.run(engine).mistakes == ()
    shop.define(**NEW)
    planned = shop.plan(engine)
    assert (planned["orders"].delete, planned["orders"].insert) == (4, 2)
    assert any("only the hash is known" in each for each in planned["orders"].says)
    assert shop.apply(engine)
    assert held(shop, engine) == HELD
    assert shop.plan(engine) == {}


@pytest.mark.parametrize("kill_at", [0, 3])
def test_a_window_comes_and_goes_at_the_clock_of_the_target(
    shop: Shop, engine: DuckDB, kill_at: int
) -> None:
    """The clock of the last run, whatever the day; without one that of today."""

    def days(*numbers: int) -> list[tuple[int, datetime]]:
        return [(n, datetime(2026, 3, n)) for n in numbers]

    def apply(window: str | None) -> None:
        shop.window = window
        shop.define(visits=None)
        if kill_at:
            with contextlib.suppress(Killed):
                shop.apply(OneByOne(engine.connection, kill_at, after=True))
        shop.apply(OneByOne(engine.connection))
        assert shop.plan(OneByOne(engine.connection)) == {}

    def run(day: int) -> None:
        used = OneByOne(engine.connection)
        assert shop.run(used, as_of=datetime(2026, 3, day)).mistakes == ()

    rows = [{"id": n, "at": f"2026-03-{n:02}"} for n in range(1, 11)]
    shop.write({"visits": rows}, [change(4, "insert", "visits", after={"id": 11, "at": None})])
    shop.window = "{column: at, keep: 5 days}"
    shop.define(visits=None)
    run(10)
    assert shop.rows(engine, "visits") == days(10, 5, 6, 7, 8, 9)
    apply("{column: at, keep: 2 days}")
    assert shop.rows(engine, "visits") == days(10, 8, 9)
    run(11)
    assert shop.rows(engine, "visits") == days(10, 9)
    apply("{column: at, keep: 7 days, grain: 1 hour}")
    assert shop.rows(engine, "visits") == days(10, 4, 5, 6, 7, 8, 9)
    apply(None)
    assert len(shop.rows(engine, "visits")) == 11
    assert [each.found.total for each in shop.audit(engine)] == [0]
    apply("{column: at, keep: 7 days}")
    assert shop.rows(engine, "visits") == []
