"""Another column list, key or type: the table is built anew at its position, in one commit."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from changed_filters import Shop, change, keep_hashes_alone
from one_by_one import Killed, OneByOne, killed_behind_a_write
from test_apply_plan import EU, FEED, SOURCE

from filtersql.errors import Mistakes
from filtersql.targets import delta, iceberg
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

LATER = [
    change(4, "update", "orders", before={"id": 8, "region": "eu", "total": 8},
           after={"id": 8, "region": "eu", "total": 80}),
    change(5, "insert", "orders", after={"id": 30, "region": "eu", "total": 7}),
    change(6, "insert", "bare", after={"a": 9, "c": "x"}),
]  # fmt: skip


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    # PostgreSQL takes a column list that covers the replica identity.
    shop = Shop(tmp_path, key="id, region", identity="default")
    shop.define(orders=EU, bare="a > 2")
    shop.write(SOURCE, FEED)
    return shop


def right(shop: Shop, engine: Engine, folder: Path) -> bool:
    """Whether the targets hold what a fresh copy and the same changes give."""
    for file in shop.root.glob("*/*.jsonl"):
        copied = folder / file.relative_to(shop.root)
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(file.read_bytes())
    other = replace(shop, root=folder, _compiled={}).define(**shop.where)
    fresh = connect(None)
    try:
        assert other.run(fresh).mistakes == ()
        return all(shop.rows(engine, each) == other.rows(fresh, each) for each in shop.where)
    finally:
        fresh.close()


CHANGES: dict[str, tuple[dict[str, str], dict[str, str], tuple[object, ...]]] = {
    "a column leaves": ({"columns": "[id, region]"}, {}, ("columns", 0, 0, 7, 0, False)),
    "another order is the same list": ({"columns": "[total, region, id]"}, {}, ()),
    "a column leaves, and rows": (
        {"columns": "[id, region]"}, {"orders": "id > 5"}, ("columns", 4, 2, 3, 0, True)),
    "another type": ({"total": "bigint"}, {}, ("rebuild", 0, 0, 7, 0, True)),
    "another key": (
        {"key": "id", "identity": "full"}, {}, ("rebuild", 7, 7, 0, 0, True)),
}  # fmt: skip


@pytest.mark.parametrize("kill_at", [0, 3])
@pytest.mark.parametrize("name", CHANGES)
def test_the_table_is_built_anew(
    shop: Shop, engine: DuckDB, tmp_path: Path, name: str, kill_at: int
) -> None:
    """Afterwards it holds what a fresh copy holds, and so it does behind later changes."""
    definitions, filters, counts = CHANGES[name]
    shop.run(OneByOne(engine.connection))
    for field, value in definitions.items():
        setattr(shop, field, value)
    shop.define(**{"orders": EU, "bare": "a > 2", **filters})
    planned = shop.plan(OneByOne(engine.connection))
    if not counts:
        assert planned == {}
        return
    orders = planned["orders"]
    assert (
        orders.change, orders.delete, orders.insert, orders.update, orders.unchanged,
        orders.reads_source,
    ) == counts  # fmt: skip
    with contextlib.suppress(Killed):
        shop.apply(OneByOne(engine.connection, kill_at, after=True))
    shop.apply(OneByOne(engine.connection))
    assert shop.plan(OneByOne(engine.connection)) == {}
    assert right(shop, engine, tmp_path / "now")
    shop.write(changes=LATER, name="2")
    assert shop.run(OneByOne(engine.connection)).mistakes == ()
    assert right(shop, engine, tmp_path / "later")


def test_a_pasted_text_keeps_the_rows_that_it_reads_of_the_target(
    shop: Shop, engine: DuckDB
) -> None:
    """It gives the table that `apply` gives, with a comment at its head as merge.sql has one."""
    shop.define(orders=EU)
    shop.run(engine)
    shop.columns = "[id, region]"
    shop.define(orders=EU)
    statement = str(shop.plan(engine)["orders"].statement)
    assert statement.startswith("-- Subscription s1: public.orders -> s1.orders\n")
    engine.execute("BEGIN")
    engine.execute(statement)
    pasted = sorted(shop.rows(engine, "orders"))
    engine.execute("ROLLBACK")
    assert shop.apply(engine)
    assert pasted == sorted(shop.rows(engine, "orders"))
    assert pasted == [(n, "eu") for n in (0, 1, 2, 4, 6, 8, 20)]


def test_a_column_joins_and_is_filled_from_the_source(
    shop: Shop, engine: DuckDB, tmp_path: Path
) -> None:
    """Its source is needed; a column that leaves needs none."""
    shop.columns = "[id, region]"
    shop.define(orders=EU)
    shop.run(engine)
    shop.columns = None
    shop.define(orders=EU)
    kept = {file: file.read_bytes() for file in (shop.root / "source").glob("*.jsonl")}
    for file in kept:
        file.unlink()
    with pytest.raises(Mistakes):
        shop.apply(engine)
    for file, content in kept.items():
        file.write_bytes(content)
    planned = shop.plan(engine)["orders"]
    assert (planned.change, planned.says) == ("columns", ("column total joins",))
    assert (planned.delete, planned.insert, planned.update) == (0, 0, 7)
    assert "CREATE OR REPLACE TABLE" in str(planned.statement)
    assert shop.apply(engine)
    assert right(shop, engine, tmp_path / "now")
    shop.columns = "[id, region]"
    shop.define(orders=EU)
    for file in kept:
        file.unlink()
    assert shop.apply(engine)
    assert sorted(shop.rows(engine, "orders")) == [(n, "eu") for n in (0, 1, 2, 4, 6, 8, 20)]


def test_actions_that_are_filtered_otherwise_need_another_table(
    shop: Shop, engine: DuckDB, tmp_path: Path
) -> None:
    """Whether a row is held hangs on what brought it: the plan says so and copies the table."""
    shop.run(engine)
    publication = tmp_path / "publications/p.yml"
    publication.write_text(
        publication.read_text() + "  - name: q\n    publish: [insert]\n    tables:\n"
        "      - {name: orders, where: total > 8}\n"
    )
    subscription = tmp_path / "subscriptions/s.yml"
    subscription.write_text(subscription.read_text().replace("[p]", "[p, q]"))
    shop.forget()
    planned = shop.plan(engine)["orders"]
    assert planned.change == "rebuild"
    assert any("hangs on the action" in said for said in planned.says)
    assert shop.apply(engine)
    assert shop.plan(engine) == {}
    assert (9, "us", 9) in shop.rows(engine, "orders")


def commits(engine: Engine, target: str) -> int:
    """How many versions of the table there are."""
    name = engine.table_sql(("s1", "orders"))
    asked = delta.history(name) if target == "delta" else iceberg.snapshots(name, as_text=True)
    return len(engine.rows(asked))


@pytest.mark.spark
@pytest.mark.parametrize("target", ["delta", pytest.param("iceberg", marks=pytest.mark.long)])
def test_spark_swaps_the_table_in_one_commit(spark: object, target: str, tmp_path: Path) -> None:
    """The swap carries the mark: a killed one is known, and a run goes on from the position."""
    shop = Shop(tmp_path, target, key="id, region", identity="default").define(orders=EU)
    shop.write(SOURCE, FEED)
    output = shop.compiled()[0].output
    assert output is not None
    engine = open_engine(output, tmp_path)
    try:
        assert shop.run(engine).mistakes == ()
        shop.columns, shop.key, shop.total = "[total, id]", "id", "bigint"
        shop.define(orders="id > 5")
        before = commits(engine, target)
        with killed_behind_a_write(engine):
            shop.apply(engine)
        assert shop.plan(engine) == {}
        assert commits(engine, target) == before + 1
        assert sorted(shop.rows(engine, "orders")) == [(6, 6), (7, 7), (8, 8), (9, 9), (20, 3)]
        shop.write(changes=LATER[:2], name="2")
        assert shop.run(engine).mistakes == ()
        rows = [(6, 6), (7, 7), (8, 80), (9, 9), (20, 3), (30, 7)]
        assert sorted(shop.rows(engine, "orders")) == rows
    finally:
        engine.close()


def test_columns_that_leave_an_earlier_version_s_target_are_dropped(
    shop: Shop, engine: DuckDB
) -> None:
    """With the filter; its hash does not tell them, so the table is asked."""
    shop.run(engine)
    keep_hashes_alone(engine)
    shop.columns = "[id, region]"
    shop.define(orders="region = 'eu' AND id > 5", bare="a > 2")
    assert shop.plan(engine)["orders"].change == "rebuild"
    assert shop.apply(engine)
    assert shop.rows(engine, "orders") == [(20, "eu"), (6, "eu"), (8, "eu")]
