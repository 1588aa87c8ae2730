"""The state machine of tests/run/test_histories.py: what happens to a feed and what holds."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from histories import TARGETS, History, lines, write_files
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec.structs import replace

from filtersql.api.inputs import inputs_of
from filtersql.api.loading import load_project
from filtersql.api.options import Options as Flags
from filtersql.api.reporter import Reporter
from filtersql.compile import compile_project
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Inputs, Options, RunResult, run
from filtersql.targets.duckdb_file import connect
from filtersql.targets.model import Engine

__all__ = ["Replaying", "Stand"]


@lru_cache
def _compiled(target: str) -> tuple[Inputs, tuple[CompiledTable, ...]]:
    """The project of all histories is one: it is compiled once."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, History(Random(0)), target)
        project = load_project(Reporter(Flags(project_dir=folder, target=target)))
        compilation = compile_project(project)
        return inputs_of(project), tuple(node.compiled for node in compilation.nodes)


class Stand:
    """A history, its feed's files, and an engine with the targets."""

    def __init__(self, random: Random, target: str, folder: Path, engine: Engine) -> None:
        self.history, self.folder, self.engine = History(random), folder, engine
        inputs, self.tables = _compiled(target)
        self.inputs = replace(inputs, root=folder)
        write_files(folder, self.history, target)
        (folder / "changes" / "0.jsonl").touch()
        self.files, self.written, self.runs = 0, 0, 0
        self.positions: dict[str, int] = dict.fromkeys(TARGETS, 0)

    def record(self, records: Sequence[dict[str, Any]]) -> None:
        """A new file of the feed."""
        self.files += 1
        path = self.folder / "changes" / f"{self.files:04}.jsonl"
        path.write_text(lines(records), encoding="utf-8")

    def deliver(self, count: int, overlap: int) -> None:
        """Some changes that happened, behind some that were delivered before."""
        end = min(self.written + count, len(self.history.records))
        if end > self.written:
            self.record(self.history.records[max(0, self.written - overlap) : end])
            self.written = end

    def run(self, names: Sequence[str]) -> RunResult:
        """Bring some tables up to date; all must hold what the model says for their position."""
        self.runs += 1
        chosen = [one for one in self.tables if one.relation.name in names]
        result = run(self.inputs, {"s1": chosen}, self.engine, Options())
        assert result.mistakes == (), "\n".join(map(str, result.mistakes))
        last = self.history.records[self.written - 1]["seq"] if self.written else 0
        for name in names:
            self.positions[name] = last
        for one in result.results:
            assert not any(one.conflicts.values()), (one.unique_id, one.conflicts)
            assert one.position == (last or None), one.unique_id
        for name in names:
            self.compare(name)
        return result

    def compare(self, name: str) -> None:
        """Exactly the rows of the model."""
        (compiled,) = (one for one in self.tables if one.relation.name == name)
        columns = ", ".join(TARGETS[name])
        found = self.engine.rows(f"SELECT {columns} FROM {compiled.target_sql}")
        expected = self.history.held[self.positions[name]][name]
        held = Counter(tuple(row) for row in found)
        assert held == expected, (
            f"{name} at {self.positions[name]}: missing {expected - held}, leaked {held - expected}"
        )


class Replaying(RuleBasedStateMachine):
    """Things happen, are delivered, delivered again, and applied, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="filtersql-history-"))
        self.engine = connect(None)
        self.stand: Stand

    @initialize(random=st.randoms(use_true_random=False))
    def begin(self, random: Random) -> None:
        """The tables with their first rows."""
        self.stand = Stand(random, "duckdb", self.folder, self.engine)

    @rule(transactions=st.integers(1, 12), count=st.integers(1, 60), overlap=st.integers(0, 9))
    def deliver(self, transactions: int, count: int, overlap: int) -> None:
        """Transactions, and a file that may end within one of them."""
        self.stand.history.go(transactions)
        self.stand.deliver(count, overlap)

    @rule(random=st.randoms(use_true_random=False))
    def replay(self, random: Random) -> None:
        """Some changes come again, in a file of their own, in another order."""
        stand = self.stand
        if stand.written:
            begin = random.randrange(stand.written)
            again = stand.history.records[begin : begin + 9][: stand.written - begin]
            random.shuffle(again)
            stand.record(again)

    @rule()
    def apply(self) -> None:
        """All tables."""
        self.stand.run(list(TARGETS))

    @rule(names=st.sets(st.sampled_from(sorted(TARGETS)), min_size=1))
    def apply_some(self, names: set[str]) -> None:
        """The others stay behind and catch up later."""
        self.stand.run(sorted(names))

    def teardown(self) -> None:
        """Once more, to the end."""
        if hasattr(self, "stand"):
            stand = self.stand
            stand.deliver(len(stand.history.records), 3)
            try:
                stand.run(list(TARGETS))
                assert {one.message for one in stand.run(list(TARGETS)).results} == {"nothing new"}
            finally:
                self.engine.close()
                shutil.rmtree(self.folder, ignore_errors=True)
