"""What `run` costs beside the script that one would write by hand, as new processes, in turn.

    python tests/benchmarks/beside_script.py --changes 1000000 --rows 500000 --small 20
        [--targets duckdb delta iceberg] [--work first changes nothing small] [--rounds 1] [--json]
        [--tuned]

    first     an initial copy of the rows; the script reads them with a schema and writes a table
    changes   updates of half of the rows; the script takes the latest change of each key and merges
    nothing   the run again; the script only starts its session, and asks the table for its count
    small     so many tables of three changes each; the script loops over them in one session

Seconds are wall and CPU, the latter of all processes of a command: Python and Java. The script
leaves Spark's settings as they are; `--tuned` gives it few partitions. A run maps Java's classes
where this machine keeps them (`filtersql debug` makes the file); the script does not.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

SCRIPT = Path(__file__).with_name("hand_written.py")
FILTER = "region = 'eu' AND amount >= 50"
PROFILES = """bench: {outputs: {
  duckdb: {type: duckdb, path: bench.duckdb},
  delta: {type: spark, method: session, format: delta, warehouse: warehouse},
  iceberg: {type: spark, method: session, format: iceberg, catalog: lake,
            catalog_config: {type: hadoop, warehouse: lakehouse}}}}
"""
#: prctl's PR_SET_CHILD_SUBREAPER
_SUBREAPER = 36


def spent(command: list[str], folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a command and of all that it starts. Raises where it fails.

    Java outlives the Python that started it by a moment: as a child of this process it is waited
    for, too, and its seconds count.
    """
    ctypes.CDLL(None).prctl(_SUBREAPER, 1)
    before, began = _children(), time.perf_counter()
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=subprocess.STDOUT)
        code = process.wait()
    wall = time.perf_counter() - began
    _wait_for_all()
    assert code == 0, (folder / "output.txt").read_text()
    return wall, _children() - before


def _wait_for_all() -> None:
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_project(folder: Path, tables: list[str], rows: int) -> None:
    """Tables, filters and one source file each, without any change."""
    ddl = "".join(
        f"CREATE TABLE {name}"
        " (id bigint PRIMARY KEY, region text, amount numeric(12,2), note text);"
        f"\nALTER TABLE {name} REPLICA IDENTITY FULL;\n"
        for name in tables
    )
    published = ", ".join(f"{name} WHERE ({FILTER})" for name in tables)
    files = {
        "filtersql_project.yml": "{name: bench, version: 1}\n",
        "profiles.yml": PROFILES,
        "tables/t.sql": ddl,
        "publications/p.sql": f"CREATE PUBLICATION p FOR TABLE {published};\n",
        "subscriptions/s.yml": "subscriptions: [{name: s1, publications: [p], "
        "source: {path: 'source/{table}.jsonl'}, changes: {path: 'changes/*.jsonl'}}]\n",
        "changes/0.jsonl": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "source").mkdir()
    for name in tables:
        with (folder / f"source/{name}.jsonl").open("w") as out:
            out.writelines(json.dumps(_row(key, 0)) + "\n" for key in range(rows))


def write_changes(folder: Path, tables: list[str], rows: int, changes: int) -> None:
    """Updates of half of each table's rows, four to a key where there are enough of them."""
    chance, seq = random.Random(1), 0
    with (folder / "changes/1.jsonl").open("w") as out:
        for name in tables:
            now: dict[int, int] = {}
            for version in range(1, changes + 1):
                key, seq = chance.randrange(max(rows // 2, 1)), seq + 1
                change = {
                    "seq": seq,
                    "op": "update",
                    "relation": f"public.{name}",
                    "before": _row(key, now.get(key, 0)),
                    "after": _row(key, version),
                }
                now[key] = version
                out.write(json.dumps(change) + "\n")


def _row(key: int, version: int) -> dict[str, object]:
    region = ("eu", "us", "eu", "asia")[(key + version) % 4]
    amount = f"{(key * 37 + version * 11) % 200}.50"
    return {"id": key, "region": region, "amount": amount, "note": f"note {key} {version}"}


class Bench:
    """Both ways of one target, each in a folder of its own."""

    def __init__(self, target: str, said: argparse.Namespace) -> None:
        self.target, self.said = target, said
        self.found: dict[str, list[tuple[float, float]]] = defaultdict(list)

    def round(self, tables: list[str], rows: int, changes: int, works: dict[str, str]) -> None:
        """`works` names what is measured by the step that it is: first, changes, nothing."""
        with tempfile.TemporaryDirectory(prefix="filtersql-beside-") as name:
            ours, theirs = Path(name, "run"), Path(name, "script")
            write_project(ours, tables, rows)
            shutil.copytree(ours, theirs)
            run = [sys.executable, "-m", "filtersql", "run", "-q", "--target", self.target]
            script = [sys.executable, str(SCRIPT), self.target, str(int(self.said.tuned))]
            for step in ("first", "changes", "nothing"):
                if step == "changes":
                    for folder in (ours, theirs):
                        write_changes(folder, tables, rows, changes)
                for who, folder, command in (
                    ("run", ours, run),
                    ("script", theirs, [*script, step, *tables]),
                ):
                    seconds = spent(command, folder)
                    if step in works:
                        self.found[f"{works[step]} {who}"].append(seconds)
            assert _rows(ours, self.target, tables) == _rows(theirs, self.target, tables)

    def tell(self) -> dict[str, object]:
        """Medians of wall and CPU, and their ratios."""
        told: dict[str, object] = {}
        for work in dict.fromkeys(key.rpartition(" ")[0] for key in self.found):
            pairs = [self.found[f"{work} {who}"] for who in ("run", "script")]
            ours, theirs = ([statistics.median(s[i] for s in p) for i in (0, 1)] for p in pairs)
            told[f"{self.target} {work}"] = {"run": ours, "script": theirs}
            print(
                f"{self.target:<8} {work:<8} run {ours[0]:6.1f} / {ours[1]:6.1f} s, script "
                f"{theirs[0]:6.1f} / {theirs[1]:6.1f} s: wall {ours[0] / theirs[0]:.2f}x, "
                f"CPU {ours[1] / theirs[1]:.2f}x, above {ours[0] - theirs[0]:+.1f} s",
                flush=True,
            )
        return told


def _rows(folder: Path, target: str, tables: list[str]) -> str:
    """What both ways have to agree on: the sums and counts of all tables."""
    command = [sys.executable, str(SCRIPT), target, "1", "sums", *tables]
    found = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    _wait_for_all()
    return found.stdout


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--changes", type=int, default=1_000_000)
    asked.add_argument("--rows", type=int, default=500_000)
    asked.add_argument("--small", type=int, default=20)
    asked.add_argument("--targets", nargs="+", default=["duckdb", "delta", "iceberg"])
    asked.add_argument("--work", nargs="+", default=["first", "changes", "nothing", "small"])
    asked.add_argument("--rounds", type=int, default=1)
    asked.add_argument("--tuned", action="store_true")
    asked.add_argument("--json", action="store_true")
    said = asked.parse_args()
    told: dict[str, object] = {}
    for target in said.targets:
        bench = Bench(target, said)
        for _ in range(said.rounds):
            steps = ("first", "changes", "nothing")
            if wanted := {step: step for step in steps if step in said.work}:
                bench.round(["t"], said.rows, said.changes, wanted)
            if "small" in said.work:
                names = [f"t{number}" for number in range(said.small)]
                bench.round(names, 10, 3, {"first": "first of small", "changes": "small"})
        told |= bench.tell()
    if said.json:
        print(json.dumps(told))


if __name__ == "__main__":
    main()
