"""How long a reviewer waits: `review` of 200 tables; `ls`, `show`, `compile` of one of 1,000.

    python tests/benchmarks/review.py [--rounds 3] [--json]

Each call is a process of its own. `first` is a call that nothing is remembered for, `again` the
least wall and CPU seconds of the calls after it. The goals: a page in under 2 s and 3 MB, the
others in under 0.35 s.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from generated import write_project

__all__ = ["called", "main"]

CALLS = (
    ("review", 200, ["review", "-q"]),
    ("ls", 1000, ["ls", "--select", "public.table_5"]),
    ("show table", 1000, ["show", "table", "table_5"]),
    ("show publication", 1000, ["show", "publication", "publication_1"]),
    ("compile one", 1000, ["compile", "--select", "public.table_5"]),
    ("compile all", 1000, ["compile"]),
)


def called(folder: Path, arguments: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of one call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    line = [sys.executable, "-m", "filtersql", *arguments]
    subprocess.run(line, cwd=folder, check=True, capture_output=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(folder: Path, arguments: list[str], rounds: int) -> dict[str, float]:
    """The first call, and the least of those after it."""
    shutil.rmtree(folder / "target" / ".cache", ignore_errors=True)
    first = called(folder, arguments)
    again = [called(folder, arguments) for _ in range(rounds)]
    return {
        "first wall": first[0],
        "first cpu": first[1],
        "again wall": min(wall for wall, _ in again),
        "again cpu": min(cpu for _, cpu in again),
    }


def main() -> None:
    """Prints a line for each call."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as name:
        for tables in (200, 1000):
            folder = Path(name, str(tables))
            write_project(folder, tables, "yaml")
            for what, size, arguments in CALLS:
                if size == tables:
                    found[what] = measured(folder, arguments, options.rounds)
        page = Path(name, "200", "target", "review.html")
        found["review"]["megabytes"] = page.stat().st_size / 1e6
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for what, numbers in found.items():
        text = "  ".join(f"{key} {value:5.2f}" for key, value in numbers.items())
        print(f"{what:<18} {text}")


if __name__ == "__main__":
    main()
