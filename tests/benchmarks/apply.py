"""What plan and apply of a changed filter cost beside a copy of the table, and a DELETE by hand.

    python tests/benchmarks/apply.py [--rows 10000000] [--columns 0] [--format delta] [--vectors]
        [--together]

One Spark, one table of so many rows, of which the first filter takes 99 of 100, in files of half a
million; `--columns` gives it so many more, of numbers, dates and texts. The rows that move stand in
each of the files, or `--together`. With `--vectors` the table has Delta's deletion vectors, or
Iceberg's position deletes. In turn:

    scans       counting the target's rows, and the source's, by the filter that comes
    plan        of a filter that 1 % of the rows leave, and of one that 1 % leave and 1 % enter
    apply       of each, with its plan
    DELETE      of the same rows by hand, in a copy of the target: seconds and files
    resync      `run --resync`: the whole table once more

Seconds by the clock, CPU seconds of Python and Java, and files that a commit took away and wrote.
The ratios are of CPU seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from filtersql.api.inputs import inputs_of, sourced_targets
from filtersql.api.planned import judge_of
from filtersql.compile import compile_project
from filtersql.project import load
from filtersql.run import Options, run
from filtersql.run.apply_plan import apply_plan, plan
from filtersql.targets.open import open_engine

PROFILES = """bench:
  target: delta
  outputs:
    delta: {type: spark, method: session, format: delta, warehouse: warehouse,
            spark_conf: &conf {spark.driver.memory: 4g,
                               spark.sql.files.maxRecordsPerFile: "500000"}}
    iceberg: {type: spark, method: session, format: iceberg, catalog: lake,
              catalog_config: {type: hadoop, warehouse: lakehouse},
              spark_conf: *conf}
"""
TABLES = """tables:
  - name: orders
    columns: {{id: bigint not null, part: int not null, region: text, note: text{more}}}
    primary_key: [id]
    replica_identity: full
"""
#: what further columns hold, in turn
MORE = (
    ("numeric(12,2)", "CAST(pmod(hash(id, {number}), 1000000) / 100 AS DECIMAL(12, 2))"),
    ("text", "md5(CAST(id + {number} AS STRING))"),
    ("date", "date_add(DATE'2020-01-01', pmod(hash(id, {number}), 2000))"),
    ("bigint", "xxhash64(id, {number})"),
)
SUBSCRIPTION = """subscriptions:
  - name: s1
    publications: [p]
    source: "{catalog}src.orders"
    target_config: {{table_properties: {properties}}}
"""
FIRST, NARROWER, MIXED = "part < 99", "part < 98", "part >= 1 AND part < 100"
ROWS = (
    "SELECT id, CAST({part} AS INT) AS part, 'region ' || (id % 7) AS region, "
    "repeat('x', 40) AS note{more} FROM range({rows})"
)
#: of 100 parts: that of a row by its key's hash, or keys that follow each other
PARTS = {False: "pmod(hash(id), 100)", True: "id * 100 DIV {rows}"}
VECTORS = {
    "delta": {"delta.enableDeletionVectors": "true"},
    "iceberg": {
        "format-version": "2",
        "write.delete.mode": "merge-on-read",
        "write.merge.mode": "merge-on-read",
    },
}


class Bench:
    """The project of one format, and its engine."""

    def __init__(self, folder: Path, asked: argparse.Namespace, table_format: str) -> None:
        self.folder, self.format = folder, table_format
        more = [
            (f"c{number}", kind, value.format(number=number))
            for number, (kind, value) in zip(range(asked.columns), cycle(MORE), strict=False)
        ]
        self.properties = VECTORS[table_format] if asked.vectors else {}
        catalog = "lake." if table_format == "iceberg" else ""
        for name, text in (
            ("filtersql_project.yml", "name: bench\nversion: 1\nprofile: bench\n"),
            ("profiles.yml", PROFILES),
            (
                "tables/t.yml",
                TABLES.format(more="".join(f", {name}: '{kind}'" for name, kind, _ in more)),
            ),
            (
                "subscriptions/s.yml",
                SUBSCRIPTION.format(catalog=catalog, properties=json.dumps(self.properties)),
            ),
        ):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        self.define(FIRST)
        output = load(folder, target=table_format).output
        assert output is not None
        self.engine: Any = open_engine(output, folder)
        self.source = self.engine.table_sql(("src", "orders"))
        self.target = self.engine.table_sql(("s1", "orders"))
        schema = self.engine.table_sql(("src",))
        self.engine.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        part = PARTS[asked.together].format(rows=asked.rows)
        also = "".join(f", {value} AS {name}" for name, _, value in more)
        query = ROWS.format(rows=asked.rows, part=part, more=also)
        self.engine.execute(f"CREATE TABLE {self.source} USING {table_format} AS {query}")

    def define(self, where: str) -> None:
        """The filter that is compiled from now on."""
        file = self.folder / "publications/p.yml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(
            f'publications:\n  - name: p\n    tables: [{{name: orders, where: "{where}"}}]\n'
        )

    def asked(self) -> tuple[Any, Any, Any]:
        project = load(self.folder, target=self.format)
        compilation = compile_project(project)
        audits = sourced_targets(project, compilation.nodes, compilation)
        return inputs_of(project), audits, judge_of(project, compilation)

    def run(self, **options: bool) -> None:
        inputs, audits, _ = self.asked()
        tables = {name: [one.compiled for one in each] for name, each in audits.items()}
        result = run(inputs, tables, self.engine, Options(**options))
        assert not result.mistakes, result.mistakes

    def plan(self) -> None:
        inputs, audits, judge = self.asked()
        (planned,) = plan(inputs, audits, self.engine, judge)
        assert not planned.mistakes, planned.mistakes
        print(f"    {planned.change}: {planned.delete:,} leave, {planned.insert:,} enter")

    def apply(self) -> None:
        inputs, audits, judge = self.asked()
        assert apply_plan(inputs, audits, self.engine, lambda planned: True, judge)

    def scans(self, where: str) -> None:
        for table in (self.target, self.source):
            self.engine.rows(f"SELECT count(*) FROM {table} WHERE NOT ({where})")

    def copied(self) -> str:
        copy = self.engine.table_sql(("src", "by_hand"))
        self.engine.execute(f"DROP TABLE IF EXISTS {copy}")
        pairs = ", ".join(f"'{name}' = '{value}'" for name, value in self.properties.items())
        properties = f"TBLPROPERTIES ({pairs})" if pairs else ""
        self.engine.execute(
            f"CREATE TABLE {copy} USING {self.format} {properties} AS SELECT * FROM {self.target}"
        )
        return copy

    def files(self, table: str) -> set[str]:
        found = self.engine.rows(f"SELECT DISTINCT input_file_name() FROM {table}")
        return {str(name) for (name,) in found}

    def timed(self, name: str, what: Callable[[], object], table: str | None = None) -> float:
        """Says what it cost; gives the CPU seconds."""
        before = self.files(table) if table else set()
        began, spent = time.perf_counter(), self._processor()
        what()
        seconds, spent = time.perf_counter() - began, self._processor() - spent
        told = f"  {name:34} {seconds:7.1f} s {spent:7.1f} CPU s"
        if table:
            after = self.files(table)
            told += f"   files: {len(before - after)} away, {len(after - before)} written"
        print(told, flush=True)
        return spent

    def _processor(self) -> float:
        java = self.engine.spark.sparkContext._gateway.proc.pid
        spent = Path(f"/proc/{java}/stat").read_text().rpartition(")")[2].split()
        ticks = int(spent[11]) + int(spent[12])
        return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def measure(asked: argparse.Namespace, table_format: str) -> None:
    """Print what one format costs."""
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(Path(name), asked, table_format)
        print(f"{table_format}, {asked}", flush=True)
        bench.timed("first run (copy)", bench.run)
        copy = bench.copied()
        delete = f"DELETE FROM {copy} WHERE NOT ({NARROWER})"
        seconds: dict[str, float] = {}
        for word, where in (("narrower", NARROWER), ("mixed", MIXED)):
            scans = bench.timed(f"{word}: the two scans", lambda where=where: bench.scans(where))
            bench.define(where)
            planned = bench.timed(f"{word}: plan", bench.plan)
            print(f"    plan / scans: {planned / scans:.2f}")
            seconds[word] = bench.timed(f"{word}: apply", bench.apply, bench.target)
            if word == "narrower":
                bench.timed("the DELETE by hand", lambda: bench.engine.execute(delete), copy)
        resync = bench.timed("resync", lambda: bench.run(full_refresh=True))
        for word, spent in seconds.items():
            print(f"    apply of {word} / resync: {spent / resync:.2f}")
        bench.engine.close()


def main() -> None:
    """Every format that was asked for, each in this process's one Spark."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=0)
    parser.add_argument("--vectors", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--format", nargs="+", default=["delta", "iceberg"])
    asked = parser.parse_args()
    for table_format in asked.format:
        measure(asked, table_format)


if __name__ == "__main__":
    main()
