"""What `filtersql compile` costs at first and again, beside what reading and writing alone cost.

    python tests/benchmarks/compile_again.py --tables 1000 10000 [--files sql] [--rounds 3] [--json]

Each call is a process of its own; numbers are CPU seconds (user and system), the least of all
rounds, and megabytes at the peak. Python's bytecode is kept, as it is for whoever installs a
package.

    cold       nothing is kept, and target/ is empty
    changed    one row filter in one file is another than before
    unchanged  nothing is
    selected   nothing is, and --select names one table
    floor      Python starts, reads the definitions, and writes as many files of the same sizes
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from generated import write_project

__all__ = ["calls", "main"]

_FLOOR = """
import os, sys
project, other = sys.argv[1:]
for folder in ("tables", "publications", "subscriptions"):
    for name in os.listdir(f"{project}/{folder}"):
        with open(f"{project}/{folder}/{name}", "rb") as file:
            file.read()
for place, folders, names in os.walk(f"{project}/target"):
    folders[:] = [name for name in folders if name != ".cache"]
    fresh = other + place[len(project) :]
    os.makedirs(fresh, exist_ok=True)
    for name in names:
        with open(f"{fresh}/{name}", "wb") as file:
            file.write(b"x" * os.stat(f"{place}/{name}").st_size)
"""


def called(*arguments: str) -> tuple[float, float]:
    """CPU seconds and megabytes of one Python; it has to succeed."""
    environment = {key: text for key, text in os.environ.items() if key != _NO_BYTECODE}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit code {process.returncode}: {arguments}")
    unit = 1_000_000 if sys.platform == "darwin" else 1_000
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit


_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def calls(project: Path, folder: Path, number: int) -> Iterator[tuple[str, tuple[float, float]]]:
    """One round: each call after the other, in a copy of the project.

    Nothing is removed before the end: ext4 looks for places that were given back lately, which is
    half as much work again for whoever writes files then.
    """
    own = folder / f"project{number}"
    shutil.copytree(project, own)
    command = ("-m", "filtersql", "compile", "--project-dir", str(own))
    yield "cold", called(*command)
    changed = next(iter(sorted((own / "publications").iterdir())))
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace("'eu'", f"'e{number}'", 1), encoding="utf-8")
    yield "changed", called(*command)
    yield "unchanged", called(*command)
    yield "selected", called(*command, "--select", "public.table_5")
    yield "floor", called("-c", _FLOOR, str(own), str(folder / f"floor{number}"))


def main() -> None:
    """Generates, measures, prints a line for each call."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[1000], metavar="N")
    parser.add_argument("--files", choices=["yaml", "sql"], default="yaml")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    results: dict[str, dict[int, tuple[float, float]]] = {}
    for tables in given.tables:
        with tempfile.TemporaryDirectory() as name:
            project = Path(name) / "project"
            project.mkdir()
            write_project(project, tables, given.files)
            for number in range(given.rounds):
                for what, found in calls(project, Path(name), number):
                    least = results.setdefault(what, {}).get(tables, found)
                    results[what][tables] = min(least[0], found[0]), min(least[1], found[1])
    if given.json:
        print(json.dumps(results))
        return
    print(f"{'tables':10}" + "".join(f"{tables:>18}" for tables in given.tables))
    for what, numbers in results.items():
        cells = "".join(f"{cpu:9.2f} s{peak:4.0f} MB" for cpu, peak in numbers.values())
        print(f"{what:10}{cells}")


if __name__ == "__main__":
    main()
