"""`filtersql` in processes of their own that die at a given moment; run as a script.

    {"log": "…", "at": 17, "arguments": ["run", …], "output": "…"}

is a line of its input, for which it forks: so what is imported is imported once. `log` gets a line
before and after every step of the run: where the process was when it died. At line number `at` it
kills itself and, where it runs Spark, the Java process with it; 0: never. `step` counts only one
kind of lines ("after write"). With `pause`, a path, it does not die there: it makes PATH.paused and
waits for PATH.go. `lease`: the seconds of a lease. `rows` is a file for the rows of all targets
when the command is through.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

#: what each engine commits at once
_COMMITS = {"write", "create", "begin", "drop", "COMMIT", "ledger"}


class Steps:
    """Counts the moments, writes them down, and ends the process at one of them."""

    def __init__(
        self, log: Path, at: int, step: str | None = None, pause: str | None = None
    ) -> None:
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.at, self.step, self.pause, self.count = at, step, pause, 0

    def moment(self, side: str, what: str) -> None:
        """One line; with its number it may be the last."""
        self.count += self.step in (None, f"{side} {what}")
        line = {"side": side, "what": what, "commit": what in _COMMITS, "time": time.monotonic()}
        os.write(self.log, json.dumps(line).encode() + b"\n")
        if self.count == self.at and self.pause is None:
            os.killpg(0, signal.SIGKILL)
        if self.count == self.at:
            self.at = 0
            Path(f"{self.pause}.paused").touch()
            while not Path(f"{self.pause}.go").exists():
                time.sleep(0.05)

    def wrap(self, owner: Any, name: str, what: Callable[..., str]) -> None:
        """Put a moment before and after each call of a function."""
        inner = getattr(owner, name)

        @functools.wraps(inner)
        def outer(*args: Any, **named: Any) -> Any:
            said = what(*args)
            self.moment("before", said)
            found = inner(*args, **named)
            self.moment("after", said)
            return found

        setattr(owner, name, outer)

    def transaction(self, owner: Any) -> None:
        """DuckDB's COMMIT as a step of its own."""
        inner = owner._run

        def outer(engine: Any, statement: str, *values: Any) -> Any:
            if statement != "COMMIT":
                return inner(engine, statement, *values)
            with self._around("COMMIT"):
                return inner(engine, statement)

        owner._run = outer

    @contextmanager
    def _around(self, what: str) -> Iterator[None]:
        self.moment("before", what)
        yield
        self.moment("after", what)


def _named(name: str) -> Callable[..., str]:
    return lambda *_: name


def _statement(_engine: object, statement: str) -> str:
    return "ledger" if "ledger" in statement else "statement"


def watch(steps: Steps) -> None:
    """Put moments around the steps of a run and the calls of its engine."""
    from filtersql.run import copies, rounds, shared_feeds
    from filtersql.targets.duckdb import DuckDB
    from filtersql.targets.session import Session

    steps.wrap(shared_feeds, "read_feed", _named("read_feed"))
    steps.wrap(copies, "stage_source", _named("stage_source"))
    steps.wrap(rounds, "judge_changes", _named("judge_changes"))
    for engine in (DuckDB, Session):
        for name in ("view", "stage", "create", "begin", "drop", "write", "committed"):
            steps.wrap(engine, name, _named(name))
        steps.wrap(engine, "execute", _statement)
    steps.transaction(DuckDB)


def write_rows(path: Path, arguments: list[str]) -> None:
    """The rows of every target, as PostgreSQL prints values."""
    from rows import told

    named = dict(pairwise(arguments))
    rows = told(Path(named["--project-dir"]), named["--target"])
    path.write_text(json.dumps(rows), encoding="utf-8")


def command(
    log: str,
    at: int,
    arguments: list[str],
    rows: str | None = None,
    step: str | None = None,
    pause: str | None = None,
    lease: float | None = None,
    watched: bool = True,
    statements: list[str] | None = None,
) -> int:
    """Runs one command; its exit code. `statements` are carried out on its target instead."""
    if statements is not None:
        from rows import execute

        named = dict(pairwise(arguments))
        execute(Path(named["--project-dir"]), named["--target"], statements)
        return 0
    if watched:
        watch(Steps(Path(log), at, step, pause))
    if lease is not None:
        from filtersql.run import lease as leases

        leases.SECONDS = lease
    from filtersql.cli import main as filtersql

    sys.argv = ["filtersql", *arguments]
    try:
        filtersql()
    except SystemExit as end:
        if end.code:
            return int(end.code)
    if rows is not None:
        write_rows(Path(rows), arguments)
    return 0


def import_all() -> None:
    """What every run needs, before the process is copied."""
    import pyarrow.parquet  # noqa: F401
    import rows  # noqa: F401

    import filtersql.commands.run
    import filtersql.targets.duckdb_file  # noqa: F401


def carry_out(asked: dict[str, Any]) -> int:
    """A command, whose output goes to the file `output`; its exit code, 3 where it breaks off."""
    into = os.open(asked.pop("output"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(into, 1)
    os.dup2(into, 2)
    try:
        return command(**asked)
    except BaseException:
        traceback.print_exc()
        return 3
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def serve() -> None:
    """Each line of the input is a command for a process of its own; its id and its end are told."""
    import_all()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            os.setsid()
            # What a shell starts with `&` ignores Ctrl-C, and so would all that it starts.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os._exit(carry_out(json.loads(line)))
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
