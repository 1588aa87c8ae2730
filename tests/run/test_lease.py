"""Two runs at once: one wins, the other stops with one clear message and has written nothing."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from crashes import Crashes, Landed, Runner
from histories import History, lines, write_files
from msgspec.structs import replace
from one_by_one import Killed, OneByOne
from running import World, delete, insert, update
from test_applying import T1, held, world
from test_targets_spark import lake, warm

from filtersql.errors import Mistakes
from filtersql.run import lease, ledger, ledger_writer, run
from filtersql.run.ledger_entry import Entry
from filtersql.targets.splitting import split_for

__all__ = ["lake", "warm", "world"]

ELSEWHERE = {"host": "elsewhere", "place": "x", "pid": 7, "started": "1", "run": "x"}
MESSAGE = 'another run has the targets of subscription "s1"'


def hold(engine: OneByOne, owner: dict[str, object], seconds: float) -> None:
    """Another run's row in the ledger."""
    known = ledger.read(engine, "filtersql")
    row = Entry(
        known.number_of("s1") + 1, "s1", "", "", "", "", False, 0, "held",
        owner=json.dumps(owner), held_until=int(time.time() + seconds),
    )  # fmt: skip
    ledger_writer.append(engine, "filtersql", [row])


def more(world, first: int = 10) -> None:
    """A row that comes, and goes again in a later file: applied out of order, it would stay."""
    world.feed([{"seq": first, **insert("t1", a=20, b=0)}], name=str(first))


def test_a_lease_of_another_machine_is_respected_until_it_expires(world, engine) -> None:
    """Nothing is written meanwhile; the message says who and how long."""
    one = OneByOne(engine.connection)
    world.run(one)
    more(world)
    hold(one, ELSEWHERE, 100)
    before = one.rows("SELECT count(*) FROM filtersql.ledger")
    result = world.run(one)
    assert ([found.message for found in result.mistakes], result.exit_code) == ([MESSAGE], 2)
    assert result.mistakes[0].detail.startswith('Process 7 on "elsewhere" is at work.')
    assert one.rows("SELECT count(*) FROM filtersql.ledger") == before
    hold(one, ELSEWHERE, -1)
    assert world.run(one).mistakes == ()
    assert held(one, "t1") == [*T1, (20, 0)]


def test_a_lease_of_a_process_that_is_gone_is_none(world, engine) -> None:
    """On the same machine, where that can be seen; another start of the same number is another."""
    one = OneByOne(engine.connection)
    world.run(one)
    more(world)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    own = lease._process(os.getpid())
    hold(one, {**own, "run": "x", "pid": gone.pid}, 100)
    assert world.run(one).mistakes == ()
    more(world, 11)
    hold(one, {**own, "pid": os.getppid(), "started": "1", "run": "x"}, 100)
    assert world.run(one).mistakes == ()
    more(world, 12)
    parent = lease._process(os.getppid())
    hold(one, {**parent, "run": "x"}, 100)
    assert [found.message for found in world.run(one).mistakes] == [MESSAGE]


def test_a_run_that_was_overtaken_while_it_read_stops(world, engine) -> None:
    """Both found the ledger free; only one can write its next number."""
    one, other = OneByOne(engine.connection), OneByOne(engine.connection)
    world.run(one)
    more(world)

    def overtake(event) -> None:
        if event.kind == "reading":
            assert world.run(other).mistakes == ()

    result = world.run(one, on_event=overtake)
    assert [found.message for found in result.mistakes] == [MESSAGE]
    assert result.mistakes[0].hint == "Run again."
    assert held(one, "t1") == [*T1, (20, 0)]
    assert [found.message for found in world.run(one).results] == ["nothing new"] * 2


def test_a_run_that_wrote_for_another_subscription_sees_that_it_was_overtaken(
    world, engine
) -> None:
    """It knows the ledger from its start; what it wrote meanwhile says nothing of this one."""
    again = World(world.root, published=world.published, tables=world.tables)
    again.subscribe(name="s2", on_conflict="error")
    tables = {"s1": world.compiled(), "s2": again.compiled()}
    both = {"s1": world.subscription, "s2": again.subscription}
    inputs = replace(world.inputs(), subscriptions=both)
    one, other = OneByOne(engine.connection), OneByOne(engine.connection.cursor())
    assert run(inputs, tables, one).mistakes == ()
    changes = [insert("t1", a=20, b=0), insert("t2", a=20, c="z")]
    world.feed([{"seq": seq, **change} for seq, change in enumerate(changes, 10)], name="2")

    def overtake(event) -> None:
        if event.kind == "ok" and event.unique_id == tables["s1"][-1].unique_id:
            assert run(inputs, {"s2": tables["s2"]}, other).mistakes == ()

    result = run(inputs, tables, one, on_event=overtake)
    assert [found.message for found in result.mistakes] == [MESSAGE.replace("s1", "s2")]
    assert run(inputs, tables, one).mistakes == ()


@pytest.mark.parametrize("still_at", [1, 2, 3])
def test_a_run_that_stood_still_does_not_write_after_it_was_taken_over(
    world, engine, still_at, monkeypatch
) -> None:
    """Its lease expired; the next run finished its cut and went on to one that it never saw."""
    one, other = OneByOne(engine.connection), OneByOne(engine.connection.cursor())
    world.run(one)
    more(world)
    world.feed([{"seq": 11, **update("t2", a=2, c="z")}], name="11")
    append, moments, stood = OneByOne.append, iter(range(1, 100)), []

    def stand_still() -> None:
        if next(moments) == still_at:
            stood.append(still_at)
            with monkeypatch.context() as patch:
                patch.setattr(lease, "_alive", lambda owner: False)
                world.feed([{"seq": 12, **delete("t1", a=20)}], name="12")
                assert world.run(other).mistakes == ()
            monkeypatch.setattr(time, "monotonic", lambda: 1e9)

    def slow_append(self, *arguments):
        if self is one:
            stand_still()
        return append(self, *arguments)

    monkeypatch.setattr(OneByOne, "append", slow_append)
    result = world.run(one, on_event=lambda event: event.kind == "start" and stand_still())
    assert stood == [still_at]  # its only rows of the ledger, and each of its two targets
    assert [found.message for found in result.mistakes] == [MESSAGE]
    monkeypatch.undo()
    assert (held(engine, "t1"), held(engine, "t2")) == (T1, [(2, "z")])
    assert [found.message for found in world.run(one).results] == ["nothing new"] * 2


def test_the_session_of_heartbeats_is_set_up_for_a_small_table(world, engine, monkeypatch) -> None:
    """As a server has it, each would read the ledger in 50 tasks and shuffle it into 200 parts."""
    beats: list[OneByOne] = []
    beaten = threading.Event()

    class Slow(OneByOne):
        split = None

        def beside(self):
            beats.append(Slow(self.connection.cursor()))
            return beats[-1]

        def size(self, split) -> None:
            self.split = split
            if self in beats:
                beaten.set()

        def write(self, *arguments):
            assert beaten.wait(60)
            return super().write(*arguments)

    monkeypatch.setattr(lease, "SECONDS", 0.5)
    assert world.run(Slow(engine.connection)).mistakes == ()
    assert [one.split for one in beats] == [split_for(0, 0)]
    assert held(engine, "t1") == T1


def test_a_run_that_ended_has_given_its_lease_back(world, engine, monkeypatch) -> None:
    """After success, a refusal in the middle, and Ctrl-C; to other machines, too, at once."""

    def is_held() -> bool:
        with monkeypatch.context() as patch:
            patch.setattr(lease, "_alive", lambda owner: True)
            found = world.run(OneByOne(engine.connection.cursor()), dry_run=True)
        return [one.message for one in found.mistakes] == [MESSAGE]

    class Fails(OneByOne):
        error: type[BaseException] = KeyboardInterrupt

        def write(self, statement, compiled, mark):
            raise self.error

    world.run(OneByOne(engine.connection))
    assert not is_held()
    more(world)
    with pytest.raises(KeyboardInterrupt):
        world.run(Fails(engine.connection))
    assert not is_held()
    Fails.error = Killed
    with pytest.raises(Killed):
        world.run(Fails(engine.connection))
    assert is_held()
    assert world.run(OneByOne(engine.connection)).mistakes == ()
    assert held(engine, "t1") == [*T1, (20, 0)]


@pytest.mark.spark
def test_a_number_of_the_ledger_is_given_once_on_spark(lake) -> None:
    """Rows for a slot that is filled are not added, whatever the format calls that."""
    world, engine = lake
    assert world.run(engine).mistakes == ()
    known = ledger.read(engine, "filtersql")
    world.feed([{"seq": 8, **insert("t2", a=8, c="z")}], name="2")
    assert world.run(engine).mistakes == ()
    later = ledger.read(engine, "filtersql")
    row = Entry(known.number_of("s1") + 1, "s1", "", "", "", "", False, 0, "held", owner="{}")
    with pytest.raises(Mistakes) as found:
        ledger_writer.append(engine, "filtersql", [row])
    assert [one.message for one in found.value.mistakes] == [MESSAGE]
    assert ledger.read(engine, "filtersql") == later
    beside = engine.beside()
    world.feed([{"seq": 9, **insert("t2", a=9, c="z")}], name="3")

    def overtake(event) -> None:
        if event.kind == "reading":
            assert world.run(beside).mistakes == ()

    result = world.run(engine, on_event=overtake)
    assert [one.message for one in result.mistakes] == [MESSAGE]
    assert len(engine.rows(f"SELECT * FROM {engine.table_sql(('s1', 't2'))}")) == 4


@pytest.mark.spark
def test_a_ledger_is_begun_once_on_spark(lake) -> None:
    """Who found none and comes second is told so; rows of another subscription follow the first."""
    world, engine = lake
    beside = engine.beside()

    def overtake(event) -> None:
        if event.kind == "reading":
            assert world.run(beside).mistakes == ()

    result = world.run(engine, on_event=overtake)
    assert [one.message for one in result.mistakes] == [MESSAGE]
    known = ledger.read(engine, "filtersql")
    other = Entry(1, "s2", "", "", "", "", False, 0, "held", owner="{}")
    ledger_writer.append(engine, "filtersql", [other], made=False)
    later = ledger.read(engine, "filtersql")
    assert (later.newest, later.rows) == (known.newest, known.rows + 1)
    assert later.last["s2"] == other
    # Who knows that there is a ledger, and none of its rows, is too late, too.
    for subscription in ("s1", "s2"):
        late = replace(other, subscription=subscription, owner='{"pid": 7}')
        with pytest.raises(Mistakes) as found:
            ledger_writer.append(engine, "filtersql", [late])
        assert [one.message.startswith("another run has") for one in found.value.mistakes] == [True]
    assert ledger.read(engine, "filtersql") == later
    assert world.run(engine).mistakes == ()


@pytest.mark.spark
def test_of_two_that_begin_a_table_at_once_one_is_refused(lake) -> None:
    """Whoever is first, its rows are there and no others."""
    _, engine = lake
    both, tables = (engine, engine.beside()), [("s1", f"begun_{number}") for number in range(4)]
    at_once = threading.Barrier(2)

    def begun(which: int) -> list[bool]:
        won = []
        for table in tables:
            at_once.wait(60)
            try:
                both[which].begin(table, f"SELECT {which} AS a FROM range(2)")
            except Mistakes:
                won.append(False)
            else:
                won.append(True)
        return won

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(begun, range(2))
    for table, one, other in zip(tables, first, second, strict=True):
        assert one != other
        assert engine.exists(table)
        assert engine.rows(f"SELECT * FROM {engine.table_sql(table)}") == [(int(other),)] * 2


@pytest.fixture
def runners() -> Iterator[list[Runner]]:
    both = [Runner(), Runner()]
    yield both
    for runner in both:
        runner.close()


@pytest.mark.parametrize(
    "target", ["duckdb", pytest.param("delta", marks=[pytest.mark.spark, pytest.mark.long])]
)
def test_of_two_processes_one_wins(target: str, runners: list[Runner], tmp_path: Path) -> None:
    """The second comes while the first writes, and after its lease would have ended unrenewed."""
    history = History(random.Random(3))
    history.go(5)
    write_files(tmp_path, history, target)
    feed = tmp_path / "changes" / "1.jsonl"
    feed.write_text(lines(history.records), encoding="utf-8")
    first = Crashes(tmp_path, target, 3, Landed(), runners[0])
    command = ["run", "--project-dir", str(tmp_path), "--target", target]
    pause = str(tmp_path / "first")
    runners[0].start(
        log=f"{pause}.log", at=1, arguments=command, step="before write", pause=pause, lease=4,
        output=str(tmp_path / "first.txt"),
    )  # fmt: skip
    while not Path(f"{pause}.paused").exists():
        assert not runners[0].ended(0.1), (tmp_path / "first.txt").read_text()
    time.sleep(0 if target == "duckdb" else 5)
    output = tmp_path / "second.txt"
    runners[1].start(log=f"{pause}.2.log", at=0, arguments=command, lease=4, output=str(output))
    assert runners[1].wait() == 2
    said = output.read_text(encoding="utf-8")
    assert (MESSAGE if target == "delta" else "another process has the DuckDB file") in said
    assert "Traceback" not in said
    Path(f"{pause}.go").touch()
    assert runners[0].wait() == 0, (tmp_path / "first.txt").read_text()
    assert first.finish(history, history.seq) == []
