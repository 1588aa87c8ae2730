"""Filters, windows of time and column lists that change together, beside a plain model.

Tables are ordinary, or partitioned and published by their root or their leaves.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from changed_windows import CLOCK, HOUR, Definition, History, WindowShop, definitions, histories
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from one_by_one import OneByOne
from portioned import MORE

from filtersql.run import planning
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

_SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@st.composite
def _drawn(draw: st.DrawFn) -> tuple[str, History, Definition, Definition, int, int]:
    """A kind of table, its history, two definitions, and the changes of a run and of an `apply`."""
    kind = draw(st.sampled_from(["table", "root", "leaves"]))
    history = draw(histories(kind))
    run = draw(st.integers(0, len(history.changes)))
    pending = draw(st.integers(run, len(history.changes)))
    return kind, history, draw(definitions()), draw(definitions()), run, pending


@settings(max_examples=12 * MORE, **_SETTINGS)
@given(_drawn(), st.booleans())
def test_apply_leaves_what_the_definition_holds(
    tmp_path_factory: pytest.TempPathFactory, drawn: Any, one_by_one: bool
) -> None:
    """At the position and the clock of the target; `plan` counts it, and a later run goes on."""
    engine = connect(None)
    used = OneByOne(engine.connection) if one_by_one else engine
    _compare(tmp_path_factory.mktemp("changed"), "local", lambda shop: used, *drawn)


@pytest.mark.spark
@pytest.mark.long
@pytest.mark.parametrize("target", ["delta", "iceberg"])
@settings(max_examples=5, phases=[Phase.explicit, Phase.generate], **_SETTINGS)
@given(drawn=_drawn())
def test_on_spark_it_is_the_same(
    spark: object, tmp_path_factory: pytest.TempPathFactory, target: str, drawn: Any
) -> None:
    """In one commit for each target."""

    def opened(shop: WindowShop) -> Engine:
        output = shop.compiled()[0].output
        assert output is not None
        return open_engine(output, shop.root)

    _compare(tmp_path_factory.mktemp("changed"), target, opened, *drawn)


def _compare(
    root: Path,
    target: str,
    opened: Callable[[WindowShop], Engine],
    kind: str,
    history: History,
    old: Definition,
    new: Definition,
    run: int,
    pending: int,
) -> None:
    shop = WindowShop(root, target, kind=kind).publish_as(old)
    shop.write(source=history.source, changes=history.changes[:run], name="1")
    (root / "changes").mkdir(exist_ok=True)
    # A feed that matches no file is a mistake.
    (root / "changes/0.jsonl").touch()
    engine = opened(shop)
    try:
        assert shop.run(engine, as_of=CLOCK).mistakes == ()
        before = shop.held(engine)
        assert before == history.expected(old, run, CLOCK)
        shop.publish_as(new)
        shop.write(changes=history.changes[run:pending], name="2")
        with patch.object(planning, "read_clock", lambda: CLOCK):
            done = shop.apply(engine) or []
        after = shop.held(engine)
        assert after == history.expected(new, run, _clock(shop, engine))
        if done and old.columns == new.columns:
            planned = [each.planned for each in done]
            left, entered = Counter(before) - Counter(after), Counter(after) - Counter(before)
            assert sum(each.delete for each in planned) == left.total()
            assert sum(each.insert for each in planned) == entered.total()
        assert [each.found.total for each in shop.audit(engine) if each.found] == [
            0 for _ in shop.targets
        ]
        later = CLOCK + 26 * HOUR
        shop.write(changes=history.changes[pending:], name="3")
        assert shop.run(engine, as_of=later).mistakes == ()
        assert shop.held(engine) == history.expected(new, len(history.changes), later)
    finally:
        engine.close()
        shutil.rmtree(root, ignore_errors=True)


def _clock(shop: WindowShop, engine: Engine) -> datetime:
    """Where the targets stand; where no row hangs on it, none is kept."""
    kept = {each.clock for each in shop.status(engine)} - {None}
    return CLOCK if not kept else datetime.fromisoformat(str(*kept))
