"""A run applies every pending change once, or refuses and has changed nothing."""

from __future__ import annotations

import contextlib

import pytest
from one_by_one import Killed, OneByOne
from running import World, delete, insert, table, truncate, update

from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect


@pytest.fixture
def world(tmp_path) -> World:
    return sample(tmp_path)


def sample(tmp_path) -> World:
    """Two tables, their sources and a feed."""
    world = World(tmp_path).publish(table("t1", a="int4!", b="int4"), where="{p}a > 5")
    world.publish(table("t2", a="int4!", c="text!")).source(path="source/{schema}.{table}.jsonl")
    world.write("source/public.t1.jsonl", [{"a": n, "b": 0} for n in (1, 6, 7)])
    world.write("source/public.t2.jsonl", [{"a": 1, "c": "x"}])
    return world.feed(
        [
            insert("t1", a=8, b=1),
            update("t1", {"a": 1}, a=9, b=2),
            update("t1", {"a": 6}, a=2, b=2),
            update("t1", a=7, b=7),
            insert("t2", a=2, c="y"),
            delete("t2", a=1),
        ]
    )


T1 = [(7, 7), (8, 1), (9, 2)]
T2 = [(2, "y")]


def held(engine, name: str) -> list[tuple]:
    return engine.rows(f"SELECT * FROM s1.{name} ORDER BY 1")


def tables(engine) -> list[tuple]:
    return engine.rows("SELECT table_schema, table_name FROM information_schema.tables ORDER BY 2")


def test_the_copy_and_the_changes_leave_what_postgresql_would(world, engine) -> None:
    """Rows that enter the filter are inserted, rows that leave it deleted; counts are exact."""
    result = world.run(engine)
    assert result.mistakes == ()
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, T2)
    first = result.results[0]
    # two rows by the copy, then 8 and 9; 7; and 6
    counts = (first.rows_inserted, first.rows_updated, first.rows_deleted)
    assert (counts, first.changes_read, first.position) == ((4, 1, 1), 4, 6)


def test_a_second_run_changes_nothing_and_says_so(world, engine, tmp_path) -> None:
    """In another process too: the state stands beside the targets."""
    world.run(engine)
    before = engine.rows("SELECT count(*) FROM filtersql.ledger")
    engine.close()
    again = connect(tmp_path / "x.duckdb")
    result = world.run(again)
    assert [found.message for found in result.results] == ["nothing new", "nothing new"]
    assert (held(again, "t1"), held(again, "t2")) == (T1, T2)
    assert again.rows("SELECT count(*) FROM filtersql.ledger") == before
    again.close()


def test_replays_are_skipped_and_counted(world, engine) -> None:
    """A file that overlaps what was applied."""
    world.run(engine)
    world.feed(
        [{"seq": 4, **update("t1", a=7, b=7)}, {"seq": 7, **update("t1", a=7, b=8)}], name="2"
    )
    result = world.run(engine)
    assert (result.results[0].changes_read, result.results[0].changes_skipped) == (1, 1)
    assert held(engine, "t1")[0] == (7, 8)


def test_any_cut_into_runs_leaves_the_same(world, engine) -> None:
    """One run for each change, or one for all."""
    lines = (world.root / "changes/1.jsonl").read_bytes().splitlines(keepends=True)
    for index, line in enumerate(lines, 1):
        world.feed(line, name=str(index))
        assert world.run(engine).mistakes == ()
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, T2)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({**insert("t2", a=9, c="y"), "op": "insrt"}, 'unknown op "insrt"'),
        (insert("t2", a=9, c=None), "violates not-null constraint"),
        (insert("t3", a=9), 'unknown table "public.t3"'),
        (insert("t2", a="x", c="y"), "invalid input syntax"),
    ],
)
@pytest.mark.parametrize("kind", [DuckDB, OneByOne])
def test_a_refusal_changes_nothing(world, engine, kind, bad, message) -> None:
    """Neither a table nor a row, on the first run and on a later one."""
    chosen = kind(engine.connection)
    made = tables(chosen)
    world.feed([{"seq": 50, **bad}], name="2")
    result = world.run(chosen)
    assert message in result.mistakes[0].message
    assert [found.status for found in result.results] == ["error", "error"]
    assert tables(chosen) == made
    (world.root / "changes/2.jsonl").unlink()
    assert world.run(chosen).mistakes == ()
    world.feed([{"seq": 49, **insert("t1", a=50, b=0)}, {"seq": 50, **bad}], name="2")
    assert world.run(chosen).mistakes
    assert (held(chosen, "t1"), held(chosen, "t2")) == (T1, T2)


def test_a_filter_that_raises_stops_before_the_first_merge(world, engine) -> None:
    """All tables are judged before the first is merged; the copies stay."""
    raising = World(world.root).publish(
        table("t1", a="int4!", b="int4"),
        where="CASE WHEN {p}a = 8 THEN error('boom') ELSE TRUE END",
    )
    raising.publish(table("t2", a="int4!", c="text!")).source(path="source/{schema}.{table}.jsonl")
    one = OneByOne(engine.connection)
    result = raising.run(one)
    assert "boom" in result.mistakes[0].message
    assert held(one, "t1") == [(1, 0), (6, 0), (7, 0)]
    assert held(one, "t2") == [(1, "x")]
    assert world.run(one, accept_filter_change=True).mistakes == ()
    assert held(one, "t2") == T2


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kill_at", range(1, 14))
def test_a_kill_at_any_commit_is_finished_by_the_next_run(world, engine, kill_at, after) -> None:
    """Before a commit or after it and before it was known; more changes came in meanwhile."""
    killed = False
    with contextlib.suppress(Killed):
        world.run(OneByOne(engine.connection, kill_at, after))
        killed = True
    if not killed:
        world.feed([{"seq": 9, **update("t1", a=7, b=9)}], name="2")
    result = world.run(OneByOne(engine.connection))
    assert result.mistakes == ()
    expected = T1 if killed else [(7, 9), *T1[1:]]
    assert (held(engine, "t1"), held(engine, "t2")) == (expected, T2)
    again = world.run(OneByOne(engine.connection))
    assert [found.message for found in again.results] == ["nothing new", "nothing new"]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kill_at", range(1, 6))
def test_a_kill_in_a_later_run_finishes_the_same_cut_first(world, engine, kill_at, after) -> None:
    """An INSERT after a DELETE of one key: applied twice, the row would come back."""
    world.run(OneByOne(engine.connection))
    world.feed([{"seq": 10, **insert("t1", a=20, b=0)}, {"seq": 11, **insert("t2", a=20, c="")}],
               name="2")  # fmt: skip
    with contextlib.suppress(Killed):
        world.run(OneByOne(engine.connection, kill_at, after))
    world.feed([{"seq": 12, **delete("t1", a=20)}, {"seq": 13, **delete("t2", a=20)}], name="3")
    result = world.run(OneByOne(engine.connection))
    assert result.mistakes == ()
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, T2)
    assert {found.position for found in result.results} == {13}


def test_a_changed_filter_is_refused_until_it_is_accepted(world, engine) -> None:
    """Decision 3: as PostgreSQL, nothing is sent again then."""
    world.run(engine)
    wider = World(world.root).publish(table("t1", a="int4!", b="int4"), where="{p}a > 0")
    wider.publish(table("t2", a="int4!", c="text!")).source(path="source/{schema}.{table}.jsonl")
    result = wider.run(engine)
    assert [mistake.message for mistake in result.mistakes] == [
        'the filter of "s1/public.t1" changed since the last run'
    ]
    assert "accept-filter-change" in result.mistakes[0].hint
    assert wider.run(engine, accept_filter_change=True).mistakes == ()
    assert wider.run(engine).mistakes == ()  # it is not asked again
    wider.feed([{"seq": 20, **insert("t1", a=3, b=0)}], name="2")
    assert wider.run(engine, accept_filter_change=True).mistakes == ()
    assert held(engine, "t1") == [(3, 0), *T1]
    assert wider.run(engine).mistakes == ()


def test_a_target_that_filtersql_did_not_make_is_left_alone(world, engine) -> None:
    """And one that somebody dropped is not quietly made anew."""
    engine.execute("CREATE SCHEMA s1")
    engine.execute("CREATE TABLE s1.t2 (x INT)")
    result = world.run(engine)
    assert "was not made by filtersql" in result.mistakes[0].message
    assert not engine.exists(("s1", "t1"))
    engine.execute("DROP TABLE s1.t2")
    world.run(engine)
    engine.execute("DROP TABLE s1.t2")
    assert "does not exist any more" in world.run(engine).mistakes[0].message
    assert world.run(engine, full_refresh=True).mistakes == ()
    assert held(engine, "t2") == T2


def test_a_full_refresh_fills_the_targets_anew(world, engine) -> None:
    """From the source and the whole feed."""
    world.run(engine)
    engine.execute("DELETE FROM s1.t1")
    assert world.run(engine, full_refresh=True).mistakes == ()
    assert held(engine, "t1") == T1


def test_a_dry_run_counts_and_writes_nothing(world, engine) -> None:
    """DuckDB carries it out and rolls it back."""
    result = world.run(engine, dry_run=True)
    assert result.results[0].rows_inserted == 4
    assert tables(engine) == []


def test_a_source_that_holds_changes_already_says_up_to_where(world, engine) -> None:
    """`seq`: later changes are applied, earlier ones are replays."""
    world.source(path="source/{schema}.{table}.jsonl", seq=3)
    result = world.run(engine)
    assert result.results[0].changes_skipped == 3
    assert held(engine, "t1") == [(6, 0), (7, 7)]


def test_a_source_may_be_tables_of_the_file(world, engine) -> None:
    """`source: "src.{table}"`; one that is missing is named."""
    world.source(table="{catalog}.src.{table}")
    assert "does not exist in the DuckDB file" in world.run(engine).mistakes[0].message
    engine.execute("CREATE SCHEMA src")
    engine.execute("CREATE TABLE src.t1 AS SELECT * FROM (VALUES (1, 0), (6, 0), (7, 0)) v(a, b)")
    engine.execute("CREATE TABLE src.t2 AS SELECT 1 AS a, 'x' AS c")
    assert world.run(engine).mistakes == ()
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, T2)


def test_a_feed_may_be_a_table_of_the_file(world, engine) -> None:
    """Its last transaction waits for the next run."""
    from filtersql.definitions.model import Feed

    world.subscribe(changes=Feed(world.subscription.span, table="feed.changes"))
    engine.execute("CREATE SCHEMA feed")
    engine.execute(
        "CREATE TABLE feed.changes AS SELECT * FROM (VALUES "
        "(1, 'insert', 'public.t1', 'x', NULL, '{\"a\": 8, \"b\": 1}'),"
        "(2, 'insert', 'public.t1', 'y', NULL, '{\"a\": 9, \"b\": 2}')"
        ") v(seq, op, relation, tx, before, after)"
    )
    assert world.run(engine).mistakes == ()
    assert held(engine, "t1") == [(6, 0), (7, 0), (8, 1)]
    engine.execute("INSERT INTO feed.changes VALUES (3, 'commit', NULL, 'y', NULL, NULL)")
    assert world.run(engine).mistakes == ()
    assert held(engine, "t1")[-1] == (9, 2)


def test_a_key_that_comes_twice_in_the_source_is_refused(world, engine) -> None:
    """A target has no unique index that would notice."""
    world.write("source/public.t2.jsonl", [{"a": 1, "c": "x"}, {"a": 1, "c": "y"}])
    assert "have the same key (a)" in world.run(engine).mistakes[0].message


def test_conflicts_are_counted_by_postgresqls_names(world, engine) -> None:
    """What a subscriber of PostgreSQL would have met."""
    world.run(engine)
    world.feed(
        [
            {"seq": 20, **insert("t1", a=7, b=0)},
            {"seq": 21, **delete("t1", a=100)},
            {"seq": 22, **update("t1", a=101, b=0)},
        ],
        name="2",
    )
    conflicts = world.run(engine).results[0].conflicts
    assert conflicts == {
        "insert_exists": 1, "update_exists": 0, "update_missing": 1, "delete_missing": 1,
    }  # fmt: skip


def test_a_truncate_empties_the_target_within_the_same_statement(world, engine) -> None:
    """What came before it in the batch cannot matter."""
    world.run(engine)
    world.feed([{"seq": 20, **truncate("t1")}, {"seq": 21, **insert("t1", a=30, b=0)}], name="2")
    result = world.run(engine)
    assert held(engine, "t1") == [(30, 0)]
    assert (result.results[0].rows_inserted, result.results[0].rows_deleted) == (1, 3)
