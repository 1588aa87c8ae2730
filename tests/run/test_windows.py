"""Windows of time: after each run targets hold what is young enough at its clock, and no more."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path

import pytest
from clock_histories import TABLES, ClockHistory, Step, lines
from executing import compilation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from one_by_one import Killed, OneByOne

from filtersql.api.inputs import inputs_of
from filtersql.api.loading import load_project
from filtersql.api.options import Options as Flags
from filtersql.api.reporter import Reporter
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Inputs, Options, run, status
from filtersql.run.status import TargetStatus
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine
from filtersql.verify.source_copies import delayed_copies

#: how many histories of each kind
HISTORIES = int(os.environ.get("FILTERSQL_HISTORIES", "8"))
_OPS = "insert insert insert insert insert update update update delete time time time".split()
STEPS = st.tuples(
    st.sampled_from([*_OPS, *_OPS, "truncate"]),
    st.sampled_from(list(TABLES)),
    st.integers(0, 7),
    st.sampled_from([1, 1, 1, 2, 2, 0, 3]),
    st.integers(-80, 4),
)
#: some steps, then a run: how many changes it is not yet given, where it dies, and after what
BATCHES = st.lists(
    st.tuples(
        st.lists(STEPS, min_size=2, max_size=12),
        st.integers(0, 2),
        st.integers(0, 9),
        st.booleans(),
    ),
    min_size=1,
    max_size=5,
)
Batch = tuple[list[Step], int, int, bool]
#: rows come, some too old; they move over the cut, by their key and their column, and time passes;
#: then it passes where no change comes
DAYS: list[Batch] = [
    ([("insert", name, key, 1 + key % 2, -60 + 20 * key) for name in TABLES for key in range(5)],
     0, 0, False),
    ([*(("update", name, key, 1, -90 + 60 * key) for name in TABLES for key in (1, 2)),
      ("time", "", 0, 0, 20), ("delete", "keyed", 4, 1, 0), ("update", "kept", 3, 2, -1)],
     0, 0, False),
    ([("time", "", 0, 0, 60)], 0, 0, False),
]  # fmt: skip


@lru_cache
def _compiled(target: str) -> tuple[Inputs, tuple[CompiledTable, ...], Options]:
    """The project of all histories is one: it is compiled once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ClockHistory().write(folder)
        project = load_project(Reporter(Flags(project_dir=folder, target=target)))
        nodes = compilation(folder, ["--target", target]).nodes
        copies = delayed_copies(nodes, project)
        assert {name.partition(".")[2] for name in copies} == {"later", "gaps"}
        tables = tuple(node.compiled for node in nodes)
        return inputs_of(project), tables, Options(source_copies=copies)


def _held(engine: Engine, compiled: CompiledTable) -> Counter[tuple[str, ...]]:
    kind = "STRING" if engine.dialect == "spark" else "VARCHAR"
    names = [column.name for column in compiled.columns]
    mark = "`" if engine.dialect == "spark" else '"'
    texts = (f"COALESCE(CAST({mark}{name}{mark} AS {kind}), 'NULL')" for name in names)
    rows = engine.rows(f"SELECT {', '.join(texts)} FROM {engine.table_sql(compiled.target)}")
    return Counter(tuple(str(value).removesuffix("+00") for value in row) for row in rows)


def _status_is_true(told: Sequence[TargetStatus], history: ClockHistory, given: int) -> None:
    """It tells when the model's next row leaves; of several windows, before when none does."""
    for each in told:
        name = each.compiled.relation.name
        now = history.expected(name, given, history.clock)
        moments = (history.clock + timedelta(hours=hours) for hours in range(1, 24 * 40))
        leaves = next((at for at in moments if now - history.expected(name, given, at)), None)
        found = each.next_leaves and datetime.fromisoformat(each.next_leaves)
        if len(each.compiled.next_leaving) > 1 and found:
            assert history.clock < found <= (leaves or found), (name, history.clock)
        else:
            assert found == leaves, (name, history.clock)


def play(
    batches: list[Batch], target: str, engine: Engine, folder: Path, *, dies: bool
) -> list[int]:
    """How many rows all targets of a history hold after each run.

    Raises AssertionError where one does not hold what it should.
    """
    held: list[int] = []
    history, (inputs, tables, options) = ClockHistory(), _compiled(target)
    history.write(folder)
    inputs, given_so_far = replace(inputs, root=folder), 0
    (folder / "changes" / "0000.jsonl").touch()
    for number, (steps, late, kill_at, after) in enumerate(batches, 1):
        for step in steps:
            history.carry_out(step)
        upto = max(len(history.records) - late, given_so_far)
        fresh = history.records[given_so_far:upto]
        (folder / "changes" / f"{number:04}.jsonl").write_text(lines(fresh))
        given_so_far = upto
        if dies and kill_at:
            assert isinstance(engine, OneByOne)
            dying = OneByOne(engine.connection, kill_at, after)
            with suppress(Killed):
                run(inputs, {"s1": tables}, dying, replace(options, as_of=history.clock))
            history.carry_out(("time", "", 0, 0, 5 * (number % 2)))
        result = run(inputs, {"s1": tables}, engine, replace(options, as_of=history.clock))
        assert result.mistakes == ()
        held.append(0)
        for compiled in tables:
            wanted = history.expected(compiled.relation.name, given_so_far, history.clock)
            assert _held(engine, compiled) == wanted, (compiled.relation.name, history.clock)
            held[-1] += wanted.total()
        _status_is_true(status(inputs, {"s1": tables}, engine), history, given_so_far)
        conflicts = [result.conflicts for result in result.results]
        assert not any(count for each in conflicts for count in each.values())
    return held


@pytest.mark.parametrize("dies", [False, True])
def test_targets_hold_what_is_young_enough_at_the_clock(dies: bool) -> None:
    """In one transaction; and table by table, by a process that dies before or after a commit."""

    @settings(
        max_examples=HISTORIES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(BATCHES)
    def plays(batches: list[Batch]) -> None:
        memory, folder = connect(None), Path(tempfile.mkdtemp())
        try:
            engine = OneByOne(memory.connection) if dies else memory
            play(batches, "duckdb", engine, folder, dies=dies)
        finally:
            memory.close()
            shutil.rmtree(folder)

    plays()


@pytest.mark.spark
@pytest.mark.parametrize("target", [pytest.param("delta", marks=pytest.mark.long), "iceberg"])
def test_lakes_hold_what_is_young_enough(target: str, tmp_path: Path, spark: object) -> None:
    """Three runs: rows come, move over the cut, and leave when nothing but time comes."""
    ClockHistory().write(tmp_path)
    project = load_project(Reporter(Flags(project_dir=tmp_path, target=target)))
    assert project.output is not None
    engine = open_engine(project.output, tmp_path)
    first, second, third = play(DAYS, target, engine, tmp_path, dies=False)
    engine.close()
    assert 0 < third < second
    assert 0 < first < len(TABLES) * 5
