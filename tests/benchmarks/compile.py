"""How long `filtersql compile` takes for generated projects, by phase, and what memory it needs.

    python tests/benchmarks/compile.py --tables 100 1000 [--files sql] [--rounds 3] [--json]

Each round is a process of its own (cold: imports count). Seconds are CPU seconds, the least of all
rounds, because this machine does other things too. `outside` is what the process spends in starting
Python and in whatever no phase covers.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from types import GeneratorType
from typing import Any

from generated import write_project

__all__ = ["Clock", "measured"]

#: phase -> the functions in which it is spent, as compile.py knows them
PHASES = {
    "definitions": ["filtersql.api.loading.load_project"],
    "publications": ["filtersql.publications.resolve", "filtersql.publications.check"],
    "filters": ["filtersql.filter_cache.resolve_filter", "filtersql.filter_cache.write_filter"],
    "rendering": ["filtersql.compile.compiled_table"],
    "files": ["filtersql.artifacts.write"],
    "others": ["filtersql.compile.compile_project"],
}


class Clock:
    """CPU seconds by phase; a phase inside another one counts for itself only."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._stack: list[str] = []
        self._since = time.process_time()

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Everything until its end belongs to this phase."""
        self._switch()
        self._stack.append(name)
        try:
            yield
        finally:
            self._switch()
            self._stack.pop()

    def _switch(self) -> None:
        now = time.process_time()
        if self._stack:
            self.seconds[self._stack[-1]] += now - self._since
        self._since = now

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, its calls counted for a phase; a generator is drained within it."""

        @wraps(function)
        def call(*values: Any, **named: Any) -> Any:
            with self.phase(name):
                result = function(*values, **named)
                return tuple(result) if isinstance(result, GeneratorType) else result

        return call


def measured(folder: Path) -> dict[str, Any]:
    """Compile a project in this process; seconds by phase and the peak of memory in MB."""
    clock = Clock()
    with clock.phase("imports"):
        from importlib import import_module

        from filtersql import artifacts, compile
        from filtersql.api import loading
        from filtersql.api.options import Options
        from filtersql.api.reporter import Reporter
    for phase, functions in PHASES.items():
        for path in functions:
            module, _, name = path.rpartition(".")
            owner = import_module(module)
            setattr(owner, name, clock.timed(phase, getattr(owner, name)))
    project = loading.load_project(Reporter(Options(project_dir=folder)))
    compilation = compile.compile_project(project)
    artifacts.write(project, compilation, compilation.nodes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    megabytes = peak / (1_000_000 if sys.platform == "darwin" else 1_000)
    return {"targets": len(compilation.nodes), "peak_mb": megabytes, **clock.seconds}


def best_of(folder: Path, rounds: int) -> dict[str, float]:
    """The least of each number over some processes, with the whole process beside the phases."""
    found: list[dict[str, float]] = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, __file__, "--measure", folder],
            capture_output=True,
            text=True,
            check=False,
        )
        wall = time.perf_counter() - wall
        if ended.returncode:
            sys.exit(ended.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        phases = json.loads(ended.stdout)
        inside = sum(phases.values()) - phases["targets"] - phases["peak_mb"]
        found.append({**phases, "outside": cpu - inside, "cpu": cpu, "wall": wall})
    return {name: min(each.get(name, 0.0) for each in found) for name in found[0]}


def print_table(results: dict[int, dict[str, float]]) -> None:
    """One column for each size, one row for each number."""
    names = list(dict.fromkeys(name for result in results.values() for name in result))
    print("".join([f"{'tables':14}", *(f"{tables:>10}" for tables in results)]))
    for name in names:
        unit = {"targets": "{:10.0f}", "peak_mb": "{:10.0f}"}.get(name, "{:9.2f}s")
        values = "".join(unit.format(result.get(name, 0)) for result in results.values())
        print(f"{name:14}{values}")


def main() -> None:
    """Generate, measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1000], metavar="N")
    parser.add_argument(
        "--files", choices=["yaml", "sql"], default="yaml", help="how it is written"
    )
    parser.add_argument("--rounds", type=int, default=3, help="processes of which the best counts")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measured(given.measure)))
        return
    results: dict[int, dict[str, float]] = {}
    for tables in given.tables:
        with tempfile.TemporaryDirectory() as name:
            write_project(Path(name), tables, given.files)
            results[tables] = best_of(Path(name), given.rounds)
    if given.json:
        print(json.dumps(results))
    else:
        print_table(results)


if __name__ == "__main__":
    main()
