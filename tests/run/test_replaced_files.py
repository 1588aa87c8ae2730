"""Files of a feed or source that become others while they are read: nothing is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from portioned import ThisProcess, read_in_portions
from running import SPAN, World, insert, table

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.feeds.dms import Dms
from filtersql.feeds.lines import find_files
from filtersql.feeds.portions import traces
from filtersql.run import sources
from filtersql.targets.duckdb import DuckDB

CHANGES = [{"seq": seq, **insert("t", a=seq, b="x" * 30)} for seq in range(1, 61)]
ROWS = [{"a": number, "b": "x" * 30} for number in range(60)]


class Meanwhile(ThisProcess):
    """Something happens behind the first portion."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens = happens

    def answers(self, work, tasks, on_answers=lambda _: None):
        first = super().answers(work, tasks[:1])
        self.happens()
        found = [*first, *super().answers(work, tasks[1:])]
        on_answers(found)
        return found


def _world(folder: Path) -> World:
    return World(folder).publish(table("t", a="int4!", b="text"), where="{p}a >= 0")


def _keys(engine: DuckDB) -> list[int]:
    return sorted(int(str(key)) for (key,) in engine.rows("SELECT a FROM s1.t"))


def _compact(path: Path, rows: list[dict]) -> None:
    """Another file with the same lines, written otherwise."""
    other = path.with_name("other")
    other.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    other.replace(path)


@pytest.mark.parametrize("grows", [False, True])
def test_portions_of_two_files_are_not_put_together(
    tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch, grows: bool
) -> None:
    """One reader reads the new one; of a file that grew the rest is read by the next run."""
    world = _world(tmp_path).feed(CHANGES[:40])
    path, used = tmp_path / "changes/1.jsonl", read_in_portions(monkeypatch, 700)

    def more() -> None:
        with path.open("a") as stream:
            stream.writelines(json.dumps(change) + "\n" for change in CHANGES[40:])

    happens = more if grows else lambda: _compact(path, CHANGES)
    monkeypatch.setattr(DuckDB, "cluster", Meanwhile(happens))
    assert world.run(engine).mistakes == ()
    assert used == [grows]
    monkeypatch.setattr(DuckDB, "cluster", None)
    assert world.run(engine).mistakes == ()
    assert _keys(engine) == [*range(1, 61)]


@pytest.mark.parametrize("portions", [False, True])
def test_a_source_that_is_written_meanwhile_is_not_copied(
    tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch, portions: bool
) -> None:
    """Its rows are read once: the run ends, and the next one copies them."""
    world = _world(tmp_path).source(path="source/{table}.jsonl").feed(b"")
    path = tmp_path / "source/t.jsonl"
    world.write("source/t.jsonl", ROWS[:40])
    with monkeypatch.context() as patch:
        if portions:
            read_in_portions(patch, 700)
            patch.setattr(DuckDB, "cluster", Meanwhile(lambda: _compact(path, ROWS)))
        else:
            stage = sources.stage_rows
            staged = lambda *asked: (stage(*asked), _compact(path, ROWS))[0]  # noqa: E731
            patch.setattr(sources, "stage_rows", staged)
        (mistake,) = world.run(engine).mistakes
    assert 'file "source/t.jsonl" was changed or removed while it was read' in mistake.message
    assert world.run(engine).mistakes == ()
    assert _keys(engine) == [*range(60)]


def test_a_file_that_is_gone_is_named(
    tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the one reader, whoever missed it first."""
    world = _world(tmp_path).feed(CHANGES)
    read_in_portions(monkeypatch, 700)
    gone = Meanwhile((tmp_path / "changes/1.jsonl").unlink)
    monkeypatch.setattr(DuckDB, "cluster", gone)
    (mistake,) = world.run(engine).mistakes
    assert 'could not read "changes/1.jsonl"' in mistake.message


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("blocks", [False, True])
def test_a_file_of_dms_with_other_rows_gives_no_numbers_to_others(
    tmp_path: Path, rows: int, blocks: bool
) -> None:
    """They are counted at the first look, at the order; the second one reads values."""
    feed = Feed(SPAN, "dms", "changes/public/t/*.csv", options={"sequence": "at"})
    world = _world(tmp_path)

    def write(name: str, count: int, note: str) -> None:
        lines = (f"I,{number},{note},{number}\n" for number in range(count))
        world.write(f"changes/public/t/{name}.csv", "".join(["Op,a,b,at\n", *lines]).encode())

    write("1", 2, "x")
    write("2", 2, "x")
    dms = Dms(find_files(str(feed.path), tmp_path, None), feed, world.inputs().catalog, {}).index()
    write("1", rows, "x" * 40)  # its bytes are not fewer
    with pytest.raises(Mistakes, match=r"t/1\.csv.* was changed") as refused:
        [*(dms.blocks([]) if blocks else dms.records([]))]
    assert len(refused.value.mistakes) == 1


def _stream(folder: Path, *parts: str) -> World:
    """Files of wal2json, of two tables: `I2` inserts a row of u, `B` and `C` name a commit."""
    feed = Feed(SPAN, "wal2json", path="changes/*.jsonl")
    t, u = (table(name, a="int4!") for name in "tu")
    world = World(folder).publish(t).subscribe(changes=feed).add(u)

    def event(action: str, at: int) -> dict:
        name = "u" if at == 2 else "t"
        place = {"action": action, "lsn": f"0/{at:X}", "schema": "public", "table": name}
        columns = [{"name": "a", "type": "integer", "value": at}]
        return place if action in "BC" else {**place, "columns": columns}

    for number, part in enumerate(parts):
        events = [event(one[0], int(one[1:])) for one in part.split()]
        world.write(f"changes/{number}.jsonl", events)
    return world


@pytest.fixture(params=["one reader", "portions"])
def touched(
    request: pytest.FixtureRequest, tmp_path: Path, engine: DuckDB, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., World]:
    """Reads a stream, and once more behind another time of some of its files."""

    def again(*parts: str, changed: tuple[int, int]) -> World:
        world = _stream(tmp_path, *parts)
        if request.param == "portions":
            read_in_portions(monkeypatch, 100)
        assert world.run(engine).mistakes == ()
        for number in changed:
            os.utime(tmp_path / f"changes/{number}.jsonl", (1, 1))
        assert world.run(engine).mistakes == ()
        return world

    return again


def test_a_file_with_the_middle_of_a_transaction_is_read_for_who_lacks_it(
    touched: Callable[..., World], engine: DuckDB
) -> None:
    """It was read without its beginning, as its time had changed: what is applied was passed."""
    world = touched("B4000 I1", "I2", "I3 C4000 B5000 I4 C5000", changed=(1, 2))
    assert world.publish(table("u", a="int4!")).run(engine).mistakes == ()
    assert engine.rows("SELECT a FROM s1.u") == [(2,)]
    assert world.run(engine, full_refresh=True).mistakes == ()
    assert _keys(engine) == [1, 3, 4]


def test_a_file_of_a_stream_is_not_read_without_those_behind_it(
    touched: Callable[..., World], engine: DuckDB
) -> None:
    """Its last transaction ends in one that did not change."""
    world = touched("B4000 I1 C4000 B5000 I3", "C5000", "B6000 I4 C6000", changed=(0, 2))
    assert world.run(engine, full_refresh=True).mistakes == ()
    assert _keys(engine) == [1, 3, 4]


def test_a_trace_has_the_beginning_of_a_file(tmp_path: Path) -> None:
    """A file that only grew has the same one."""
    path = tmp_path / "1.jsonl"
    path.write_bytes(b"a" * 200)
    files = find_files(str(path), tmp_path, None)
    before = traces(files)
    path.write_bytes(b"a" * 200 + b"c")
    assert traces(files) == before
    path.write_bytes(b"b" + b"a" * 199)
    assert traces(files) != before
