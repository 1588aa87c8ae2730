"""What changes meet in the target is decided change by change, whatever the batch."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from running import World, delete, insert, table, truncate, update

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.targets.duckdb_file import connect

KINDS = ("insert_exists", "update_exists", "update_missing", "delete_missing")
#: more of them: FILTERSQL_CONFLICT_EXAMPLES=5000
EXAMPLES = int(os.environ.get("FILTERSQL_CONFLICT_EXAMPLES", "30"))
STOPS = ("insert_exists", "update_exists")


@dataclass
class Subscriber:
    """A table with a key, changed by one change at a time; slow, and plain to see."""

    rows: dict[int, int] = field(default_factory=dict)
    met: Counter[str] = field(default_factory=Counter)

    def apply(self, change: dict) -> None:
        """`b > 0` is the row filter."""
        if change["op"] == "truncate":
            self.rows.clear()
            return
        old, new = change.get("before"), change.get("after")
        was, is_ = bool(old and old["b"] > 0), bool(new and new["b"] > 0)
        if was and is_:
            self.update(old["a"], new["a"], new["b"])
        elif is_:
            self.insert(new["a"], new["b"])
        elif was:
            self.delete(old["a"])

    def insert(self, key: int, value: int) -> None:
        if key in self.rows:
            self.met["insert_exists"] += 1
        else:
            self.rows[key] = value

    def update(self, old: int, new: int, value: int) -> None:
        if old not in self.rows:
            self.met["update_missing"] += 1
        elif new != old and new in self.rows:
            self.met["update_exists"] += 1
        else:
            del self.rows[old]
            self.rows[new] = value

    def delete(self, key: int) -> None:
        if self.rows.pop(key, None) is None:
            self.met["delete_missing"] += 1


class Replacing(Subscriber):
    """Skips an UPDATE of a row that is missing, and no other change."""

    def insert(self, key: int, value: int) -> None:
        super().insert(key, value)
        self.rows[key] = value

    def update(self, old: int, new: int, value: int) -> None:
        held = old in self.rows
        super().update(old, new, value)
        if held:
            self.rows.pop(old, None)
            self.rows[new] = value


keys, values = st.integers(1, 5), st.integers(-1, 3)
changes = st.one_of(
    st.builds(lambda a, b: insert("t", a=a, b=b), keys, values),
    st.builds(
        lambda a, b, c, d: update("t", {"a": a, "b": b}, a=c, b=d), keys, values, keys, values
    ),
    st.builds(lambda a, b, d: update("t", {"a": a, "b": b}, a=a, b=d), keys, values, values),
    st.builds(lambda a, b: delete("t", a=a, b=b), keys, values),
)
histories = st.lists(st.one_of(*[changes] * 15, st.just(truncate("t"))), min_size=1, max_size=14)


def shelf(folder: Path, mode: str, where: str = "{p}b > 0") -> World:
    full = replace(table("t", a="int4!", b="int4"), replica_identity=ReplicaIdentity(Identity.FULL))
    return World(folder).publish(full, where=where).subscribe(on_conflict=mode)


def replacing(folder: Path) -> World:
    """As `Replacing`."""
    world = shelf(folder, "apply").subscribe(on_conflict=None)
    world.semantics = replace(world.semantics, missing_target="skip")
    return world


def rows(engine, name: str = "t") -> list[tuple]:
    return sorted(engine.rows(f"SELECT a, b FROM s1.{name}"))


def counted(met: Mapping[str, int]) -> dict[str, int]:
    return {kind: met.get(kind, 0) for kind in KINDS}


def feed(world: World, history: list[dict], upto: int | None = None) -> None:
    numbered = [{"seq": seq, **change} for seq, change in enumerate(history, 1)]
    world.feed(numbered[:upto])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories, cuts=st.lists(st.integers(1, 13), max_size=2))
def test_a_change_that_is_skipped_changes_nothing(history, cuts):
    """The rows and the counts are those of one change at a time, for any cut into batches."""
    model = Subscriber()
    met: Counter[str] = Counter()
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        world = shelf(Path(folder), "skip")
        for upto in [*sorted({*cuts}), len(history)]:
            feed(world, history, upto)
            result = world.run(engine)
            assert not result.mistakes
            met.update(result.results[0].conflicts)
        for change in history:
            model.apply(change)
        assert rows(engine) == sorted(model.rows.items())
        assert counted(met) == counted(model.met)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(history=histories, sizes=st.lists(st.integers(1, 4), min_size=14, max_size=14))
def test_an_error_stops_before_its_transaction(history, sizes):
    """Where a row exists nothing of the transaction is applied; without that row all goes on."""
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    history = [{**change, "tx": str(tx)} for change, tx in zip(history, places, strict=False)]
    other = [
        {**insert("u", a=seq), "tx": change["tx"]} if seq % 3 == 0 else change
        for seq, change in enumerate(history, 1)
    ]
    model, others = Subscriber(), set()
    position = 0
    with TemporaryDirectory() as folder, closing(connect(None)) as engine:
        world = shelf(Path(folder), "error").publish(table("u", a="int4!"))
        feed(world, other)
        for _ in range(len(history) + 1):
            stopped = play(model, others, other, position)
            result = world.run(engine)
            assert rows(engine) == sorted(model.rows.items())
            assert engine.rows("SELECT a FROM s1.u ORDER BY a") == [(a,) for a in sorted(others)]
            if stopped is None:
                assert not result.mistakes
                return
            position, kind, seq, key = stopped
            (mistake,) = result.mistakes
            assert f"conflict={kind}" in mistake.message
            assert f"Key (a)=({key})" in mistake.detail
            assert f"change is seq {seq}." in mistake.detail
            assert {one.position or 0 for one in result.results} == {position}
            engine.execute(f"DELETE FROM s1.t WHERE a = {key}")
            if model.rows.pop(key, None) is None:
                return  # it is the transaction's own row
        raise AssertionError("it never ends")


def play(model: Subscriber, others: set[int], history: list[dict], position: int):
    """Apply whole transactions above a position; where one stops: (position, kind, seq, key)."""
    numbered = [(seq, change) for seq, change in enumerate(history, 1) if seq > position]
    for _, some in groupby(numbered, key=lambda item: item[1]["tx"]):
        before, before_others = dict(model.rows), set(others)
        for seq, change in some:
            if change["relation"] == "public.u":
                others.add(change["after"]["a"])
                continue
            refused = Counter(model.met)
            model.apply(change)
            new = Counter(model.met) - refused
            for kind in STOPS:
                if new[kind]:
                    model.rows = before
                    others.clear()
                    others.update(before_others)
                    return position, kind, seq, change["after"]["a"]
        position = seq
    return None


@dataclass
class TwoKeys:
    """A table whose rows are found by `d` and whose primary key is `a`."""

    rows: dict[int, int] = field(default_factory=dict)

    def apply(self, change: dict) -> str | None:
        """What it met that stops a subscriber."""
        op, old, new = change["op"], change.get("before"), change.get("after")
        if op == "truncate":
            self.rows.clear()
            return None
        if op == "delete":
            self.rows.pop(old["d"], None)
            return None
        if op == "update" and old["d"] not in self.rows:
            return None
        left = {d: a for d, a in self.rows.items() if op == "insert" or d != old["d"]}
        if new["d"] in left or new["a"] in left.values():
            return "insert_exists" if op == "insert" else "update_exists"
        self.rows = {**left, new["d"]: new["a"]}
        return None


few = st.integers(1, 3)
two_keyed = st.one_of(
    st.builds(lambda a, d: insert("t", a=a, d=d), few, few),
    st.builds(lambda o, a, d: update("t", {"d": o}, a=a, d=d), few, few, few),
    st.builds(lambda o, a: update("t", {"d": o}, a=a, d=o), few, few),
    st.builds(lambda o: delete("t", d=o), few),
    st.builds(lambda o: delete("t", d=o), few),
    st.builds(lambda: truncate("t")),
)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    history=st.lists(two_keyed, min_size=1, max_size=9),
    before=st.dictionaries(few, few, max_size=2).filter(lambda m: len({*m.values()}) == len(m)),
)
def test_uniqueness_is_judged_on_the_primary_key_too(history, before):
    """Where another key finds the rows; with `apply` such a change refuses the run."""
    index = ReplicaIdentity(Identity.INDEX, ("d",))
    one = replace(table("t", a="int4!", d="int4!"), replica_identity=index)
    model, stopped = TwoKeys(dict(before)), None
    for seq, change in enumerate(history, 1):
        kept = dict(model.rows)
        if stopped is None and (kind := model.apply(change)):
            stopped, model.rows = (seq, kind), kept
    for mode in ("error", "apply"):
        with TemporaryDirectory() as folder, closing(connect(None)) as engine:
            world = World(Path(folder)).publish(one).subscribe(on_conflict=mode)
            world.source(path="source.jsonl")
            world.write("source.jsonl", [{"a": a, "d": d} for d, a in before.items()])
            assert not world.feed([]).run(engine).mistakes
            feed(world, history)
            result = world.run(engine)
            found = dict(engine.rows("SELECT d, a FROM s1.t"))
            if mode == "error":
                assert found == model.rows
                assert bool(result.mistakes) == bool(stopped)
                if stopped:
                    assert f"conflict={stopped[1]}" in result.mistakes[0].message
                    assert f"seq {stopped[0]}." in result.mistakes[0].detail
            assert len({*found.values()}) == len(found)
