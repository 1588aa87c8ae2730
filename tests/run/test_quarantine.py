"""Changes on which a filter raises are put aside, key by key, and come back in their order."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from running import World, delete, insert, table, truncate, update

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect

#: more of them: FILTERSQL_CONFLICT_EXAMPLES=5000
EXAMPLES = int(os.environ.get("FILTERSQL_CONFLICT_EXAMPLES", "25"))
RAISING = "CASE WHEN {p}b = 0 THEN error('no') ELSE {p}b > 0 END"
MENDED = "{p}b > 0"


@dataclass
class Subscriber:
    """One change at a time; `b > 0` is the filter, and where `raises` it raises on 0."""

    raises: bool
    rows: dict[int, int] = field(default_factory=dict)
    blocked: set[int] = field(default_factory=set)
    aside: list[int] = field(default_factory=list)

    def apply(self, seq: int, change: dict) -> None:
        if change["op"] == "truncate":
            self.rows.clear()
            return
        images = [image for image in (change.get("before"), change.get("after")) if image]
        keys = {image["a"] for image in images}
        fails = self.raises and any(image["b"] == 0 for image in images)
        if fails or keys & self.blocked:
            self.blocked |= keys
            self.aside.append(seq)
            return
        old, new = change.get("before"), change.get("after")
        if old and old["b"] > 0:
            self.rows.pop(old["a"], None)
        if new and new["b"] > 0:
            self.rows[new["a"]] = new["b"]


keys, values = st.integers(1, 4), st.sampled_from([-1, 0, 1, 2, 3, 4])
CHANGES = [
    st.builds(lambda a, b: insert("t", a=a, b=b), keys, values),
    st.builds(
        lambda a, b, c, d: update("t", {"a": a, "b": b}, a=c, b=d), keys, values, keys, values
    ),
    st.builds(lambda a, b, d: update("t", {"a": a, "b": b}, a=a, b=d), keys, values, values),
    st.builds(lambda a, b: delete("t", a=a, b=b), keys, values),
]
plain = st.lists(st.one_of(*CHANGES), min_size=1, max_size=12)
truncating = st.lists(st.one_of(*CHANGES, st.just(truncate("t"))), min_size=1, max_size=12)
cuts = st.lists(st.integers(1, 11), max_size=2)


def shelf(folder: Path, where: str) -> World:
    full = replace(table("t", a="int4!", b="int4"), replica_identity=ReplicaIdentity(Identity.FULL))
    world = World(folder).publish(full, where=where)
    return world.subscribe(on_filter_error="quarantine")


def rows(engine: DuckDB) -> list[tuple]:
    return sorted(engine.rows("SELECT a, b FROM s1.t"))


def apply(folder: str, engine: DuckDB, history: list[dict], stops: list[int]) -> World:
    """Run a history in several batches, with the filter that raises."""
    world = shelf(Path(folder), RAISING)
    numbered = [{"seq": seq, **change} for seq, change in enumerate(history, 1)]
    for upto in [*sorted({*stops}), len(history)]:
        world.feed(numbered[:upto])
        assert not world.run(engine).mistakes
    return world


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=plain, stops=cuts)
def test_what_is_put_aside_hangs_on_no_batch(history: list[dict], stops: list[int]) -> None:
    """The rows, and the changes in quarantine, are those of one change at a time."""
    model = Subscriber(raises=True)
    for seq, change in enumerate(history, 1):
        model.apply(seq, change)
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        apply(folder, engine, history, stops)
        assert rows(engine) == sorted(model.rows.items())
        found = engine.exists(("s1", "t__quarantine"))
        held = engine.rows("SELECT seq FROM s1.t__quarantine ORDER BY seq") if found else []
        assert [seq for (seq,) in held] == model.aside


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=truncating, stops=cuts, later=plain)
def test_a_release_leaves_what_one_batch_would(
    history: list[dict], stops: list[int], later: list[dict]
) -> None:
    """With a filter that is mended, the rows are those of a history that never raised."""
    model = Subscriber(raises=False)
    for seq, change in enumerate([*history, *later], 1):
        model.apply(seq, change)
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        world = apply(folder, engine, history, stops)
        mended = shelf(world.root, MENDED)
        mended.feed(
            [{"seq": seq, **change} for seq, change in enumerate(later, len(history) + 1)],
            name="2",
        )
        result = mended.run(engine, release=True, accept_filter_change=True)
        assert not result.mistakes
        assert rows(engine) == sorted(model.rows.items())
        if engine.exists(("s1", "t__quarantine")):
            assert engine.rows("SELECT * FROM s1.t__quarantine") == []


def test_values_of_every_kind_come_back_from_quarantine() -> None:
    """What is put aside is PostgreSQL's text of each value, and is read again as a feed's."""
    sent = {
        "a": 1,
        "b": 0,
        "d": "2024-02-29",
        "past": "0044-03-15 BC",
        "ts": "2024-02-29 10:00:00.5",
        "tz": "2024-02-29 10:00:00+02",
        "at": "24:00:00",
        "span": "25 mons",
        "days": "{2024-1-1,infinity}",
        "n": "1.50",
        "f": 0.1,
        "yes": True,
        "raw": "\\x00ff",
        "doc": '{"b": 1,"a": 2}',
    }
    types = ("int4!", "int4", "date", "date", "timestamp", "timestamptz", "time", "interval")
    types = (*types, "_date", "numeric", "float8", "bool", "bytea", "jsonb")
    full = replace(
        table("t", **dict(zip(sent, types, strict=True))),
        replica_identity=ReplicaIdentity(Identity.FULL),
    )

    def world(folder: Path, where: str) -> World:
        published = World(folder).publish(full, where=where)
        published.subscribe(on_filter_error="quarantine")
        published.feed([{"seq": 1, **insert("t", **sent)}])
        return published

    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        assert not world(Path(folder, "plain"), "{p}b >= 0").run(engine).mistakes
        direct = engine.rows("SELECT t::text FROM s1.t")
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        assert not world(Path(folder), RAISING).run(engine).mistakes
        assert engine.rows("SELECT * FROM s1.t") == []
        mended = world(Path(folder), "{p}b >= 0")
        released = mended.run(engine, release=True, accept_filter_change=True)
        assert not released.mistakes
        assert [one.message for one in released.results] == ["1 inserted"]
        assert engine.rows("SELECT t::text FROM s1.t") == direct != []


def test_days_that_python_has_not_are_keys_like_others() -> None:
    """In quarantine, and in the sample of conflicts, where they are as PostgreSQL prints them."""
    first = {"d": "infinity", "ts": "-infinity", "tz": "infinity"}
    last = {"d": "0044-03-15 BC", "ts": "4714-11-24 00:00:00 BC", "tz": "4714-11-24 00:00:00+00 BC"}
    columns = {"d": "date!", "ts": "timestamp!", "tz": "timestamptz!", "b": "int4"}
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        world = World(Path(folder)).publish(
            replace(
                table("t", key=("d", "ts", "tz"), **columns),
                replica_identity=ReplicaIdentity(Identity.FULL),
            ),
            where=RAISING,
        )
        world.subscribe(on_filter_error="quarantine")
        changes = [insert("t", b=1, **first), insert("t", b=1, **last), insert("t", b=2, **first)]
        changes += [insert("t", b=0, **last), update("t", {"b": 1, **last}, b=3, **last)]
        world.feed([{"seq": seq, **change} for seq, change in enumerate(changes, 1)])
        (result,) = world.run(engine).results
        assert [dict(one.key) for one in result.conflict_sample] == [first]
        assert engine.rows("SELECT b FROM s1.t ORDER BY b") == [(1,), (2,)]
        assert engine.rows("SELECT seq FROM s1.t__quarantine ORDER BY seq") == [(4,), (5,)]


@pytest.mark.parametrize("key", [("f",), ()])
@pytest.mark.parametrize("value", ["NaN", "Infinity", "0.5"])
def test_a_key_that_is_no_number_holds_its_later_changes_back(
    value: str, key: tuple[str, ...], tmp_path: Path
) -> None:
    """Every change of the row behind the one that raised comes back in its order."""
    full = ReplicaIdentity(Identity.FULL)
    numbered = replace(table("t", f="float8!", b="int4", key=key), replica_identity=full)

    def world(where: str) -> World:
        made = World(tmp_path).publish(numbered, where=where)
        return made.subscribe(on_filter_error="quarantine")

    changes = [
        insert("t", f=value, b=1),
        update("t", {"f": value, "b": 1}, f=value, b=0),
        update("t", {"f": value, "b": 0}, f=value, b=5),
        delete("t", f=value, b=5),
        insert("t", f=value, b=7),
    ]
    with closing(connect(None)) as engine:
        first = world(RAISING)
        first.feed([{"seq": seq, **change} for seq, change in enumerate(changes, 1)])
        assert not first.run(engine).mistakes
        held = [seq for (seq,) in engine.rows("SELECT seq FROM s1.t__quarantine ORDER BY seq")]
        assert held == ([2, 3, 4, 5] if key else [2, 3, 4])
        assert not world(MENDED).run(engine, release=True, accept_filter_change=True).mistakes
        assert engine.rows("SELECT b FROM s1.t") == [(7,)]


@pytest.mark.parametrize("key", [("a",), ()])
def test_a_row_with_an_unsent_value_holds_its_later_changes_back(
    key: tuple[str, ...], tmp_path: Path
) -> None:
    """Without a key it is found by all its values: what was not sent is as it was."""
    full = ReplicaIdentity(Identity.FULL)
    large = replace(table("t", a="int4!", b="int4", big="text", key=key), replica_identity=full)

    def touched(was: int, now: int) -> dict:
        change = update("t", {"a": 1, "b": was, "big": "B"}, a=1, b=now)
        return {**change, "unchanged": ["big"]}

    def world(where: str) -> World:
        made = World(tmp_path).publish(large, where=where)
        return made.subscribe(on_filter_error="quarantine")

    changes = [insert("t", a=1, b=1, big="B"), touched(1, 0), touched(0, 3), touched(3, 5)]
    changes += [delete("t", a=1, b=5, big="B"), insert("t", a=2, b=7, big="C")]
    with closing(connect(None)) as engine:
        first = world(RAISING)
        first.feed([{"seq": seq, **change} for seq, change in enumerate(changes, 1)])
        assert not first.run(engine).mistakes
        held = engine.rows("SELECT seq FROM s1.t__quarantine ORDER BY seq")
        assert [seq for (seq,) in held] == [2, 3, 4, 5]
        assert not world(MENDED).run(engine, release=True, accept_filter_change=True).mistakes
        assert engine.rows("SELECT * FROM s1.t") == [(2, 7, "C")]
