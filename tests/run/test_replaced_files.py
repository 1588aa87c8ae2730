"""Files of a feed or source that become others while they are read: nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from portioned import ThisProcess, read_in_portions
from running import World, insert, table

from filtersql.run import sources
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_file import connect

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


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[DuckDB]:
    engine = connect(tmp_path / "x.duckdb")
    yield engine
    engine.close()


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
