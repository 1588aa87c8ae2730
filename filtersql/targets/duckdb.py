"""DuckDB as a target: one file, one transaction for all tables of a subscription.

Example
    `{type: duckdb, path: shop.duckdb}`; the path is relative to the project.
    `{…, settings: {memory_limit: 2GB}}`: DuckDB takes four fifths of the memory otherwise, before
    it writes to its temporary files beside the database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import duckdb
from sqlglot import exp, parse_one

from filtersql.errors import Mistakes
from filtersql.errors.targets import (
    FILE_IN_USE,
    TURN_TAKEN,
    UNREACHABLE,
    EngineRefused,
    HiddenFunctions,
    SettingRefused,
)
from filtersql.feeds.datetimes import python_values
from filtersql.feeds.staging import StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets.marks import Mark, Slot, Written
from filtersql.targets.model import Config, Rows
from filtersql.targets.refusals import reason_of
from filtersql.targets.splitting import Split
from filtersql.targets.statements import (
    drop,
    insert_rows,
    insert_values,
    literal,
    named_rows,
    positioned,
    quoted,
    select_columns,
    set_to,
    temporary,
)
from filtersql.targets.table_statements import create_of, create_schema, drop_table, replace_table
from filtersql.targets.turns import PATIENCE, Turn

__all__ = ["DuckDB", "connect"]

#: temporary names of filtersql, to be forgotten between tables
_TEMPORARY = "filtersql_"
_BATCH = 100_000
_STREAMED = 5_000
#: what DuckDB says of a file that another process has open, and its number where it knows it
_LOCK = re.compile(r"Could not set lock on file(?:.*\(PID (\d+)\))?", re.DOTALL)
#: macros that are found before DuckDB's own functions: statements name these without a schema
_HIDDEN = """WITH known AS MATERIALIZED (
  SELECT function_name, internal, schema_name, system.main.lower(function_name) AS plain
  FROM system.main.duckdb_functions()
)
SELECT DISTINCT function_name FROM known WHERE NOT internal AND schema_name = 'main'
AND plain IN (SELECT plain FROM known WHERE internal) ORDER BY 1"""


# The information schema's views say the same and take twice as long.
_COLUMNS = """SELECT column_name, data_type, (
SELECT any_value(sql) FROM duckdb_tables() WHERE database_name = current_database()
AND lower(schema_name) = lower($1) AND lower(table_name) = lower($2) AND sql ILIKE '%COLLATE%')
FROM duckdb_columns() WHERE database_name = current_database()
AND lower(schema_name) = lower($1) AND lower(table_name) = lower($2) ORDER BY column_index"""
_NAMES = """SELECT lower(table_name) FROM duckdb_tables()
WHERE database_name = current_database() AND lower(schema_name) = lower($1)"""


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
    if path is not None and (hidden := [str(row[0]) for row in engine.rows(_HIDDEN)]):
        connection.close()
        raise Mistakes([HiddenFunctions(hidden, "DuckDB", "a macro of the file")])
    return engine


def _is_doubtful(value: object) -> bool:
    """A day that stands for an infinite one too, or DuckDB's own text of one."""
    return isinstance(value, str) or (isinstance(value, date) and value.year in (1, 9999))


def _collated(statement: object) -> dict[object, str]:
    """Of the columns of CREATE TABLE those with a collation, by which other texts are equal."""
    return {
        column.name: f" COLLATE {collation.this.sql('duckdb')}"
        for column in parse_one(str(statement), dialect="duckdb").find_all(exp.ColumnDef)
        for collation in column.find_all(exp.CollateColumnConstraint)
    }


class DuckDB:
    """A connection to a DuckDB file."""

    dialect: Dialect = "duckdb"
    atomic = True
    targets_at_once = 1
    cluster = None
    store = None
    sent_rows = 0

    def __init__(self, connection: duckdb.DuckDBPyConnection, turn: Turn | None = None) -> None:
        self.connection = connection
        self._turn = turn

    @property
    def title(self) -> str:
        """DuckDB and its version."""
        return f"DuckDB {duckdb.__version__}"

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self._run(statement)

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a query; a day that Python has not is PostgreSQL's text of it."""
        result = self._run(statement)
        kinds = [str(column[1]) for column in result.description or ()]
        if not any("TIME ZONE" in kind for kind in kinds):
            found: list[tuple[object, ...]] = result.fetchall()
            days = [n for n, kind in enumerate(kinds) if kind.startswith(("DATE", "TIMESTAMP"))]
            if not any(_is_doubtful(row[place]) for place in days for row in found):
                return found
        # The client makes moments with pytz, which is not installed, and of an infinite day
        # Python's last one; Arrow has the numbers.
        self.connection.abort()
        arrow = self.connection.sql(statement).to_arrow_table()
        return list(zip(*map(python_values, arrow.columns), strict=True))

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, a few thousand at a time."""
        result = self._run(statement)
        while rows := result.fetchmany(_STREAMED):
            yield from rows

    def configure(self, settings: dict[str, str]) -> None:
        """Set what the meaning of statements depends on, and check that it is in force."""
        for name, value in settings.items():
            self._run(set_to(name, literal(value), "duckdb"))
            asked = exp.select(exp.func("current_setting", literal(name)))
            found = self.rows(asked.sql("duckdb"))[0][0]
            if str(found).lower() != str(value).lower():
                raise Mistakes([SettingRefused(name, value, str(found))])

    def size(self, split: Split) -> None:
        """Nothing: DuckDB splits its work by itself."""

    def bytes_of(self, parts: Sequence[str]) -> int | None:
        """Not known: nobody asks."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
        self._run("BEGIN TRANSACTION")
        try:
            yield
        except BaseException:
            self._run("ROLLBACK")
            raise
        self._run("COMMIT")

    def view(
        self,
        name: str,
        path: Path,
        columns: Sequence[StagedColumn],
        *,
        above: int | None = None,
        upto: int | None = None,
    ) -> None:
        """A temporary view over a staged file, of the changes above and up to a position."""
        scan = exp.Table(this=exp.func("read_parquet", literal(str(path))))
        rows = positioned(scan, [column.name for column in columns], above, upto)
        self.define(name, rows.sql("duckdb"))

    def define(self, name: str, query: str) -> None:
        """A temporary view of a query."""
        self._run(temporary("VIEW", name, query, "duckdb"))

    def stage(self, name: str, query: str) -> tuple[str, ...]:
        """Keep a query's rows in a temporary table; its columns."""
        self._run(temporary("TABLE", name, query, "duckdb"))
        described = self.rows(exp.Describe(this=named_rows(name)).sql("duckdb"))
        return tuple(str(row[0]) for row in described)

    def rows_of(self, parts: Sequence[str], columns: Sequence[str]) -> Rows | None:
        """All rows of a table; None where the table does not exist."""
        query = select_columns(self.table_sql(parts), columns, "duckdb")
        return self.rows(query) if self.exists(parts) else None

    def table_sql(self, parts: Sequence[str]) -> str:
        """A table's name, quoted."""
        return ".".join(quoted(part, "duckdb") for part in parts)

    def exists(self, parts: Sequence[str]) -> bool:
        """Whether a table of that (schema, name) exists in the file."""
        return bool(self.columns(parts))

    def columns(self, parts: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The names and types of a table's columns; none where the table does not exist."""
        found = self._run(_COLUMNS, parts).fetchall()
        collations = _collated(found[0][2]) if found and found[0][2] else {}
        return tuple((str(one), f"{kind}{collations.get(one, '')}") for one, kind, _ in found)

    def names(self, schema: str) -> frozenset[str]:
        """The names of the tables of a schema, folded."""
        return frozenset(str(name) for (name,) in self._run(_NAMES, [schema]).fetchall())

    def create(self, parts: Sequence[str], definitions: str, config: Config) -> None:
        """Make a table, in place of one that exists."""
        self._run(create_schema(quoted(parts[0], "duckdb"), "duckdb"))
        self._run(replace_table(self.table_sql(parts), definitions, "duckdb"))

    def begin(self, parts: Sequence[str], query: str, slot: Slot | None = None) -> None:
        """Make a table of a query's rows."""
        self._run(create_schema(quoted(parts[0], "duckdb"), "duckdb"))
        self._run(create_of(self.table_sql(parts), query, "duckdb"))

    def replacing(self, parts: Sequence[str], definitions: str, config: Config, query: str) -> str:
        """Two statements of one transaction: the table keeps its collations."""
        name = self.table_sql(parts)
        return ";\n".join(
            (replace_table(name, definitions, "duckdb"), insert_rows(name, query, "duckdb"))
        )

    def append(
        self,
        parts: Sequence[str],
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        slot: Slot,
        then: str,
    ) -> list[tuple[object, ...]]:
        """Add rows; the file is open in one thread, so nobody else fills the slot."""
        self.execute(insert_values(self.table_sql(parts), columns, rows, "duckdb"))
        return self.rows(then)

    def join_files(self, parts: Sequence[str]) -> None:
        """Nothing: all tables are in one file."""

    def drop(self, parts: Sequence[str]) -> None:
        """Remove a table."""
        self._run(drop_table(self.table_sql(parts), "duckdb"))

    def discard(self, parts: Sequence[str]) -> None:
        """Drop a table that no staged rows need any more: they stand by themselves."""
        self.drop(parts)

    def write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        """Run a MERGE or INSERT; the state that is written in the same transaction is the mark."""
        if not _is_merge(statement):
            return Written(inserted=_count(self._run(statement).fetchall()))
        result = self._run(f"{statement.rstrip().rstrip(';')}\nRETURNING merge_action")
        counts = {"INSERT": 0, "UPDATE": 0, "DELETE": 0}
        while actions := result.fetchmany(_BATCH):
            for (action,) in actions:
                counts[action] += 1
        return Written(counts["INSERT"], counts["UPDATE"], counts["DELETE"])

    def committed(self, parts: Sequence[str]) -> Mark | None:
        """None: the state and the data are committed together, so the state is right."""
        return None

    def is_marked(self, parts: Sequence[str]) -> bool:
        """False: DuckDB keeps no commits."""
        return False

    def beside(self) -> DuckDB:
        """Itself: one transaction holds all targets."""
        return self

    def interrupt(self) -> None:
        """Stop what another thread is running here."""
        self.connection.interrupt()

    def clear(self) -> None:
        """Forget temporary views and staged rows."""
        for word, name in self.rows(
            "SELECT 'VIEW', view_name FROM duckdb_views() WHERE database_name = 'temp' UNION ALL "
            "SELECT 'TABLE', table_name FROM duckdb_tables() WHERE database_name = 'temp'"
        ):
            if str(name).startswith(_TEMPORARY):
                self._run(drop(str(word), str(name), "duckdb"))

    def close(self) -> None:
        """Close the file."""
        try:
            self.connection.close()
        finally:
            if self._turn is not None:
                self._turn.end()

    def _run(self, statement: str, values: Sequence[str] = ()) -> duckdb.DuckDBPyConnection:
        try:
            return self.connection.execute(statement, values or None)
        except duckdb.Error as error:
            raise Mistakes([EngineRefused("DuckDB", reason_of(str(error)))]) from None


def _is_merge(statement: str) -> bool:
    code = [line for line in statement.splitlines() if not line.lstrip().startswith("--")]
    return "\n".join(code).lstrip()[:5].upper() == "MERGE"


def _count(rows: list[tuple[object, ...]]) -> int:
    return int(str(rows[0][0])) if rows else 0
