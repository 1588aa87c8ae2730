"""What large and awkward feeds take on Spark: seconds, and the memory of Python's own process.

    python tests/benchmarks/large.py [--target iceberg] [--scale 1.0]
        [--work large cores wide values hot files skewed]

    large     1,000,000 and 20,000,000 changes of 500,000 rows
    cores     5,000,000 changes on `local[1]` and on `local[2]`, less what a run with none takes
    wide      200,000 changes of 200 columns
    values    2,000 changes with a text of 1 MB each
    hot       1,000,000 changes of one row
    files     100,000 changes in 10,000 files
    skewed    1,000,000 changes of ten tables, nine in ten of them of one

Each is a new process with a Spark that has a heap of 2 GB. `--scale 0.1` is a tenth of all changes.
A target that holds another number of rows than the changes say stops the program.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NamedTuple

HEAP = "2g"
ROWS = 500_000
#: one change: the table, its key, further columns
Changed = tuple[str, int, dict[str, object]]


class Spent(NamedTuple):
    """Seconds by the clock, seconds of CPU and megabytes at the peak of Python's own process."""

    clock: float
    cpu: float
    peak: int


class Work(NamedTuple):
    """A feed: tables with their columns beside the key, its changes, how many of them in a file."""

    columns: dict[str, list[str]]
    changes: Callable[[], Iterator[Changed]]
    in_file: int = 1_000_000_000
    master: str = "local[2]"


def works(scale: float) -> dict[str, Work]:
    """The feeds by their names."""

    def some(count: int) -> int:
        return max(int(count * scale), 10)

    def plain(count: int) -> Callable[[], Iterator[Changed]]:
        return lambda: (("t", n * 7919 % ROWS, {"v": f"value {n}"}) for n in range(some(count)))

    def wide() -> Iterator[Changed]:
        for n in range(some(200_000)):
            yield "t", n % 50_000, {f"c{each}": n + each for each in range(200)}

    def values() -> Iterator[Changed]:
        for n in range(some(2_000)):
            yield "t", n, {"v": str(n % 10) * 1_000_000}

    def hot() -> Iterator[Changed]:
        return (("t", 1, {"v": f"value {n}"}) for n in range(some(1_000_000)))

    def skewed() -> Iterator[Changed]:
        for n in range(some(1_000_000)):
            yield f"t{n % 100 if n % 100 < 10 else 0}", n * 7919 % ROWS, {"v": f"value {n}"}

    one = {"t": ["v"]}
    return {
        "1,000,000": Work(one, plain(1_000_000)),
        "20,000,000": Work(one, plain(20_000_000)),
        "local[1]": Work(one, plain(5_000_000), master="local[1]"),
        "local[2]": Work(one, plain(5_000_000)),
        "wide": Work({"t": [f"c{each}" for each in range(200)]}, wide),
        "values": Work(one, values),
        "hot": Work(one, hot),
        "files": Work(one, plain(100_000), in_file=10),
        "skewed": Work({f"t{each}": ["v"] for each in range(10)}, skewed),
    }


NAMES = {"large": ["1,000,000", "20,000,000"], "cores": ["local[1]", "local[2]"]}


def write_project(folder: Path, work: Work, target: str) -> None:
    """Tables that are published whole but for some keys, and a feed without any change."""
    outputs = {
        "delta": {"format": "delta", "warehouse": "warehouse"},
        "iceberg": {
            "format": "iceberg",
            "catalog": "lake",
            "catalog_config": {"type": "hadoop", "warehouse": "lakehouse"},
        },
    }
    conf = {"spark.driver.memory": HEAP, "spark.master": work.master}
    output = {"type": "spark", "method": "session", "spark_conf": conf, **outputs[target]}
    kind = "bigint" if len(next(iter(work.columns.values()))) > 1 else "text"
    tables = [
        {
            "name": name,
            "columns": {"id": "bigint not null", **dict.fromkeys(columns, kind)},
            "primary_key": ["id"],
        }
        for name, columns in work.columns.items()
    ]
    published = [{"name": name, "where": "id % 10 <> 3"} for name in work.columns]
    subscribed = {
        "name": "s",
        "publications": ["p"],
        "changes": {"format": "filtersql", "path": "changes/*.jsonl"},
    }
    for name, held in (
        ("filtersql_project.yml", {"name": "bench", "version": 1}),
        ("profiles.yml", {"bench": {"outputs": {target: output}}}),
        ("tables/t.yml", {"tables": tables}),
        ("publications/p.yml", {"publications": [{"name": "p", "tables": published}]}),
        ("subscriptions/s.yml", {"subscriptions": [subscribed]}),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(held), encoding="utf-8")
    (folder / "changes").mkdir()
    (folder / "changes/0.jsonl").write_text("")


def write_changes(folder: Path, work: Work) -> tuple[int, int]:
    """How many bytes the changes have, and how many rows they leave in the targets."""
    written, there = 0, set()
    with ExitStack() as files:
        for seq, (name, key, values) in enumerate(work.changes(), 1):
            if seq % work.in_file == 1:
                files.close()
                out = files.enter_context((folder / f"changes/{seq:09}.jsonl").open("w"))
            op = "update" if (name, key) in there else "insert"
            there.add((name, key))
            after = {"id": key, **values}
            change = {"seq": seq, "op": op, "relation": f"public.{name}", "after": after}
            written += out.write(json.dumps(change) + "\n")
    return written, sum(key % 10 != 3 for _, key in there)


def spent(command: list[str], folder: Path) -> Spent:
    """What a command takes. Raises where it fails."""
    began, cpu, peak = time.perf_counter(), 0.0, 0
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            with suppress(OSError, ValueError, IndexError):
                status = Path(f"/proc/{process.pid}/status").read_text()
                peak = max(peak, int(status.partition("VmHWM:")[2].split()[0]) // 1024)
                times = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
                cpu = (int(times[11]) + int(times[12])) / 100
            time.sleep(0.1)
    assert process.returncode == 0, (folder / "output.txt").read_text()
    return Spent(time.perf_counter() - began, cpu, peak)


def measured(work: Work, target: str) -> tuple[Spent, Spent, int]:
    """What a run with nothing to do takes, what the changes take, and their bytes."""
    with tempfile.TemporaryDirectory(prefix="filtersql-large-") as name:
        folder = Path(name)
        write_project(folder, work, target)
        run = [sys.executable, "-m", "filtersql", "run", "-q"]
        spent(run, folder)
        nothing = spent(run, folder)
        size, rows = write_changes(folder, work)
        took = spent(run, folder)
        results = json.loads((folder / "target/run_results.json").read_text())["results"]
        inserted = sum(one["rows_inserted"] for one in results)
        assert inserted == rows, f"{inserted} rows in place of {rows}"
        return nothing, took, size


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    every = ("large", "cores", "wide", "values", "hot", "files", "skewed")
    asked.add_argument("--work", nargs="+", choices=every, default=every)
    asked.add_argument("--target", choices=("delta", "iceberg"), default="iceberg")
    asked.add_argument("--scale", type=float, default=1.0)
    said = asked.parse_args()
    known = works(said.scale)
    heads = ("MB", "clock", "above", "Python's CPU", "and MB")
    print(f"{said.target:<12}", *(f"{head:>12}" for head in heads))
    for name in (each for work in said.work for each in NAMES.get(work, [work])):
        nothing, took, size = measured(known[name], said.target)
        told = (size / 2**20, took.clock, took.clock - nothing.clock, took.cpu, took.peak)
        print(f"{name:<12}", *(f"{one:12.1f}" for one in told), flush=True)


if __name__ == "__main__":
    main()
