"""What Spark spends on planning compiled MERGEs of ordinary row filters, on Delta and Iceberg.

    python tests/benchmarks/planning.py [--before CHECKOUT] [--rounds 7]

One project with a table for each filter is compiled, and each MERGE is parsed, analysed, optimized
and planned, never executed, in one Spark that is warm. Milliseconds of CPU time of the thread that
plans, which other programs do not change; medians over the rounds. `source` is the query inside of
the MERGE: Delta plans it when the MERGE runs, Iceberg as a part of the MERGE. With `--before`,
another checkout of filtersql compiles the same project, and both are planned in turn.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from filtersql.targets.embedded import own_session

#: name, PostgreSQL's type, Spark's
COLUMNS = [
    ("id", "int NOT NULL", "INT"),
    ("qty", "int NOT NULL", "INT"),
    ("stock", "int", "INT"),
    ("flag", "boolean", "BOOLEAN"),
    ("price", "numeric", "STRING"),
    ("amount", "numeric(10,2)", "DECIMAL(10, 2)"),
    ("name", "varchar(20)", "STRING"),
    ("code", "text", "STRING"),
    ("status", "text", "STRING"),
    ("ip", "inet", "STRING"),
    ("tags", "text[]", "STRING"),
    ("doc", "jsonb", "STRING"),
    ("created_at", "timestamp", "TIMESTAMP_NTZ"),
    ("d", "date", "DATE"),
]
FILTERS = [
    "qty > 5",
    "status = 'active'",
    "status IN ('active', 'trial', 'paused')",
    "qty BETWEEN 10 AND 20",
    "NOT flag",
    "qty > 5 AND status = 'active'",
    "qty > 5 OR stock > 5",
    "amount BETWEEN 1 AND 100",
    "price > 0",
    "price BETWEEN 1 AND 100",
    "name LIKE 'a%'",
    "code ~ '^A[0-9]+$'",
    "substring(code, 1, 2) = 'DE'",
    "coalesce(stock, 0) > 1",
    "d >= '2024-01-01'",
    "created_at >= '2024-01-01 12:00'",
    "qty % 2 = 0",
    "doc ->> 'k' = 'v'",
    "'a' = ANY (tags)",
    "ip << '10.0.0.0/8'",
]
_PROFILES = """planning:
  target: delta
  outputs:
    delta: {type: spark, method: session, format: delta}
    iceberg: {type: spark, method: session, format: iceberg, catalog: lake,
              catalog_config: {type: hadoop, warehouse: lakehouse}}
"""
_TARGET = re.compile(r"^MERGE INTO (\S+) AS t$", re.MULTILINE)


def write_project(folder: Path) -> None:
    """A table t1, t2, … for each filter."""
    columns = ", ".join(f"{name} {kind}" for name, kind, _ in COLUMNS)
    names = [f"t{number}" for number in range(1, len(FILTERS) + 1)]
    tables = [
        f"CREATE TABLE {name} ({columns}, PRIMARY KEY (id));\n"
        f"ALTER TABLE {name} REPLICA IDENTITY FULL;\n"
        for name in names
    ]
    published = ", ".join(
        f"{name} WHERE ({text})" for name, text in zip(names, FILTERS, strict=True)
    )
    for path, text in {
        "filtersql_project.yml": "{name: planning, version: 1, profile: planning}\n",
        "profiles.yml": _PROFILES,
        "tables/t.sql": "".join(tables),
        "publications/p.sql": f"CREATE PUBLICATION p FOR TABLE {published};\n",
        "subscriptions/s.yml": "subscriptions: [{name: s, publications: [p]}]\n",
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def compiled(folder: Path, checkout: str, output: str) -> list[str]:
    """The MERGE of each filter, as the filtersql of a checkout writes it."""
    write_project(folder)
    command = [sys.executable, "-m", "filtersql", "compile", "-q", "--target", output]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": checkout}, check=True)
    files = (
        folder / f"target/compiled/s/public.t{number}/merge.sql"
        for number in range(1, len(FILTERS) + 1)
    )
    return [file.read_text(encoding="utf-8") for file in files]


class Planner:
    """A Spark session with the views and targets that the MERGEs name."""

    def __init__(self, folder: Path) -> None:
        catalog = "spark.sql.catalog.lake"
        self.spark: Any = own_session(
            2,
            {
                catalog: "org.apache.iceberg.spark.SparkCatalog",
                f"{catalog}.type": "hadoop",
                f"{catalog}.warehouse": str(folder / "lakehouse"),
                "spark.sql.warehouse.dir": str(folder / "warehouse"),
                "spark.sql.ansi.enabled": "true",
                "spark.sql.session.timeZone": "UTC",
            },
            (),
        )
        java = self.spark._jvm
        self.threads = java.java.lang.management.ManagementFactory.getThreadMXBean()
        self.skipped = java.org.apache.spark.sql.execution.CommandExecutionMode.SKIP()
        self.state = self.spark._jsparkSession.sessionState()

    def prepare(self, statement: str, number: int) -> None:
        """The view of changes and the target of one MERGE."""
        columns = ", ".join(f"{name} {kind}" for name, _, kind in COLUMNS)
        target = _TARGET.search(statement)
        assert target is not None
        kind = "iceberg" if target[1].startswith("lake.") else "delta"
        namespace = target[1].rpartition(".")[0]
        self.spark.sql(f"CREATE NAMESPACE IF NOT EXISTS {namespace}")
        self.spark.sql(f"CREATE TABLE IF NOT EXISTS {target[1]} ({columns}) USING {kind}")
        sides = ", ".join(
            f"{side}_{name} {kind}" for side in ("before", "after") for name, _, kind in COLUMNS
        )
        changes = self.spark.createDataFrame(
            [], f"seq BIGINT, tx STRING, op STRING, {sides}, unchanged ARRAY<STRING>"
        )
        changes.createOrReplaceTempView(f"filtersql_changes__public__t{number}")

    def milliseconds(self, text: str) -> float:
        """CPU time of planning a statement."""
        start = self.threads.getCurrentThreadCpuTime()
        plan = self.state.sqlParser().parsePlan(text)
        self.state.executePlan(plan, self.skipped).executedPlan()
        return float(self.threads.getCurrentThreadCpuTime() - start) / 1e6


def source_of(statement: str) -> str:
    """The query of a MERGE."""
    return statement.partition("\nUSING (\n")[2].rpartition("\n) AS s\n")[0]


def measured(planner: Planner, checkouts: dict[str, list[str]], rounds: int) -> None:
    """Plans all in turn and prints the medians."""
    times: dict[tuple[str, str, int], list[float]] = {}
    for turn in range(rounds + 2):
        for label, statements in checkouts.items():
            for number, statement in enumerate(statements):
                for part, text in (("MERGE", statement), ("source", source_of(statement))):
                    spent = planner.milliseconds(text)
                    if turn >= 2:  # the first ones warm Java up
                        times.setdefault((label, part, number), []).append(spent)
    medians = {key: statistics.median(values) for key, values in times.items()}
    for label, statements in checkouts.items():
        for part in ("MERGE", "source"):
            found = [medians[label, part, number] for number in range(len(statements))]
            size = statistics.median(map(len, statements))
            print(
                f"  {label:8}{part:8} median {statistics.median(found):6.1f} ms, sum"
                f" {sum(found):7.1f} ms, longest {max(found):6.1f} ms, {size:.0f} characters"
            )
    for number, text in enumerate(FILTERS):
        shown = [
            f"{label}{medians[label, 'MERGE', number]:7.1f}{medians[label, 'source', number]:8.1f}"
            for label in checkouts
        ]
        print(f"    {text:42}{'  '.join(shown)}")


def main() -> None:
    """Compile, plan, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", help="another checkout, to be compared with")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    here = str(Path(__file__).resolve().parents[2])
    checkouts = {"before": options.before} if options.before else {}
    checkouts["now"] = here
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        planner = Planner(folder)
        for output in ("delta", "iceberg"):
            print(output)
            statements = {
                label: compiled(folder / label / output, checkout, output)
                for label, checkout in checkouts.items()
            }
            for number, statement in enumerate(next(iter(statements.values())), 1):
                planner.prepare(statement, number)
            measured(planner, statements, options.rounds)


if __name__ == "__main__":
    main()
