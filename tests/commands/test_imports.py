"""The command line starts quickly: it loads no engine and no parser that it does not need."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable

import pytest

HEAVY = {"duckdb", "jinja2", "postgast", "pyarrow", "pyspark", "rich", "sqlglot", "yaml"}
LOADED = "import json, sys; print('\\n' + json.dumps(sorted(sys.modules)))"
HELP = f"""
import atexit, sys
atexit.register(lambda: exec({LOADED!r}))
sys.argv = ["filtersql", "--help"]
from filtersql.cli import main
sys.exit(main())
"""


def run(program: str) -> tuple[list[str], float]:
    """The lines that a Python program prints, and the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0, ended.stderr
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ended.stdout.strip().split("\n"), seconds


@pytest.mark.parametrize(
    "program", [HELP, f"import filtersql.cli; {LOADED}"], ids=["help", "import"]
)
def test_command_line_loads_nothing_heavy(program: str) -> None:
    """Neither importing the command line nor `--help` loads an engine, a parser or a renderer."""
    lines, _ = run(program)
    loaded = {name.split(".")[0] for name in json.loads(lines[-1])}

    assert loaded & HEAVY == set()


def test_help_is_printed(announce: Callable[[str], None]) -> None:
    """`--help` names the commands; its CPU time is reported beside that of an empty program."""
    lines, seconds = run(HELP)
    _, empty = run("pass")
    announce(f"filtersql --help: {seconds:.2f} CPU seconds (an empty Python program: {empty:.2f})")

    assert {"compile", "run", "init"} <= {line.split()[0] for line in lines if line.strip()}


ENGINES = {"duckdb", "pyarrow", "pyspark"}


@pytest.mark.parametrize("work", ["api.compiling", "api.listing", "commands.showing"])
def test_what_compiles_loads_no_engine(work: str) -> None:
    """`compile`, `ls` and `show` need none of what runs statements."""
    lines, _ = run(f"import filtersql.{work}; {LOADED}")
    loaded = {name.split(".")[0] for name in json.loads(lines[-1])}

    assert loaded & ENGINES == set()


@pytest.mark.parametrize("work", ["api.run", "api.status", "feeds.changes"])
def test_what_runs_does_not_load_pandas(work: str) -> None:
    """Arrow loads pandas, where it is installed, with the first array that is made of a list."""
    lines, _ = run(f"import filtersql.{work}; {LOADED}")
    loaded = {name.split(".")[0] for name in json.loads(lines[-1])}

    assert "pyarrow" in loaded
    assert "pandas" not in loaded
