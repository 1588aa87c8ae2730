"""Targets that their filters do not explain: where a mark tells too little, rows are compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_filters import Shop, change
from test_apply_plan import FEED, SOURCE

from filtersql.errors import Mistakes
from filtersql.targets.duckdb import DuckDB


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path).define(orders="total > 5")
    shop.write(SOURCE, FEED)
    return shop


def assert_not_trusted(
    shop: Shop, used: DuckDB, rows: list[tuple[object, ...]], **said: str
) -> None:
    """The plan has one mistake, whose message or detail says so; nothing is changed."""
    (wrong,) = shop.plan(used)["orders"].mistakes
    for part, words in said.items():
        assert words in str(getattr(wrong, part))
    with pytest.raises(Mistakes):
        shop.apply(used)
    assert shop.rows(used, "orders") == rows


def test_rows_that_a_source_system_leaves_are_not_trusted(shop: Shop, used: DuckDB) -> None:
    """Where the new row alone judges an UPDATE, one that left the filter stays under its key."""
    for where in ("total > 5", "total > 0"):
        shop.define(orders=where)
        file = shop.root / "filtersql_project.yml"
        by_new_row = "{profile: postgres, update_decision: new_only}"
        file.write_text(file.read_text().replace("semantics: postgres", f"semantics: {by_new_row}"))
        if where == "total > 5":
            shop.run(used)
            before = {"id": 9, "region": "us", "total": 9}
            left = [change(9, "update", "orders", before=before, after={**before, "total": 2})]
            shop.write(changes=left, name="2")
            assert shop.run(used).mistakes == ()
    kept = shop.rows(used, "orders")
    assert (9, "us", 9) in kept
    assert_not_trusted(shop, used, kept, message="does not explain")


def test_a_row_that_changes_in_quarantine_keep_is_not_trusted(shop: Shop, used: DuckDB) -> None:
    """The source's row enters, and the target has the last good one under its key."""
    images = [{"id": 9, "region": "us", "total": total} for total in (4, 0, 20)]
    shop.write({"orders": images[:1]})
    (shop.root / "changes/1.jsonl").unlink()
    shop.write(
        changes=[
            change(seq, "update", "orders", before=images[seq - 1], after=images[seq])
            for seq in (1, 2)
        ]
    )
    for where in ("10 / total > 1", "10 / total > 1 OR total > 3"):
        shop.define(orders=where)
        file = shop.root / "subscriptions/s.yml"
        file.write_text(f"{file.read_text()}    on_filter_error: quarantine\n")
        if where == "10 / total > 1":
            assert shop.run(used).mistakes == ()
    assert_not_trusted(shop, used, [(9, "us", 4)], detail="stands in quarantine")


def test_a_row_that_a_conflict_kept_is_not_trusted(shop: Shop, used: DuckDB) -> None:
    """`skip` keeps the target's row; the source's has another value."""
    shop.write({"orders": [{"id": 9, "region": "us", "total": 4}]})
    (shop.root / "changes/1.jsonl").unlink()
    shop.write(changes=[change(1, "insert", "orders", after={"id": 9, "region": "us", "total": 2})])
    for where in ("total > 3", "total > 1"):
        shop.define(orders=where)
        file = shop.root / "subscriptions/s.yml"
        file.write_text(f"{file.read_text()}    on_conflict: skip\n")
        if where == "total > 3":
            assert shop.run(used).mistakes == ()
            shop.write(
                changes=[
                    change(2, "insert", "orders", after={"id": 9, "region": "us", "total": 8})
                ],
                name="2",
            )
            assert shop.run(used).mistakes == ()
            shop.write(
                changes=[
                    change(3, "insert", "orders", after={"id": 9, "region": "us", "total": 2})
                ],
                name="3",
            )
            assert shop.run(used).mistakes == ()
    assert shop.rows(used, "orders") == [(9, "us", 4)]
    assert_not_trusted(shop, used, [(9, "us", 4)], detail="by a conflict that a run met")


def test_a_source_that_holds_what_was_never_sent_is_not_trusted(shop: Shop, used: DuckDB) -> None:
    """Updates are not published: a source that was read later has a row's later value."""
    shop.publish = "insert, delete, truncate"
    four, two = ({"id": 9, "region": "us", "total": total} for total in (4, 2))
    shop.write({"orders": [four]})
    (shop.root / "changes/1.jsonl").unlink()
    shop.write(changes=[change(1, "update", "orders", before=four, after=two)])
    shop.define(orders="total > 3")
    assert shop.run(used).mistakes == ()
    shop.define(orders="total > 1")
    assert not shop.plan(used)["orders"].mistakes
    shop.write({"orders": [two]})
    file = shop.root / "subscriptions/s.yml"
    file.write_text(
        file.read_text().replace('source/{table}.jsonl"', 'source/{table}.jsonl", seq: 1')
    )
    shop.forget()
    assert_not_trusted(shop, used, [(9, "us", 4)], message="not as its definition in force left it")


def test_a_row_whose_delete_was_not_sent_is_not_trusted(shop: Shop, used: DuckDB) -> None:
    """Deletes are judged by one of two filters: a row of the other stays when the source's goes."""
    four, two = ({"id": 9, "region": "us", "total": total} for total in (4, 2))
    shop.write({"orders": [four]})
    (shop.root / "changes/1.jsonl").unlink()
    feed = [change(1, "delete", "orders", before=four), change(2, "insert", "orders", after=two)]
    shop.write(changes=feed)
    more = "  - {name: d, tables: [{name: orders, where: total > 100}]}\n"
    for where in ("total > 3", "total > 1"):
        shop.publish = "insert, update"
        shop.define(orders=where)
        for path, old, new in (
            ("publications/p.yml", "publications:\n", f"publications:\n{more}"),
            ("subscriptions/s.yml", "[p]", "[p, d]"),
        ):
            file = shop.root / path
            file.write_text(file.read_text().replace(old, new))
        if where == "total > 3":
            assert shop.run(used).mistakes == ()
    assert_not_trusted(shop, used, [(9, "us", 4)], message="not as its definition in force left it")
