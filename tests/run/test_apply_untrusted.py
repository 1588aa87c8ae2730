"""What the definition in force does not explain: apply asks the data, or refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from changed_filters import Shop, change, keep_hashes_alone
from one_by_one import Killed, OneByOne
from test_apply_plan import EU, FEED, LATER, SOURCE

from filtersql.errors import Mistakes
from filtersql.run import ledger, planning
from filtersql.run.ledger import Ledger
from filtersql.targets.duckdb import DuckDB

BARE = "a > 2"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path).define(orders=EU, bare=BARE)
    shop.write(SOURCE, FEED)
    return shop


def test_rows_that_an_accepted_change_kept_are_not_trusted(shop: Shop, engine: DuckDB) -> None:
    """PostgreSQL sends nothing again: a later, narrower filter still brings what was never sent."""
    shop.run(engine)
    shop.define(orders="total > 5", bare="a > 2")
    assert shop.run(engine, accept_filter_change=True).mistakes == ()
    assert shop.plan(engine) == {}
    shop.write(changes=LATER, name="2")
    assert shop.run(engine).mistakes == ()
    shop.define(orders="total > 6", bare="a > 2")
    planned = shop.plan(engine)["orders"]
    assert (planned.change, planned.delete, planned.insert) == ("mixed", 5, 2)
    assert any("rows of an earlier definition were kept" in said for said in planned.says)
    assert shop.apply(engine)
    assert [each.found.total for each in shop.audit(engine)] == [0, 0]
    shop.define(orders="total > 7", bare="a > 2")
    assert not shop.plan(engine)["orders"].reads_source


@pytest.mark.parametrize("kill_at", range(1, 9))
def test_a_killed_run_is_finished_before_anything_is_applied(
    shop: Shop, engine: DuckDB, kill_at: int
) -> None:
    """Also where no row would move: its changes would be taken for applied."""
    shop.publish = "insert, update, delete, truncate"
    shop.define(orders=EU, bare=BARE)
    try:
        shop.run(OneByOne(engine.connection, kill_at, after=True))
    except Killed:
        shop.publish = "insert, update, delete"
        shop.define(orders=EU, bare=BARE)
        for each in shop.plan(OneByOne(engine.connection)).values():
            assert each.mistakes or each.position == 3 or each.change == "new"
        try:
            shop.apply(OneByOne(engine.connection))
        except Mistakes:
            shop.publish = "insert, update, delete, truncate"
            shop.define(orders=EU, bare=BARE)
    assert shop.run(OneByOne(engine.connection)).mistakes == ()
    assert [each.found.total for each in shop.audit(OneByOne(engine.connection))] == [0, 0]
    assert len(shop.rows(engine, "orders")) == 7


def test_a_filter_that_changes_with_the_actions_is_judged_by_data(
    shop: Shop, engine: DuckDB
) -> None:
    """Rows that a published DELETE took, or an unpublished one left, are not explained."""
    gone = change(4, "delete", "orders", before={"id": 8, "region": "eu", "total": 8})
    shop.write(changes=[gone], name="2")
    shop.run(engine)
    shop.publish = "insert, update"
    shop.define(orders="region = 'eu' AND total > 5", bare=BARE)
    assert shop.plan(engine)["orders"].reads_source
    assert shop.apply(engine)
    assert shop.rows(engine, "orders") == [(1, "eu", 9), (6, "eu", 6), (8, "eu", 8)]
    assert [each.found.total for each in shop.audit(engine) if each.unique_id[-6:] == "orders"] == [
        0
    ]
    shop.publish = "insert, update, delete"
    shop.define(orders="region = 'eu' AND total > 5", bare=BARE)
    assert shop.plan(engine)["orders"].change == "actions"
    assert shop.apply(engine)
    shop.define(orders="region = 'eu' AND total > 4", bare=BARE)
    assert shop.apply(engine)
    assert shop.rows(engine, "orders") == [(1, "eu", 9), (6, "eu", 6)]


def test_the_type_of_a_column_that_only_filters_read_is_part_of_the_definition(
    shop: Shop, engine: DuckDB
) -> None:
    """The same text may mean something else then."""
    shop.publish, shop.columns, shop.key, shop.identity = "insert", "[id]", "id", "default"
    shop.define(orders="total / 2 > 2")
    shop.run(engine)
    shop.total = "numeric"
    shop.define(orders="total / 2 > 2")
    planned = shop.plan(engine)["orders"]
    assert planned.reads_source
    assert (planned.change, planned.insert) == ("wider", 1)


def test_an_earlier_state_of_other_columns_is_built_anew(shop: Shop, engine: DuckDB) -> None:
    """Its hash says nothing of types."""
    shop.run(engine)
    keep_hashes_alone(engine)
    shop.total = "bigint"
    shop.define(orders=EU, bare=BARE)
    assert shop.plan(engine)["orders"].change == "rebuild"
    assert shop.apply(engine)
    assert shop.run(engine).mistakes == ()


def test_a_run_that_goes_on_while_it_is_planned_is_named(shop: Shop, engine: DuckDB) -> None:
    """Its rows are nobody's hand: the ledger was read before them."""
    used = OneByOne(engine.connection)
    assert shop.run(used).mistakes == ()
    read = ledger.read

    def overtaken(*asked: Any) -> Ledger:
        known = read(*asked)
        with patch.object(planning.ledger, "read", read):
            shop.define(orders=EU, bare=BARE).write(changes=LATER, name="2")
            assert shop.run(used).mistakes == ()
            shop.define(orders="total > 7", bare=BARE)
        return known

    shop.define(orders="total > 7", bare=BARE)
    with (
        patch.object(planning.ledger, "read", overtaken),
        pytest.raises(Mistakes, match="another run has the targets"),
    ):
        shop.apply(used)
    assert shop.apply(used)
    assert [each.found.total for each in shop.audit(used) if each.found] == [0, 0]


def test_only_a_table_of_the_project_is_dropped(shop: Shop, engine: DuckDB) -> None:
    """Another project may keep its state in the same schema."""
    shop.run(engine)
    other = Shop(shop.root / "other").define(orders=EU)
    other.write(SOURCE, FEED)
    subscription = other.root / "subscriptions/s.yml"
    subscription.write_text(subscription.read_text().replace("name: s1", "name: s2"))
    assert {each.change for each in other.plan(engine).values()} <= {"removed", "new"}
    assert other.apply(engine, drop_removed=True) is not None
    assert len(shop.rows(engine, "orders")) == 7
    assert len(shop.rows(engine, "bare")) == 3


def test_a_removed_target_that_was_dropped_by_hand_is_no_concern(
    shop: Shop, engine: DuckDB
) -> None:
    """A plan does not speak of it any more."""
    shop.run(engine)
    shop.define(orders=EU)
    shop.apply(engine)
    assert set(shop.plan(engine)) == {"bare"}
    engine.drop(("s1", "bare"))
    assert shop.plan(engine) == {}


def test_rows_of_a_source_that_is_named_no_more_are_not_passed_over(
    shop: Shop, used: DuckDB
) -> None:
    """Neither where a mark explains the target, nor where no row stays; nor by a repair."""
    shop.run(used)
    kept = [shop.rows(used, name) for name in ("orders", "bare")]
    shop.source = False
    for where in ("region = 'us' AND total > 1", f"{EU} OR region = 'us'"):
        shop.define(orders=where, bare=BARE)
        (wrong,) = shop.plan(used)["orders"].mistakes
        assert "was copied from a source" in wrong.message
        with pytest.raises(Mistakes):
            shop.apply(used)
    shop.define(orders=f"{EU} AND total > 1", bare=BARE)
    assert shop.plan(used)["orders"].delete == 1
    shop.define(orders=EU, bare=BARE)
    assert all(each.mistakes for each in shop.audit(used, repair=True))
    assert [shop.rows(used, name) for name in ("orders", "bare")] == kept


def test_a_feed_that_is_all_there_is_needs_no_source(shop: Shop, used: DuckDB) -> None:
    """Nothing was copied: what enters is in the feed, also where the target was filled again."""
    shop.source = False
    for full_refresh in (False, True):
        shop.define(orders=EU, bare=None)
        shop.run(used, full_refresh=full_refresh)
        shop.define(orders=f"{EU} AND total > 5", bare=None)
        assert shop.plan(used)["orders"].delete == 1
        shop.define(orders=f"{EU} OR total > 5", bare=None)
        assert not shop.plan(used)["orders"].mistakes


def test_a_filter_in_force_may_read_a_column_that_is_read_no_more(shop: Shop, used: DuckDB) -> None:
    """The rows of the source lack it, so they are compared with those of the target."""
    shop.publish, shop.columns = "insert", "[id, region]"
    shop.define(orders="total > 5", bare=BARE).run(used)
    shop.define(orders="id < 8", bare=BARE)
    planned = shop.plan(used)["orders"]
    assert (planned.mistakes, planned.delete, planned.insert) == ((), 2, 6)
    assert shop.apply(used)
    assert shop.rows(used, "orders") == [(n, ("eu", "us")[n % 2]) for n in range(8)]
