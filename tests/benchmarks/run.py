"""What a run costs beside a MERGE that knows its rows already, on Delta and on Iceberg.

    python tests/benchmarks/run.py --changes 1000000 --rows 500000 --rounds 3 [--growth]

These in turn, in one Spark, for the same changes of half of the rows of a table:

    floor       the MERGE of rows that were reduced beforehand
    reduction   the query of the MERGE alone, kept in a file
    run         filtersql's run once the feed was read: staged, judged, merged, written down
    skip, error the same under on_conflict: skip and error, where no conflict is met
    textbook    a MERGE as it is often written: the latest change of each key, filter in the clauses
    nothing     a run that finds nothing new

Each by the clock and in CPU seconds of Python and Java, which other programs do not change.
`reading` is what it takes to read the changes from JSON lines and to judge them. --growth measures
reading and run for 0.2 to 20 million changes instead.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parents[1] / "targets"))

from running import World, table
from test_targets_spark import output

from filtersql.feeds.landings import Landing
from filtersql.rendering.compiled import CompiledTable
from filtersql.run import Options, run, shared_feeds
from filtersql.run.feed_reading import FeedRead, read_feed
from filtersql.run.staged_statements import staged_merge
from filtersql.targets.marks import Mark
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

TEXTBOOK = """MERGE INTO {target} AS t USING (
  SELECT * FROM (
    SELECT *, ROW_NUMBER() OVER (PARTITION BY COALESCE(after_a, before_a) ORDER BY seq DESC) AS n
    FROM {view}
  ) WHERE n = 1
) AS s ON t.a = COALESCE(s.after_a, s.before_a)
WHEN MATCHED AND (s.op = 'delete' OR NOT COALESCE(s.after_a % 5 <> 0, FALSE)) THEN DELETE
WHEN MATCHED THEN UPDATE SET t.a = s.after_a, t.b = s.after_b, t.c = s.after_c
WHEN NOT MATCHED AND s.op <> 'delete' AND s.after_a % 5 <> 0
  THEN INSERT (a, b, c) VALUES (s.after_a, s.after_b, s.after_c)"""


class Bench:
    """A table with its rows, and a feed of changes, on one engine."""

    def __init__(self, folder: Path, table_format: str, rows: int, changes: int) -> None:
        self.folder, self.rows, self.changes = folder, rows, changes
        catalog = "lake" if table_format == "iceberg" else None
        self.world = World(folder, "spark", catalog)
        self.world.publish(
            table("t1", a="int4!", b="int4", c="text"), where="{p}a % 5 <> 0"
        ).source(path="source/{table}.jsonl")
        self.engine: Engine = open_engine(output(table_format), folder)
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.processors: dict[str, list[float]] = defaultdict(list)
        self._write()

    def _write(self) -> None:
        """Updates, deletes and inserts of the first half of the keys; no conflict among them."""
        chance = random.Random(1)
        there = bytearray(b"\1" * self.rows)
        for name in ("source", "changes"):
            (self.folder / name).mkdir(parents=True)
        with (self.folder / "source/t1.jsonl").open("w") as out:
            for key in range(self.rows):
                out.write(f'{{"a": {key}, "b": 0, "c": "{"x" * 40}"}}\n')
        head = '"relation": "public.t1", "op":'
        with (self.folder / "changes/1.jsonl").open("w") as out:
            for seq in range(1, self.changes + 1):
                key = chance.randrange(self.rows // 2)
                after = f'"after": {{"a": {key}, "b": {seq}, "c": "{"y" * 40}"}}'
                if not there[key]:
                    out.write(f'{{"seq": {seq}, "tx": "{seq // 4}", {head} "insert", {after}}}\n')
                elif chance.random() < 0.1:
                    before = f'"before": {{"a": {key}}}'
                    out.write(f'{{"seq": {seq}, "tx": "{seq // 4}", {head} "delete", {before}}}\n')
                    there[key] = 0
                    continue
                else:
                    out.write(f'{{"seq": {seq}, "tx": "{seq // 4}", {head} "update", {after}}}\n')
                there[key] = 1

    def timed(self, name: str, what: Callable[[], object]) -> None:
        began, before = time.perf_counter(), self._processor()
        what()
        self.seconds[name].append(time.perf_counter() - began)
        self.processors[name].append(self._processor() - before)

    def _processor(self) -> float:
        """The CPU seconds of this process and of its Java: other programs do not change them."""
        java = self.engine.spark.sparkContext._gateway.proc.pid  # type: ignore[attr-defined]
        spent = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
        ticks = int(spent[11]) + int(spent[12])
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    def compiled(self, number: int) -> CompiledTable:
        """The target of a round, filled: a target of its own, so that none is warm."""
        self.world.subscribe(target=f"round{number}.{{table}}")
        (compiled,) = self.world.compiled()
        return compiled

    def read(self, compiled: CompiledTable) -> FeedRead:
        """The changes, read and staged once for all rounds."""
        found: list[FeedRead | None] = []
        inputs = self.world.inputs()
        staged = self.folder / "staged"
        staged.mkdir(exist_ok=True)
        self.timed(
            "reading",
            lambda: found.append(
                read_feed(inputs, self.engine, inputs.subscriptions["s1"],
                          [Landing(compiled, None)], {}, staged, None)
            ),
        )  # fmt: skip
        assert found[0] is not None
        return found[0]

    def fill(self, compiled: CompiledTable, *, known: bool) -> None:
        """The table as it is before the changes; `known`: by a run, which writes that down."""
        if known:
            self.run(compiled, replace_feed=None)
            return
        definitions = compiled.column_definitions_sql
        self.engine.create(compiled.target, definitions, {})
        first = self.engine.table_sql(("round0", "t1"))
        self.engine.execute(
            f"INSERT INTO {self.engine.table_sql(compiled.target)} SELECT * FROM {first}"
        )

    def run(self, compiled: CompiledTable, replace_feed: FeedRead | None) -> None:
        """A run that finds the feed read already, or no feed at all."""
        self._run(compiled, replace_feed, lambda *_: replace_feed)

    def nothing(self, compiled: CompiledTable, feed: FeedRead) -> None:
        """A run that looks at the feed's files by itself, and knows all of them."""
        self._run(compiled, feed, read_feed)

    def _run(
        self, compiled: CompiledTable, replace_feed: FeedRead | None, reader: Callable[..., object]
    ) -> None:
        inputs = self.world.inputs()
        if replace_feed is None:
            one = replace(inputs.subscriptions["s1"], changes=None)
            inputs = replace(inputs, subscriptions={"s1": one})
        shared_feeds.read_feed = reader  # type: ignore[attr-defined,assignment]
        result = run(
            inputs, {"s1": [compiled]}, self.engine, Options(full_refresh=not replace_feed)
        )
        assert not result.mistakes, result.mistakes

    def round(self, number: int, feed: FeedRead) -> None:
        """Each of them on a target of its own."""
        (staged,) = feed.reading.staged
        base = 10 * number
        for step in ("floor", "reduction", "run", "textbook", "skip", "error"):
            base += 1
            self.world.subscribe(on_conflict=step if step in ("skip", "error") else "apply")
            compiled = self.compiled(base)
            self.fill(compiled, known=step in ("run", "skip", "error"))
            if step in ("run", "skip", "error"):
                self.timed(step, lambda one=compiled: self.run(one, feed))  # type: ignore[misc]
            if step == "run":
                self.timed("nothing", lambda one=compiled: self.nothing(one, feed))  # type: ignore[misc]
            if step in ("run", "skip", "error"):
                continue
            self.engine.view(compiled.changes_view, staged.path, staged.columns)
            if step == "textbook":
                target = self.engine.table_sql(compiled.target)
                text = TEXTBOOK.format(target=target, view=f"`{compiled.changes_view}`")
                self.timed(step, lambda text=text: self.engine.rows(text))  # type: ignore[misc]
            elif step == "reduction":
                query = compiled.merge_source_sql
                self.timed(step, lambda q=query: self.engine.stage("reduced", q))  # type: ignore[misc]
            else:
                self.engine.stage("reduced", compiled.merge_source_sql)
                merge = staged_merge(compiled, "reduced", self.engine)
                assert merge
                mark = Mark("s1", compiled.relation, 1, self.changes)
                self.timed(step, lambda m=merge, c=compiled, k=mark: self.engine.write(m, c, k))  # type: ignore[misc]
            self.engine.clear()


def measure(table_format: str, rows: int, changes: int, rounds: int) -> Bench:
    """All rounds."""
    with tempfile.TemporaryDirectory(prefix="filtersql-bench-") as name:
        bench = Bench(Path(name), table_format, rows, changes)
        first = bench.compiled(0)
        bench.fill(first, known=True)
        feed = bench.read(first)
        for number in range(1, rounds + 1):
            bench.round(number, feed)
        bench.engine.close()
        return bench


def tell(what: str, spent: dict[str, list[float]], changes: int) -> None:
    """The medians, and what they are beside each other."""
    found = {step: statistics.median(times) for step, times in spent.items()}
    print(f"    {what}: " + ", ".join(f"{step} {time:.1f} s" for step, time in found.items()))
    both = found["reduction"] + found["floor"]
    print(
        f"        run / (reduction + floor) = {found['run'] / both:.2f}, "
        f"skip {found['skip'] / both:.2f}, error {found['error'] / both:.2f}; "
        f"run / textbook = {found['run'] / found['textbook']:.2f}; "
        f"run per million changes {found['run'] / changes * 1e6:.1f} s",
        flush=True,
    )


def main() -> None:
    """Prints the medians for each format, in seconds and in CPU seconds."""
    parser = argparse.ArgumentParser(description="What a run costs.")
    parser.add_argument("--changes", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--formats", nargs="*", default=["delta", "iceberg"])
    parser.add_argument("--growth", action="store_true")
    asked = parser.parse_args()
    sizes = [200_000, 2_000_000, 20_000_000] if asked.growth else [asked.changes]
    for table_format in asked.formats:
        for changes in sizes:
            bench = measure(table_format, asked.rows, changes, asked.rounds)
            print(f"{table_format}, {changes:,} changes on {asked.rows:,} rows, medians:")
            tell("by the clock", bench.seconds, changes)
            tell("CPU", bench.processors, changes)


if __name__ == "__main__":
    main()
