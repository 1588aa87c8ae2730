"""Iceberg's snapshots are expired: where a mark went with them, nothing is guessed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace
from running import World, insert, table
from small_spark import SMALL
from test_targets_spark import held, output

from filtersql.catalog import Identity, ReplicaIdentity
from filtersql.names import RelationName
from filtersql.run import ledger_rows
from filtersql.targets import iceberg
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

pytestmark = pytest.mark.spark

ROWS = [("1", "copied"), ("2", "once"), ("3", "twice")]


@pytest.fixture
def world(tmp_path) -> World:
    """A table without a key, copied and brought further: a cut that comes twice doubles rows."""
    world = World(tmp_path, "spark", "lake")
    bag = table("bag", key=(), a="int4", b="text")
    world.publish(replace(bag, replica_identity=ReplicaIdentity(Identity.FULL)))
    world.source(path="source/{table}.jsonl")
    world.write("source/bag.jsonl", [{"a": 1, "b": "copied"}])
    return world.feed([{"seq": 1, **insert("bag", a=2, b="once")}], name="1")


@pytest.fixture
def engine(tmp_path, world, spark) -> Engine:
    """What has carried out two runs."""
    engine = open_engine(output("iceberg", spark_conf=SMALL), tmp_path)
    assert world.run(engine).mistakes == ()
    more(world, 2, b="twice")
    assert world.run(engine).mistakes == ()
    assert held(engine, "bag") == ROWS
    return engine


def more(world: World, seq: int, b: str) -> None:
    world.feed([{"seq": seq, **insert("bag", a=seq + 1, b=b)}], name=str(seq))


def maintain(engine: Engine) -> None:
    """A snapshot of somebody else, and then no other is kept."""
    target = engine.table_sql(("s1", "bag"))
    engine.execute(f"INSERT INTO {target} SELECT * FROM {target} WHERE FALSE")
    engine.execute(
        "CALL lake.system.expire_snapshots(table => 's1.bag', retain_last => 1,"
        " older_than => TIMESTAMP '2999-01-01 00:00:00')"
    )


def test_a_cut_of_which_no_mark_is_left_is_not_applied_again(world, engine) -> None:
    """Refused, whether something is pending or not; filled anew it goes on."""
    maintain(engine)
    for _ in range(2):
        (wrong,) = world.run(engine).mistakes
        assert wrong.message.startswith("whether the changes of the last run are in")
        assert held(engine, "bag") == ROWS
        more(world, 3, b="later")
    assert world.run(engine, resync=frozenset({RelationName("public", "bag")})).mistakes == ()
    assert held(engine, "bag") == [*ROWS, ("4", "later")]
    assert [one.message for one in world.run(engine).results] == ["nothing new"]


def test_what_an_old_mark_told_is_written_down(world, engine, monkeypatch) -> None:
    """By a run that has nothing else to do, once."""
    monkeypatch.setattr(ledger_rows, "_LONGEST_PROVED", timedelta(0))
    commits = "SELECT count(*) FROM lake.filtersql.ledger.snapshots"
    counted = [*engine.rows(commits)[0]]
    for _ in range(2):
        assert [one.message for one in world.run(engine).results] == ["nothing new"]
        counted += engine.rows(commits)[0]
    assert counted == [counted[0], counted[0] + 1, counted[0] + 1]
    maintain(engine)
    more(world, 3, b="later")
    assert world.run(engine).mistakes == ()
    assert held(engine, "bag") == [*ROWS, ("4", "later")]


def test_a_mark_is_found_behind_any_number_of_other_commits(world, engine, monkeypatch) -> None:
    """Not among the newest alone."""
    monkeypatch.setattr(iceberg, "_SNAPSHOTS_READ", 1)
    target = engine.table_sql(("s1", "bag"))
    for _ in range(2):
        engine.execute(f"INSERT INTO {target} SELECT * FROM {target} WHERE FALSE")
    assert [one.message for one in world.run(engine).results] == ["nothing new"]
    assert held(engine, "bag") == ROWS
