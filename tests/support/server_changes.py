"""Rows that definitions and time move on servers; see test_spark_servers, whose server it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from changed_filters import Shop, change
from msgspec.structs import replace
from running import insert
from server_worlds import Place, held, remote, small
from test_apply_plan import FEED, HELD, LATER, NEW, OLD, SOURCE
from test_lease import ELSEWHERE, MESSAGE, hold

from filtersql.errors import Mistakes
from filtersql.run.model import Event
from filtersql.targets import splitting
from filtersql.targets.marks import Mark
from filtersql.targets.remote import Remote
from filtersql.targets.splitting import FOR_SMALL

__all__ = [
    "test_a_change_that_was_asked_for_again_is_made_once",
    "test_a_changed_definition_is_carried_out_by_a_server",
    "test_a_guard_keeps_a_statement_from_being_run",
    "test_rows_enter_on_a_server_when_their_time_begins",
    "test_small_work_is_spared_what_pays_for_large_work",
]

#: the type of a column -> what the change is called
_CHANGES = {"int": "mixed", "bigint": "rebuild"}


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("thrift delta", {"int": "mixed"}),
        pytest.param("thrift delta", _CHANGES, marks=pytest.mark.long),
        pytest.param("connect iceberg", _CHANGES, marks=pytest.mark.long),
    ],
)
def test_a_changed_definition_is_carried_out_by_a_server(
    kind: str, changes: Mapping[str, str], at: Callable[[str], Place], tmp_path: Path
) -> None:
    """Rows leave and enter; then a type changes, and the table is swapped; a run goes on."""
    shop = Shop(tmp_path, kind.split(" ")[1]).define(orders=OLD["orders"])
    shop.write(SOURCE, FEED)
    engine = at(kind).open()
    engine.drop(("s1", "orders"))
    assert shop.run(engine).mistakes == ()

    for total, kind_of_change in changes.items():
        shop.total = total
        shop.define(orders=NEW["orders"])
        assert [each.planned.change for each in shop.apply(engine) or []] == [kind_of_change]
        assert sorted(shop.rows(engine, "orders")) == HELD["orders"]

    shop.write(changes=LATER[:1], name="2")
    assert shop.run(engine).mistakes == ()
    assert len(shop.rows(engine, "orders")) == len(HELD["orders"]) + 1
    assert all(each.right for each in shop.audit(engine))


@pytest.mark.long
def test_rows_enter_on_a_server_when_their_time_begins(
    at: Callable[[str], Place], tmp_path: Path
) -> None:
    """What is staged there outlives the copy of the source that it came from."""
    shop = Shop(tmp_path, "delta", window="{column: at, keep: 3 days, delay: 1 day}")
    shop.define(visits="id > 0")
    hours = ("23", "24 06", "25 06", "25 18")
    moments = [f"2026-11-{hour[:2]} {hour[3:] or '00'}:00:00" for hour in hours]
    shop.write({"visits": [{"id": n, "at": at} for n, at in enumerate(moments, 1)]})
    shop.write(changes=[change(1, "insert", "visits", after={"id": 5, "at": moments[3]})])
    engine = at("thrift delta").open()
    engine.drop(("s1", "visits"))
    held = []
    for day in (26, 27):
        as_of = datetime(2026, 11, day, 9)
        result = shop.run(engine, as_of=as_of)
        assert result.mistakes == ()
        held.append(sorted(row[0] for row in shop.rows(engine, "visits")))
    assert held == [[1, 2], [2, 3, 4, 5]]
    engine.clear()
    left = engine.names("filtersql")
    assert not [name for name in left if name.startswith("audit_copy")]


@pytest.mark.parametrize("kind", ["thrift delta", "connect iceberg"])
def test_a_change_that_was_asked_for_again_is_made_once(
    kind: str, at: Callable[[str], Place]
) -> None:
    """The first one comes behind the second, which took the same rows: they are not added again."""
    place = at(kind)
    engine = remote(place.open())
    world = small(place.world)
    assert world.run(engine).mistakes == ()
    compiled = world.compiled()[0]
    first = Mark("s1", compiled.relation, 1, 1, change=7)
    entering = f"INSERT INTO {compiled.target_sql} VALUES (20, 'y')"
    engine.write(entering, compiled, replace(first, change=8))
    with suppress(Mistakes):
        engine.write(entering, compiled, first)
    assert held(engine, "t1") == [("6", "x"), ("20", "y")]


@pytest.mark.parametrize("kind", ["thrift delta", "connect iceberg"])
def test_a_guard_keeps_a_statement_from_being_run(kind: str, at: Callable[[str], Place]) -> None:
    """It is judged by the server, in one request with what it guards; the next one is free."""
    place = at(kind)
    engine = remote(place.open())
    world = small(place.world)
    assert world.run(engine).mistakes == ()
    compiled = world.compiled()[0]
    entering = f"INSERT INTO {compiled.target_sql} VALUES (20, 'y')"
    guarded: tuple[Callable[[], None], ...] = (
        lambda: engine.execute(entering),
        lambda: engine.create(compiled.target, compiled.column_definitions_sql, {}),
        lambda: engine.create(("fresh", "t1"), compiled.column_definitions_sql, {}),
        lambda: engine.drop(compiled.target),
    )
    for each in guarded:
        trips = engine.line.trips
        engine.guard("SELECT ASSERT_TRUE(1 = 2, 'overtaken')")
        with pytest.raises(Mistakes, match="overtaken"):
            each()
        assert engine.line.trips == trips + 1
    assert held(engine, "t1") == [("6", "x")]
    assert not engine.exists(("fresh", "t1"))
    engine.guard("SELECT ASSERT_TRUE(1 = 1, 'overtaken')")
    engine.execute(entering)
    assert held(engine, "t1") == [("6", "x"), ("20", "y")]

    def overtake(event: Event) -> None:
        if event.kind == "start":
            hold(engine, ELSEWHERE, 100)

    world.feed([{"seq": 2, **insert("t1", a=7, b="z")}], name="2")
    result = world.run(engine, on_event=overtake)
    assert [one.message for one in result.mistakes] == [MESSAGE]
    assert held(engine, "t1") == [("6", "x"), ("20", "y")]


@pytest.mark.parametrize("kind", ["thrift delta", "connect iceberg"])
def test_small_work_is_spared_what_pays_for_large_work(
    kind: str, at: Callable[[str], Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the session of a run, which has all of it back for a large batch."""
    place = at(kind)
    engine = remote(place.open())
    world = small(place.world)
    write = Remote.write

    def settings() -> dict[str, str]:
        return {str(row[0]): str(row[1]) for row in engine.rows("SET") if row[0] in FOR_SMALL}

    at_first, seen = settings(), list[dict[str, str]]()
    monkeypatch.setattr(
        Remote, "write", lambda self, *rest: seen.append(settings()) or write(self, *rest)
    )
    assert world.run(engine).mistakes == ()
    monkeypatch.setattr(splitting, "_SMALL_CHANGES", 0)
    world.feed([{"seq": 2, **insert("t1", a=7, b="y")}], name="2")
    assert world.run(engine).mistakes == ()
    assert at_first.keys() < FOR_SMALL.keys()
    assert seen == [FOR_SMALL, at_first]
