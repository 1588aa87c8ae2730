"""What a run reads of a table of messages, what it refuses, and what may be taken out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from bronze import CREATE, Message, bronze_feed, kept
from landing_files import WRITERS, Change, ended, fed
from running import World, table

from filtersql.errors import Mistakes
from filtersql.run import Options, message_ranges, message_tables, run
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect


@pytest.fixture
def stored(tmp_path: Path) -> tuple[World, DuckDB]:
    """A table of three messages of one topic, which a run has read."""
    world = fed(World(tmp_path), "debezium").subscribe(changes=bronze_feed("main.bronze"))
    engine = connect(None)
    engine.execute(CREATE.format(name="bronze", text="TEXT", kind="TEXT"))
    for place in range(3):
        line = WRITERS["debezium"]("t", Change(place, 10 + place))
        kept(engine, "bronze", "TEXT", [("t", 0, place, line)])
    assert world.run(engine).mistakes == ()
    return world, engine


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("t", 0, None, "{}")], 'column "place" of table "main.bronze" holds NULL or a negative'),
        ([("t", 0, -1, "{}")], 'column "place" of table "main.bronze" holds NULL or a negative'),
        ([("t", 1, 7, '{\n"op": "c"}')], 'the message at "place" 7 of table "main.bronze" has sev'),
        ([("t", 0, 2, "{}")], 'table "main.bronze" has two messages that differ at "place" 2'),
        ([("t", None, 9, '{"op": "c"}')], "main.bronze[t,null,9]:1:1: line is not a change that"),
        ([(",0", 0, 9, '{"op": "c"}')], 'main.bronze[",0",0,9]:1:1: line is not a change that'),
        ([("t", 0, 9, "null"), ("t", 0, 10, "{,")], "main.bronze[t,0,0]:5:1: line is not a change"),
    ],
)
def test_a_message_that_is_none_is_refused(
    stored: tuple[World, DuckDB], rows: list[Message], says: str
) -> None:
    """With its place; when it is gone, a run goes on."""
    world, engine = stored
    kept(engine, "bronze", "TEXT", rows)
    (mistake,) = world.run(engine).mistakes
    assert says in str(mistake)
    engine.execute("DELETE FROM bronze WHERE rowid > 2")
    assert world.run(engine).results[0].message == "nothing new"


@pytest.mark.parametrize("told", [False, True])
def test_a_table_in_two_partitions_is_refused(stored: tuple[World, DuckDB], told: bool) -> None:
    """A change that lands late is behind others, and would be passed over; ends do not help."""
    world, engine = stored
    kept(engine, "bronze", "TEXT", [("t", 1, 0, WRITERS["debezium"]("t", Change(7, 20)))])
    ends = [ended("t", at, behind=500) for at in (10, 11, 12, 20) if told]
    for at, end in enumerate(ends):
        kept(engine, "bronze", "TEXT", [("x", 0, at, end)])
    (mistake,) = world.run(engine).mistakes
    assert mistake.message == (
        'changes of "public.t" stand in several partitions of table "main.bronze"'
    )


def test_a_late_half_of_a_transaction_in_another_partition_is_not_lost(tmp_path: Path) -> None:
    """Its end was told when nothing of it was here, and another table had gone on."""
    world = fed(World(tmp_path), "debezium").subscribe(changes=bronze_feed("main.bronze"))
    engine = connect(None)
    engine.execute(CREATE.format(name="bronze", text="TEXT", kind="TEXT"))
    write = WRITERS["debezium"]
    kept(engine, "bronze", "TEXT", [("u", 0, 0, write("u", Change(1, 20)))])
    ends = [ended("t", 10, count=2, behind=500), ended("u", 20, behind=500)]
    kept(engine, "bronze", "TEXT", [("x", 0, at, end) for at, end in enumerate(ends)])
    assert world.run(engine).mistakes == ()
    kept(engine, "bronze", "TEXT", [("t", 1, 0, write("t", Change(2, 10, n=1)))])
    first = world.run(engine).mistakes
    kept(engine, "bronze", "TEXT", [("t", 0, 0, write("t", Change(1, 10)))])
    found = engine.rows("SELECT id FROM s1.t") if not world.run(engine).mistakes else "refused"
    assert (first, found) == ((), "refused")


def test_topics_are_told_apart_whatever_they_are_called(stored: tuple[World, DuckDB]) -> None:
    """Two of them together may read like another two, and one may be called as none is."""
    world, engine = stored
    engine.execute("ALTER TABLE bronze ALTER part TYPE TEXT")
    names = [("a,b", "c"), ("a", "b,c"), ('a"', '"b,c'), (None, "d"), ("null", "d"), ("", "d")]
    for key, (topic, part) in enumerate(names, 10):
        line = WRITERS["debezium"]("t", Change(key, 20, n=key - 10)).replace("'", "''")
        quoted = "NULL" if topic is None else f"'{topic}'"
        engine.execute(f"INSERT INTO bronze VALUES ({quoted}, '{part}', 7, '{line}')")
    found = message_tables.message_table(engine, bronze_feed("main.bronze"))
    texts = [file.path.read_text() for file in found.fetched(found.files, world.root)]
    assert sorted(text.count("\n") for text in texts) == [*[1] * len(names), 3]


def test_what_was_read_is_not_read_again(
    stored: tuple[World, DuckDB], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the range that grew all rows, of others none; old rows may be taken out of the table."""
    monkeypatch.setattr(message_ranges, "RANGE", 2)
    world, engine = stored
    asked: list[int] = []
    stream = DuckDB.stream

    def counting(self: DuckDB, statement: str) -> object:
        rows = [*stream(self, statement)]
        asked.append(len(rows))
        return iter(rows)

    monkeypatch.setattr(DuckDB, "stream", counting)
    world.run(engine)
    asked.clear()
    kept(engine, "bronze", "TEXT", [("t", 0, 3, WRITERS["debezium"]("t", Change(3, 20)))])
    assert world.run(engine).results[0].rows_inserted == 1
    assert world.run(engine).results[0].message == "nothing new"
    engine.execute("DELETE FROM bronze WHERE place < 2")
    assert world.run(engine).results[0].message == "nothing new"
    assert asked == [2]


def test_rows_of_a_snapshot_may_be_taken_out_when_a_table_without_a_key_went_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The range that has the others grows, and is opened in each run."""
    monkeypatch.setattr(message_ranges, "RANGE", 3)
    world = World(tmp_path).publish(table("t", key=(), id="int4!", v="text"))
    world.subscribe(changes=bronze_feed("main.bronze"))
    engine = connect(None)
    engine.execute(CREATE.format(name="bronze", text="TEXT", kind="TEXT"))
    changes = [*(Change(place, 1, "r") for place in range(4)), Change(4, 10), Change(5, 11)]
    for place, change in enumerate(changes):
        if place == 5:
            assert world.run(engine).results[0].rows_inserted == 5
            engine.execute("DELETE FROM bronze WHERE place < 3")
        kept(engine, "bronze", "TEXT", [("t", 0, place, WRITERS["debezium"]("t", change))])
    assert world.run(engine).results[0].rows_inserted == 1
    engine.execute("DELETE FROM bronze WHERE place = 3")
    assert world.run(engine).results[0].message == "nothing new"


@pytest.mark.parametrize(
    ("way", "kept_from", "refused"),
    [("joins", 0, False), ("joins", 2, True), ("left", 1, False), ("left", 3, True)],
)
def test_first_messages_that_are_gone_are_missed(
    tmp_path: Path, way: str, kept_from: int, refused: bool
) -> None:
    """As a file is: by a table that joins, or was left out of a run and stands before them."""
    world = fed(World(tmp_path), "debezium").subscribe(changes=bronze_feed("main.bronze"))
    published = world.published
    engine = connect(None)
    engine.execute(CREATE.format(name="bronze", text="TEXT", kind="TEXT"))

    def brought(*changes: tuple[int, str, Change]) -> None:
        for place, name, change in changes:
            kept(engine, "bronze", "TEXT", [("x", 0, place, WRITERS["debezium"](name, change))])

    world.published = [published[0]] if way == "joins" else published
    brought((0, "t", Change(1, 5)), (1, "u", Change(1, 6)))
    assert world.run(engine).mistakes == ()
    brought((2, "u", Change(2, 7)), (3, "t", Change(2, 8)), (4, "u", Change(3, 9)))
    assert run(world.inputs(), {"s1": world.compiled()[:1]}, engine, Options()).mistakes == ()
    world.published = published
    engine.execute(f"DELETE FROM bronze WHERE place < {kept_from}")
    brought((5, "t", Change(9, 18)))
    told = world.run(engine)
    if refused:
        assert '"main.bronze[x,0,0]" was read for others and is gone' in str(told.mistakes[0])
    else:
        assert told.mistakes == ()
        assert sorted(engine.rows("SELECT id FROM s1.u")) == [(1,), (2,), (3,)]


def test_a_transaction_goes_on_when_those_before_it_are_taken_out(tmp_path: Path) -> None:
    """Its changes are no target's yet, so none lacks what is gone."""
    world = fed(World(tmp_path), "debezium")
    world.subscribe(changes=bronze_feed("main.bronze", "wal2json"))
    engine = connect(None)
    engine.execute(CREATE.format(name="bronze", text="TEXT", kind="TEXT"))
    values = '[{"name": "id", "type": "integer", "value": %s}, {"name": "v", "type": "text", '
    change = '"I", "schema": "public", "table": "t", "columns": ' + values + '"value": "x"}]'
    steps = [["B", change, "C", "B", change], ["C"]]
    for step, actions in enumerate(steps):
        for at, action in enumerate(actions, 5 * step):
            said = action % at if action == change else f'"{action}"'
            tx, end = at // 3, 1000 * (1 + at // 3) + 100
            place = f'"xid": {tx}, "lsn": "0/{end if action in "BC" else end - 50 + at:X}"'
            line = f'{{"action": {said}, {place}}}'
            kept(engine, "bronze", "TEXT", [("x", 0, at, line)])
        assert world.run(engine).results[0].rows_inserted == 1
        engine.execute("DELETE FROM bronze WHERE place < 3")
    assert sorted(engine.rows("SELECT id FROM s1.t")) == [(1,), (4,)]


def test_rows_that_come_while_they_are_read_are_the_next_runs(
    stored: tuple[World, DuckDB],
) -> None:
    """At the end, as Kafka's do; elsewhere the run ends, and changes nothing."""
    world, engine = stored
    line = WRITERS["debezium"]("t", Change(3, 20))
    kept(engine, "bronze", "TEXT", [("t", 0, 5, line)])
    found = message_tables.message_table(engine, bronze_feed("main.bronze"))
    kept(engine, "bronze", "TEXT", [("t", 0, 6, WRITERS["debezium"]("t", Change(4, 21)))])
    (file,) = found.fetched(found.files, world.root)
    assert file.path.read_text().count("\n") == 4
    kept(engine, "bronze", "TEXT", [("t", 0, 4, line)])
    with pytest.raises(Mistakes, match="was changed or removed while it was read") as refused:
        found.fetched(found.files, world.root)
    assert refused.value.exit_code == 2


def test_columns_are_asked_for_and_have_types(stored: tuple[World, DuckDB]) -> None:
    """All that is wrong with them at once."""
    world, engine = stored
    engine.execute("CREATE TABLE other (topic TEXT[], place DOUBLE, value STRUCT(op TEXT))")
    world.subscribe(changes=bronze_feed("main.other"))
    assert [
        str(one).partition("\n")[0].partition(": ")[2] for one in world.run(engine).mistakes
    ] == [
        f'table "main.other" has no column "{name}" of a type that can be read so'
        for name in ("topic", "part", "place", "value")
    ]
