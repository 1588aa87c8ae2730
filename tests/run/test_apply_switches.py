"""A definition that explains rows which an earlier one left: the data decides, never a mark."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_filters import Shop, change

from filtersql.targets.duckdb import DuckDB

FOUR, TWO = ({"id": 9, "region": "us", "total": total} for total in (4, 2))
LEFT = [change(1, "update", "orders", before=FOUR, after=TWO)]
#: the DELETE is one that is not published
UNSENT = [change(1, "delete", "orders", before=FOUR), change(2, "insert", "orders", after=TWO)]
STAYED = "rows that left the filter may have stayed; from now on none does"


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path).define(orders="total > 3")
    shop.write({"orders": [FOUR]}, LEFT)
    return shop


def _edited(shop: Shop, path: str, old: str, new: str) -> None:
    file = shop.root / path
    file.write_text(file.read_text().replace(old, new))
    shop.forget()


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    "switches",
    [
        "{profile: postgres, update_decision: new_only}",
        "{profile: pglogical, publishes: publications}",
    ],
)
def test_rows_that_other_semantics_left_are_compared(
    shop: Shop, used: DuckDB, switches: str, *, together: bool
) -> None:
    """Else the source's row enters beside the one that stayed under its key."""
    _edited(shop, "filtersql_project.yml", "semantics: postgres", f"semantics: {switches}")
    assert shop.run(used).mistakes == ()
    assert shop.rows(used, "orders") == [(9, "us", 4)]
    shop.forget()
    if not together:
        shop.define(orders="total > 3")
        assert "the filter" in shop.run(used).mistakes[0].message
        planned = shop.plan(used)["orders"]
        assert STAYED in planned.says
        assert shop.apply(used)
        shop.write(changes=[change(2, "update", "orders", before=TWO, after=TWO)], name="2")
        assert shop.run(used).mistakes == ()
    shop.define(orders="total > 1")
    assert not shop.plan(used)["orders"].mistakes
    assert shop.apply(used)
    assert shop.rows(used, "orders") == [(9, "us", 2)]
    assert [each.found.total for each in shop.audit(used)] == [0]
    shop.define(orders="total > 0")
    assert not any("were kept" in said for said in shop.plan(used)["orders"].says)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("pglogical, publishes: publications", "update_decision: target_existence"),
        ("bdr, publishes: publications", "update_decision: target_existence"),
        ("pglogical, publishes: publications", "profile: xdb, null_policy: keep"),
    ],
)
def test_rows_that_stayed_are_compared_where_the_target_decides_from_now_on(
    shop: Shop, used: DuckDB, before: str, now: str
) -> None:
    """No filter judges an old row then, and no DELETE is published that would say so."""
    shop.publish, shop.identity = "insert, update", "full"
    later = now if "profile" in now else f"profile: {before}, {now}"
    for semantics, where in (
        (f"profile: {before}", "total > 3"),
        (later, "total > 3"),
        (later, "total > 3 AND id > 0"),
    ):
        shop.define(orders=where)
        switches = f"semantics: {{{semantics}}}"
        _edited(shop, "filtersql_project.yml", "semantics: postgres", switches)
        if semantics != later:
            assert shop.run(used).mistakes == ()
            assert shop.rows(used, "orders") == [(9, "us", 4)]
            continue
        planned = shop.plan(used)["orders"]
        assert (STAYED in planned.says, planned.mistakes) == (where == "total > 3", ())
        assert shop.apply(used)
    assert shop.rows(used, "orders") == []


def test_a_row_that_a_conflict_kept_before_the_switch_is_not_trusted(
    shop: Shop, used: DuckDB
) -> None:
    """`skip` kept it; that conflicts are decided by `apply` now does not say so."""
    _edited(shop, "subscriptions/s.yml", "changes:", "on_conflict: skip\n    changes:")
    for seq, total in enumerate((2, 8, 2), 1):
        again = change(seq, "insert", "orders", after={**TWO, "total": total})
        shop.write(changes=[again], name=str(seq))
        assert shop.run(used).mistakes == ()
    shop.define(orders="total > 1").forget()
    (wrong,) = shop.plan(used)["orders"].mistakes
    assert "by a conflict that a run met" in str(wrong.detail)


def test_a_narrower_filter_does_not_explain_a_row_whose_delete_was_not_sent(
    shop: Shop, used: DuckDB
) -> None:
    """All filters judge deletes from now on: what stayed is looked for at once."""
    shop.write(changes=UNSENT)
    more = "  - {name: d, tables: [{name: orders, where: total > 100}]}\n"
    for publish, where, held in (
        ("insert, update", "total > 3", [(9, "us", 4)]),
        ("insert, update, delete", "total > 3 AND id > 0", []),
        ("insert, update, delete", "total > 1", [(9, "us", 2)]),
    ):
        shop.publish = publish
        shop.define(orders=where)
        _edited(shop, "publications/p.yml", "publications:\n", f"publications:\n{more}")
        _edited(shop, "subscriptions/s.yml", "[p]", "[p, d]")
        if where == "total > 3":
            assert shop.run(used).mistakes == ()
        else:
            assert shop.apply(used)
        assert shop.rows(used, "orders") == held


def test_actions_that_change_with_the_columns_do_not_explain_earlier_rows(
    shop: Shop, used: DuckDB
) -> None:
    """A column leaves without a look at the source: rows that were not deleted stay."""
    shop.write(changes=UNSENT)
    shop.publish = "insert"
    assert shop.define(orders="total > 3").run(used).mistakes == ()
    shop.publish, shop.identity, shop.key = "insert, delete", "full", "id"
    shop.columns = None
    _without_region(shop, "total > 3")
    assert shop.plan(used)["orders"].change == "columns"
    assert shop.apply(used)
    assert shop.rows(used, "orders") == [(9, 4)]
    _without_region(shop, "total > 1")
    assert any("were kept" in said for said in shop.plan(used)["orders"].says)
    assert shop.apply(used)
    assert shop.rows(used, "orders") == [(9, 2)]


def _without_region(shop: Shop, where: str) -> None:
    """The column leaves the table, and the source."""
    shop.define(orders=where)
    _edited(shop, "tables/t.yml", "region: text, ", "")
    for file in (*shop.root.glob("source/orders.jsonl"), *shop.root.glob("changes/*.jsonl")):
        file.write_text(file.read_text().replace('"region": "us", ', ""))
