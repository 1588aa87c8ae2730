"""A run writes its ledger once, before it writes a target; with nothing to do, never."""

from __future__ import annotations

import contextlib

import pytest
from msgspec.structs import replace
from one_by_one import Killed, OneByOne
from running import World, delete, insert, table, update
from soak_commits import Tried, play
from test_applying import T1, T2, held, world
from test_targets_spark import lake, warm

from filtersql.run import Options, lease, ledger, ledger_writer, run
from filtersql.targets.duckdb import DuckDB

__all__ = ["lake", "warm", "world"]


class Counting(OneByOne):
    """Counts what is written down, what is written, and what is asked of a target."""

    def __init__(self, connection, **more) -> None:
        super().__init__(connection, **more)
        self.appended: list[list[str]] = []
        self.written: list[str] = []
        self.asked: list[str] = []

    def append(self, parts, columns, rows, slot, then):
        place = list(columns).index("phase")
        self.appended.append([row[place] for row in rows])
        return super().append(parts, columns, rows, slot, then)

    def begin(self, parts, query, slot=None):
        super().begin(parts, query, slot)
        if parts[1] == "ledger":
            phases = self.rows("SELECT phase FROM filtersql.ledger ORDER BY ordinal")
            self.appended.append([phase for (phase,) in phases])

    def write(self, statement, compiled, mark):
        self.written.append(compiled.target[1])
        return super().write(statement, compiled, mark)

    def columns(self, parts):
        self.asked.append(parts[1])
        return super().columns(parts)

    def committed(self, parts):
        self.asked.append(f"mark of {parts[1]}")
        return super().committed(parts)


def test_each_run_writes_the_ledger_once_and_one_without_changes_never(world, engine) -> None:
    """Copies and their first changes are one intention, too."""
    one = Counting(engine.connection)
    assert world.run(one).mistakes == ()
    assert one.appended == [["read", "copying", "copying"]]
    assert (held(one, "t1"), held(one, "t2")) == (T1, T2)
    idle = Counting(engine.connection)
    assert [found.message for found in world.run(idle).results] == ["nothing new"] * 2
    assert (idle.appended, idle.written) == ([], [])
    world.feed([{"seq": 10, **insert("t1", a=20, b=0)}], name="2")
    later = Counting(engine.connection)
    result = world.run(later)
    assert result.mistakes == ()
    # What the marks of the first run proved goes along; the other target is where the feed is.
    assert later.appended == [["applied", "read", "applying"]]
    assert {found.position for found in result.results} == {10}
    assert {found.position for found in world.run(Counting(engine.connection)).results} == {10}


def test_a_target_without_changes_is_neither_asked_nor_written(tmp_path, engine) -> None:
    """One of thirty changes; the marks of the others are asked for once."""
    world = World(tmp_path)
    for number in range(30):
        world.publish(table(f"t{number}", a="int4!", b="text"))
    world.feed([insert(f"t{number}", a=1, b="x") for number in range(30)])
    one = Counting(engine.connection)
    assert world.run(one).mistakes == ()
    assert [len(rows) for rows in one.appended] == [31]
    second = Counting(engine.connection)
    assert world.run(second).mistakes == ()
    marks = {f"mark of t{number}" for number in range(30)}
    assert marks <= set(second.asked)
    assert second.appended == [["applied"] * 30]
    world.feed([{"seq": 100, **update("t7", a=1, b="y")}], name="2")
    third = Counting(engine.connection)
    result = world.run(third)
    assert (third.written, third.appended) == (["t7"], [["read", "applying"]])
    assert set(third.asked) == {"ledger", "t7"}
    assert {found.position for found in result.results} == {100}
    fourth = Counting(engine.connection)
    assert world.run(fourth).mistakes == ()
    assert (fourth.appended, set(fourth.asked)) == ([], {"ledger", "mark of t7"})


def test_tables_without_rows_or_changes_are_known_by_the_next_run(tmp_path, engine) -> None:
    """Nothing to copy and nothing to apply; changes that the filter leaves out; an empty source."""
    world = World(tmp_path)
    world.publish(table("empty", a="int4!")).publish(table("left", a="int4!"), where="{p}a > 5")
    world.publish(table("full", a="int4!"))
    world.feed([insert("left", a=1), insert("full", a=1)])
    assert world.run(OneByOne(engine.connection)).mistakes == ()
    idle = Counting(engine.connection)
    result = world.run(idle)
    assert [found.message for found in result.results] == ["nothing new"] * 3
    assert {found.position for found in result.results} == {2}
    assert idle.appended == []


def test_the_state_of_an_earlier_version_is_taken_over(world, engine, monkeypatch) -> None:
    """It wrote `applied` behind each `applying`; a kill left an `applying` alone."""
    world.run(OneByOne(engine.connection))
    known = ledger.read(engine, "filtersql")
    rows = [
        ledger.replace(entry, ordinal=known.number_of("s1") + place, phase=phase, held_until=None)
        for place, (entry, phase) in enumerate(
            [(entry, phase) for phase in ("copied", "applying") for entry in known.newest.values()],
            1,
        )
    ]
    rows = [
        ledger.replace(row, from_position=6, position=6 if row.phase == "copied" else 9)
        for row in rows
    ]
    ledger_writer.append(engine, "filtersql", rows)
    world.feed([{"seq": 9, **insert("t1", a=20, b=0)}, {"seq": 10, **delete("t1", a=20)}], name="2")
    result = world.run(OneByOne(engine.connection))
    assert result.mistakes == ()
    assert {found.position for found in result.results} == {10}
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, T2)


def test_a_part_of_a_subscription_leaves_the_others_where_they_are(world, engine) -> None:
    """`--select`: one row would speak of targets that were not looked at."""
    world.run(OneByOne(engine.connection))
    world.feed(
        [{"seq": 10, **insert("t1", a=20, b=0)}, {"seq": 11, **insert("t2", a=20, c="z")}], name="2"
    )
    whole = world.compiled
    world.compiled = lambda: whole()[:1]
    assert {found.position for found in world.run(OneByOne(engine.connection)).results} == {11}
    world.compiled = whole
    assert world.run(OneByOne(engine.connection)).mistakes == ()
    assert held(engine, "t2") == [*T2, (20, "z")]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kill_at", range(1, 5))
def test_a_kill_leaves_targets_without_changes_where_they_are(
    world, engine, kill_at, after
) -> None:
    """The row that speaks of all is written with the intention of those that change."""
    world.run(OneByOne(engine.connection))
    world.feed([{"seq": 10, **insert("t1", a=20, b=0)}], name="2")
    one = OneByOne(engine.connection, kill_at, after)
    with contextlib.suppress(Killed):
        world.run(one)
    world.feed([{"seq": 11, **insert("t2", a=20, c="z")}, {"seq": 12, **delete("t1", a=20)}],
               name="3")  # fmt: skip
    result = world.run(OneByOne(engine.connection))
    assert result.mistakes == ()
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, [*T2, (20, "z")])
    assert {found.position for found in result.results} == {12}


@pytest.mark.parametrize("atomic", [False, True])
def test_a_stop_before_the_first_pending_change_moves_no_target(world, engine, atomic) -> None:
    """No boundary lies between the targets and the conflict: nobody is said to be behind it."""
    world.subscribe(on_conflict="error")
    one = DuckDB if atomic else OneByOne
    world.feed([])
    assert world.run(one(engine.connection)).mistakes == ()
    world.feed([{"seq": 10, **insert("t1", a=7, b=5)}, {"seq": 11, **insert("t1", a=30, b=5)}],
               name="2")  # fmt: skip
    for _ in range(2):
        result = world.run(one(engine.connection))
        assert len(result.mistakes) == 1
        assert {found.position for found in result.results} == {None}
    # The row that is in the way is taken away by hand, as a subscriber's administrator does.
    engine.execute("DELETE FROM s1.t1 WHERE a = 7")
    assert world.run(one(engine.connection)).mistakes == ()
    assert held(engine, "t1") == [(6, 0), (7, 5), (30, 5)]


def test_a_stop_at_the_first_change_leaves_copies_where_they_are(world, engine) -> None:
    """What was intended of them ends with the stop: nothing is left to be finished."""
    world.subscribe(on_conflict="error")
    world.feed([insert("t1", a=7, b=5), insert("t1", a=30, b=5)])
    result = world.run(OneByOne(engine.connection))
    assert len(result.mistakes) == 1
    assert {found.position for found in result.results} == {None}
    known = ledger.read(engine, "filtersql")
    assert {(row.phase, row.position) for row in known.newest.values()} == {("copied", None)}
    engine.execute("DELETE FROM s1.t1 WHERE a = 7")
    result = world.run(OneByOne(engine.connection))
    assert result.mistakes == ()
    assert {found.position for found in result.results} == {2}
    assert held(engine, "t1") == [(6, 0), (7, 5), (30, 5)]


def test_a_dry_run_of_two_subscriptions_undoes_the_ledger_that_the_first_one_made(
    world, engine
) -> None:
    """The second one makes it again, and both are undone."""
    again = World(world.root, published=world.published, tables=world.tables)
    again.subscribe(name="s2")
    tables = {"s1": world.compiled(), "s2": again.compiled()}
    both = {"s1": world.subscription, "s2": again.subscription}
    inputs = replace(world.inputs(), subscriptions=both)
    for dry_run in (True, False):
        result = run(inputs, tables, engine, Options(dry_run=dry_run))
        assert (result.mistakes, len(result.results)) == ((), 4)
        assert engine.exists(("filtersql", "ledger")) == (not dry_run)


@pytest.mark.spark
def test_spark_writes_its_ledger_once(lake, monkeypatch) -> None:
    """Copies of no row and MERGEs that change no row leave their marks, too."""
    monkeypatch.setattr(lease, "SECONDS", 3600)  # no heartbeat between
    world, engine = lake
    world.write("source/public.t2.jsonl", [])
    world.feed([insert("t1", a=8, b=1, c="x", v="1.50", d="2024-01-01", z="2024-01-01 00:00+00"),
                delete("t2", a=5)])  # fmt: skip
    commits: list[int] = []
    note = ledger_writer.append

    def counted(*asked, **made) -> None:
        commits.append(len(asked[2]))
        note(*asked, **made)

    monkeypatch.setattr(ledger_writer, "append", counted)
    assert world.run(engine).mistakes == ()
    assert commits == [3, 1]  # the delete met no row: a conflict that the ledger tells
    result = world.run(engine)
    assert [found.message for found in result.results] == ["nothing new"] * 2
    assert len(commits) == 2
    world.feed([{"seq": 9, **delete("t2", a=7)}], name="2")
    assert world.run(engine).mistakes == ()
    assert world.run(engine).results[1].position == 9
    assert len(commits) == 3


def test_random_histories_survive_kills_around_their_commits(tmp_path) -> None:
    """What soak_commits.py plays by the hundred."""
    tried = Tried()
    for seed in range(8):
        play(seed, tmp_path / str(seed), tried)
    assert tried.kills >= 8
