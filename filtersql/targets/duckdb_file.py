"""Opening a DuckDB file, which one process has at a time, and one of its threads.

Example
    `{type: duckdb, path: shop.duckdb}`; the path is relative to the project.
    `{…, settings: {memory_limit: 2GB}}`: DuckDB takes four fifths of the memory otherwise, before
    it writes to its temporary files beside the database.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import FILE_IN_USE, TURN_TAKEN, UNREACHABLE, HiddenFunctions
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_catalog import hidden_functions
from filtersql.targets.statements import literal, quoted, set_to
from filtersql.targets.turns import PATIENCE, Turn

__all__ = ["connect"]

#: what DuckDB says of a file that another process has open, and its number where it knows it
_LOCK = re.compile(r"Could not set lock on file(?:.*\(PID (\d+)\))?", re.DOTALL)


def connect(
    path: Path | None, settings: Mapping[str, str] | None = None, extensions: Sequence[str] = ()
) -> DuckDB:
    """Open the file (None: in memory), in this thread's turn. Raises Mistakes.

    `settings` are about resources; those that statements depend on are filtersql's own.
    """
    try:
        turn = None if path is None else Turn(path)
    except TimeoutError as error:
        raise Mistakes([TURN_TAKEN(path=error, seconds=PATIENCE)]) from None
    try:
        return _connect(path, settings or {}, extensions, turn)
    except BaseException:
        if turn is not None:
            turn.end()
        raise


def _connect(
    path: Path | None, settings: Mapping[str, str], extensions: Sequence[str], turn: Turn | None
) -> DuckDB:
    try:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(str(path) if path else ":memory:")
    except (duckdb.Error, OSError) as error:
        reason = str(error).splitlines()[0]
        if path is not None and (lock := _LOCK.search(str(error))):
            who = f"Process {lock[1]}" if lock[1] else "Another process"
            look = f" What it is: ps -fp {lock[1]}" if lock[1] else ""
            raise Mistakes([FILE_IN_USE(path=path.name, who=who, look=look)]) from None
        raise Mistakes([UNREACHABLE(engine="DuckDB", reason=reason)]) from None
    engine = DuckDB(connection, turn)
    try:
        for name in extensions:
            engine.execute(exp.Command(this="LOAD", expression=quoted(name, "duckdb")).sql())
        for name, value in settings.items():
            engine.execute(set_to(name, literal(value), "duckdb"))
    except Mistakes:
        connection.close()
        raise
    engine.configure({"TimeZone": "UTC", "disabled_optimizers": "expression_rewriter"})
    if path is not None and (hidden := hidden_functions(engine.rows)):
        connection.close()
        raise Mistakes([HiddenFunctions(hidden, "DuckDB", "a macro of the file")])
    return engine
