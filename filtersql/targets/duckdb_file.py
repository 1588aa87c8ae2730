"""Opening a DuckDB file, which one process has at a time, and one of its threads.

Example
    `{type: duckdb, path: shop.duckdb}`; the path is relative to the project.
    `{…, settings: {memory_limit: 2GB}}`: DuckDB takes four fifths of the memory otherwise, before
    it writes to its temporary files beside the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import duckdb
from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import (
    FILE_IN_USE,
    TURN_TAKEN,
    UNREACHABLE,
    EngineRefused,
    HiddenFunctions,
)
from filtersql.source import Span
from filtersql.targets.duckdb import DuckDB
from filtersql.targets.duckdb_catalog import hidden_functions
from filtersql.targets.statements import quoted, set_to
from filtersql.targets.turns import PATIENCE, Turn

__all__ = ["connect"]

#: what DuckDB says of a file that another process has open, and its number where it knows it
_LOCK = re.compile(r"Could not set lock on file(?:.*\(PID (\d+)\))?", re.DOTALL)


def connect(
    path: Path | None,
    settings: Mapping[str, str] | None = None,
    extensions: Sequence[str] = (),
    span: Span | None = None,
) -> DuckDB:
    """Open the file (None: in memory), in this thread's turn. Raises Mistakes.

    `settings` are about resources; those that statements depend on are filtersql's own. `span` is
    the output that asks for them.
    """
    try:
        turn = None if path is None else Turn(path)
    except TimeoutError as error:
        raise Mistakes([TURN_TAKEN(path=error, seconds=PATIENCE)]) from None
    try:
        return _connect(path, _asked(settings or {}, extensions), span, turn)
    except BaseException:
        if turn is not None:
            turn.end()
        raise


def _asked(
    settings: Mapping[str, str], extensions: Sequence[str]
) -> Iterator[tuple[str, str, str]]:
    """What an output asks for: its name, its statement, and what helps where DuckDB refuses it."""
    for name in extensions:
        load = exp.Command(this="LOAD", expression=quoted(name, "duckdb")).sql()
        yield f'the extension "{name}"', load, f"Install it once with DuckDB: INSTALL {name}."
    for name, value in settings.items():
        hint = "Sizes are written as 2GB or 512MB, numbers of threads as 4."
        yield f'the setting "{name}"', set_to(name, exp.convert(value), "duckdb"), hint


def _connect(
    path: Path | None, asked: Iterable[tuple[str, str, str]], span: Span | None, turn: Turn | None
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
    for what, statement, hint in asked:
        try:
            connection.execute(statement)
        except duckdb.Error as error:
            connection.close()
            refused = EngineRefused("DuckDB", str(error), what)
            refused.span, refused.hint = span, hint
            raise Mistakes([refused]) from None
    engine = DuckDB(connection, turn)
    engine.configure({"TimeZone": "UTC", "disabled_optimizers": "expression_rewriter"})
    if path is not None and (hidden := hidden_functions(engine.rows)):
        connection.close()
        raise Mistakes([HiddenFunctions(hidden, "DuckDB", "a macro of the file")])
    return engine
