"""What a run costs that only lets time pass, on a Delta table laid out by its window's column.

    python tests/benchmarks/aging.py --rows 10000000 --days 100 --files 100 --rounds 3

Each round a day passes and the rows of the oldest day leave: a run of filtersql without a change,
and the DELETE that a person would write, on a shallow clone of the table. Of both: seconds by the
clock and of the CPU (of Python and Java), files that were rewritten or given a deletion vector
(removed in Delta's log), and files that were opened (`number of files read` of Spark's scans of the
table; one that is scanned twice counts twice). The first round warms Java up and is not counted.
Fails where the two tables hold other rows.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from filtersql.api.inputs import inputs_of
from filtersql.compile import compile_project
from filtersql.project import load
from filtersql.run import Options, run
from filtersql.targets.open import open_engine

FIRST = datetime(2026, 1, 1)
_TABLE, _TWIN = "s1.events", "s1.twin"
_FILES = {
    "filtersql_project.yml": "{name: aging, version: 1, profile: aging}\n",
    "profiles.yml": """aging:
  target: delta
  outputs: {delta: {type: spark, method: session, format: delta, warehouse: warehouse}}
""",
    "tables/t.yml": """tables:
  - {name: events, columns: {id: bigint not null, created_at: timestamp, note: text},
     primary_key: [id], replica_identity: full}
""",
    "subscriptions/s.yml": """subscriptions:
  - {name: s1, publications: [p], source: {path: "source/{table}.jsonl"},
     changes: {path: "changes/*.jsonl"}, target_config: {cluster_by: [created_at]}}
""",
    "source/events.jsonl": "",
}


@dataclass
class Spent:
    """One run or DELETE."""

    seconds: float
    processor: float
    touched: int
    opened: int


@dataclass
class Bench:
    """The table, its twin and the time."""

    folder: Path
    rows: int
    days: int
    files: int
    clock: datetime = FIRST
    spent: dict[str, list[Spent]] = field(default_factory=lambda: {"run": [], "DELETE": []})

    def __post_init__(self) -> None:
        keep = f"{{column: created_at, keep: {self.days} days, grain: 1 day}}"
        published = f"publications: [{{name: p, tables: [{{name: events, window: {keep}}}]}}]\n"
        nobody = {"id": -1, "created_at": None, "note": None}
        nothing = {"seq": 1, "relation": "events", "op": "delete", "before": nobody}
        changes = {"changes/1.jsonl": json.dumps(nothing) + "\n"}
        for path, text in {**_FILES, "publications/p.yml": published, **changes}.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text, encoding="utf-8")
        project = load(self.folder)
        assert project.output is not None
        self.inputs = inputs_of(project)
        self.tables = [node.compiled for node in compile_project(project).nodes]
        self.engine: Any = open_engine(project.output, self.folder)
        self.run()
        self.spark: Any = self.engine.spark
        self.fill()

    def run(self) -> None:
        """What `filtersql run` does, at the clock."""
        result = run(self.inputs, {"s1": self.tables}, self.engine, Options(as_of=self.clock))
        assert result.mistakes == ()

    def fill(self) -> None:
        """As many rows a day, in files that hold a part of the time each."""
        seconds = self.days * 86_400
        rows = self.spark.range(self.rows).selectExpr(
            "id",
            f"timestampadd(MICROSECOND, id * {seconds * 1_000_000 // self.rows}, "
            f"TIMESTAMP_NTZ '{FIRST - timedelta(days=self.days)}') AS created_at",
            "repeat(md5(CAST(id AS STRING)), 2) AS note",
        )
        rows.repartitionByRange(self.files, "created_at").write.insertInto(_TABLE)
        self.spark.sql(f"CREATE TABLE {_TWIN} SHALLOW CLONE {_TABLE}")

    def pass_a_day(self) -> None:
        """A run, and a DELETE of the same rows."""
        self.clock += timedelta(days=1)
        cut = self.clock - timedelta(days=self.days)
        delete = f"DELETE FROM {_TWIN} WHERE created_at < TIMESTAMP_NTZ '{cut}'"
        self._measure("run", _TABLE, self.run)
        self._measure("DELETE", _TWIN, lambda: self.spark.sql(delete))
        held = [self._number(f"SELECT count(*) FROM {name}") for name in (_TABLE, _TWIN)]
        over = f"SELECT count(*) FROM {_TABLE} WHERE created_at < TIMESTAMP_NTZ '{cut}'"
        assert (held[0], self._number(over)) == (held[1], 0)

    def _number(self, query: str) -> int:
        return int(self.spark.sql(query).collect()[0][0])

    def _measure(self, what: str, name: str, act: Callable[[], object]) -> None:
        commits, executions = self._commits(name), self._executions()
        began, before = time.perf_counter(), self._processor()
        act()
        seconds, processor = time.perf_counter() - began, self._processor() - before
        opened = self._opened(executions, name)
        actions = [
            json.loads(line)
            for commit in self._commits(name) - commits
            for line in commit.read_text(encoding="utf-8").splitlines()
        ]
        touched = {action["remove"]["path"] for action in actions if "remove" in action}
        self.spent[what].append(Spent(seconds, processor, len(touched), opened))

    def _commits(self, name: str) -> set[Path]:
        (place,) = self.spark.sql(f"DESCRIBE DETAIL {name}").select("location").collect()[0]
        return set((Path(urlsplit(place).path) / "_delta_log").glob("*.json"))

    def _processor(self) -> float:
        java = self.spark.sparkContext._gateway.proc.pid
        used = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
        ticks = int(used[11]) + int(used[12])
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")

    def _store(self) -> Any:
        self.spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        return self.spark._jsparkSession.sharedState().statusStore()

    def _executions(self) -> int:
        return int(self._store().executionsCount())

    def _opened(self, after: int, name: str) -> int:
        """Files that scans of the table read, in all executions since."""
        store = self._store()
        opened: dict[int, int] = {}
        executions = store.executionsList()
        for place in range(after, executions.size()):
            number = executions.apply(place).executionId()
            values, nodes = store.executionMetrics(number), store.planGraph(number).allNodes()
            for node in map(nodes.apply, range(nodes.size())):
                if not node.name().endswith(f".{name}"):
                    continue
                for metric in map(node.metrics().apply, range(node.metrics().size())):
                    found = values.get(metric.accumulatorId())
                    if metric.name() == "number of files read" and found.isDefined():
                        opened[metric.accumulatorId()] = int(found.get().replace(",", ""))
        return sum(opened.values())


def main() -> None:
    """Fill, let days pass, print medians."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--days", type=int, default=100)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="filtersql-bench-") as name:
        bench = Bench(Path(name), asked.rows, asked.days, asked.files)
        (files,) = bench.spark.sql(f"DESCRIBE DETAIL {_TABLE}").select("numFiles").collect()[0]
        print(f"{asked.rows:,} rows in {files} files; each day {asked.rows // asked.days:,} leave")
        for _ in range(asked.rounds + 1):
            bench.pass_a_day()
        for what, measured in bench.spent.items():
            counted = measured[1:]
            print(
                f"  {what:8}"
                f"{statistics.median(each.seconds for each in counted):7.1f} s,"
                f"{statistics.median(each.processor for each in counted):7.1f} s of CPU,"
                f" files touched {[each.touched for each in counted]},"
                f" opened {[each.opened for each in counted]}",
                flush=True,
            )
        bench.engine.close()


if __name__ == "__main__":
    main()
