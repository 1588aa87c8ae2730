"""Random pairs of filters, rows and positions: what `apply` leaves is what a fresh copy would hold.

The fresh copy has the later definition from the beginning, and the same changes behind it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from changed_filters import Shop, change
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from one_by_one import OneByOne

from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

_ATOMS = {
    "orders": ("region = 'eu'", "region <> 'us'", "total > 2", "total < 4", "total IS NULL",
               "id % 2 = 0", "id < 3"),
    "bare": ("a > 1", "a <= 2", "a IS NULL", "c = 'x'", "c <> 'y'"),
}  # fmt: skip
_FEW = st.none() | st.integers(0, 5)


def _filter(table: str) -> st.SearchStrategy[str | None]:
    atom = st.sampled_from(_ATOMS[table])
    joined = st.builds("({} {} {})".format, atom, st.sampled_from(["AND", "OR"]), atom)
    return st.none() | atom | joined | joined.map("NOT {}".format)


@st.composite
def histories(draw: st.DrawFn) -> tuple[dict[str, list[dict[str, Any]]], list[dict[str, Any]]]:
    """Rows of the source, and changes of the feed that a PostgreSQL could have logged."""
    order = st.fixed_dictionaries({"region": st.sampled_from(["eu", "us", None]), "total": _FEW})
    bare = st.fixed_dictionaries({"a": _FEW, "c": st.sampled_from(["x", "y", None])})
    orders = {n: {"id": n, **draw(order)} for n in range(draw(st.integers(0, 5)))}
    copies = draw(st.lists(bare, max_size=5))
    source = {"orders": [*orders.values()], "bare": [*copies]}
    changes: list[dict[str, Any]] = []
    for seq in range(1, draw(st.integers(0, 8)) + 1):
        kind = draw(st.sampled_from(["insert", "update", "delete"]))
        if draw(st.booleans()):
            before = draw(st.sampled_from([None, *orders.values()]))
            if before is None or kind == "insert":
                number = 10 + seq
                orders[number] = {"id": number, **draw(order)}
                changes.append(change(seq, "insert", "orders", after=orders[number]))
                continue
            del orders[before["id"]]
            if kind == "delete":
                changes.append(change(seq, "delete", "orders", before=before))
                continue
            number = draw(st.sampled_from([before["id"], 10 + seq]))
            orders[number] = {"id": number, **draw(order)}
            changes.append(change(seq, "update", "orders", before=before, after=orders[number]))
        elif copies and kind == "delete":
            row = copies.pop(draw(st.integers(0, len(copies) - 1)))
            changes.append(change(seq, "delete", "bare", before=row))
        else:
            copies.append(draw(bare))
            changes.append(change(seq, "insert", "bare", after=copies[-1]))
    return source, changes


_PAIRS = st.fixed_dictionaries({name: st.tuples(_filter(name), _filter(name)) for name in _ATOMS})
_SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=15, **_SETTINGS)
@given(histories(), _PAIRS, st.integers(0, 8), st.booleans())
def test_what_apply_leaves_is_a_fresh_copy(
    tmp_path_factory: Any, history: Any, pairs: Any, cut: int, one_by_one: bool
) -> None:
    """And the plan's counts are the rows that it changed; later changes go on."""
    engine = connect(None)
    used = OneByOne(engine.connection) if one_by_one else engine
    _compare(tmp_path_factory.mktemp("changed"), "local", lambda shop: used, history, pairs, cut)


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize("target", ["delta", "iceberg"])
@settings(max_examples=5, phases=[Phase.explicit, Phase.generate], **_SETTINGS)
@given(history=histories(), pairs=_PAIRS, cut=st.integers(0, 8))
def test_on_spark_it_is_the_same(
    spark: object, tmp_path_factory: Any, target: str, history: Any, pairs: Any, cut: int
) -> None:
    """Against the copy that DuckDB makes."""

    def opened(shop: Shop) -> Engine:
        output = shop.compiled()[0].output
        assert output is not None
        return open_engine(output, shop.root)

    _compare(tmp_path_factory.mktemp("changed"), target, opened, history, pairs, cut)


def _compare(
    root: Path,
    target: str,
    opened: Callable[[Shop], Engine],
    history: Any,
    pairs: Any,
    cut: int,
) -> None:
    source, changes = history
    old = {name: pair[0] for name, pair in pairs.items()}
    new = {name: pair[1] for name, pair in pairs.items()}
    shop, fresh = Shop(root / "a", target).define(**old), Shop(root / "b").define(**new)
    engine, other = opened(shop), connect(None)
    try:
        for each in (shop, fresh):
            each.write(source)
            (each.root / "changes").mkdir(exist_ok=True)
            # A feed that matches no file is a mistake.
            (each.root / "changes/0.jsonl").touch()
        shop.write(changes=changes[:cut])
        fresh.write(changes=changes)
        assert shop.run(engine).mistakes == ()
        before = {name: shop.rows(engine, name) for name in _ATOMS}
        shop.define(**new)
        done = shop.apply(engine) or []
        after = {name: shop.rows(engine, name) for name in _ATOMS}
        _check_counts(done, before, after)
        audited = shop.audit(engine)
        assert [each.mistakes for each in audited] == [(), ()]
        assert [each.found.total for each in audited if each.found] == [0, 0]
        shop.write(changes=changes[cut:], name="2")
        assert shop.run(engine).mistakes == ()
        assert fresh.run(other).mistakes == ()
        for name in _ATOMS:
            assert shop.rows(engine, name) == fresh.rows(other, name), name
    finally:
        engine.close()
        other.close()
        shutil.rmtree(root, ignore_errors=True)


def _check_counts(done: Any, before: Any, after: Any) -> None:
    moved = {name: _moved(before[name], after[name]) for name in before}
    planned = {each.planned.relation.name: each.planned for each in done}
    for name, (left, entered) in moved.items():
        counted = planned.get(name)
        counts = (0, 0, len(before[name])) if counted is None else (
            counted.delete, counted.insert, counted.unchanged
        )  # fmt: skip
        assert counts == (left, entered, len(before[name]) - left), name


def _moved(before: list[Any], after: list[Any]) -> tuple[int, int]:
    left, entered = list(before), []
    for row in after:
        if row in left:
            left.remove(row)
        else:
            entered.append(row)
    return len(left), len(entered)
