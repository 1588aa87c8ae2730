"""DuckDB as a target: one file, one transaction for all tables of a subscription.

Example
    with engine.transaction():    # what fails in it leaves the file as it was
        engine.stage("filtersql_stage__0", query)
        engine.write(merge, compiled, mark)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
from sqlglot import exp

from filtersql.errors import Mistakes
from filtersql.errors.targets import SettingRefused
from filtersql.feeds.staged_files import StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets.duckdb_catalog import table_columns, table_names, temporary_names
from filtersql.targets.duckdb_rows import merged, python_rows, refusals
from filtersql.targets.marks import Mark, Slot, Written
from filtersql.targets.model import Config, Rows
from filtersql.targets.splitting import Split
from filtersql.targets.statements import (
    drop,
    insert_values,
    named_rows,
    positioned,
    quoted,
    select_columns,
    set_to,
    temporary,
)
from filtersql.targets.table_statements import (
    create_of,
    create_schema,
    drop_table,
    is_merge,
    refill,
    replace_table,
)
from filtersql.targets.turns import Turn

__all__ = ["DuckDB"]

_TEMPORARY = "filtersql_"  # names of what is forgotten between tables
_STREAMED = 5_000


class DuckDB:
    """A connection to a DuckDB file."""

    dialect: Dialect = "duckdb"
    atomic = True
    targets_at_once = 1
    cluster = store = None
    sent_rows = 0

    def __init__(self, connection: duckdb.DuckDBPyConnection, turn: Turn | None = None) -> None:
        self.connection, self._turn = connection, turn
        self._made: set[tuple[str, str]] = set()

    @property
    def title(self) -> str:
        """DuckDB and its version."""
        return f"DuckDB {duckdb.__version__}"

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self._run(statement)

    def guard(self, query: str) -> None:
        """Nothing: no statement outlives its process."""

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a query; a day that Python has not is PostgreSQL's text of it."""
        return python_rows(self.connection, statement, self._run(statement))

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, a few thousand at a time."""
        result = self._run(statement)
        while rows := result.fetchmany(_STREAMED):
            yield from rows

    def configure(self, settings: dict[str, str]) -> None:
        """Set what the meaning of statements depends on, and check that it is in force."""
        for name, value in settings.items():
            self._run(set_to(name, exp.convert(value), "duckdb"))
            asked = exp.select(exp.func("current_setting", exp.convert(name)))
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
        scan = exp.Table(this=exp.func("read_parquet", exp.convert(str(path))))
        rows = positioned(scan, [column.name for column in columns], above, upto)
        self.define(name, rows.sql("duckdb"))

    def define(self, name: str, query: str) -> None:
        """A temporary view of a query."""
        self._replace("VIEW", name, query)

    def stage(self, name: str, query: str) -> tuple[str, ...]:
        """Keep a query's rows in a temporary table; its columns."""
        self._replace("TABLE", name, query)
        described = exp.Describe(this=named_rows(name)).sql("duckdb")
        return tuple(str(row[0]) for row in self.rows(described))

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
        return table_columns(self._run, parts)

    def names(self, schema: str) -> frozenset[str]:
        """The names of the tables of a schema, folded."""
        return table_names(self._run, schema)

    def create(self, parts: Sequence[str], definitions: str, config: Config) -> None:
        """Make a table, in place of one that exists."""
        self._run(create_schema(quoted(parts[0], "duckdb"), "duckdb"))
        self._run(replace_table(self.table_sql(parts), definitions, "duckdb"))

    def begin(self, parts: Sequence[str], query: str, slot: Slot | None = None) -> None:
        """Make a table of a query's rows."""
        self._run(create_schema(quoted(parts[0], "duckdb"), "duckdb"))
        self._run(create_of(self.table_sql(parts), query, "duckdb"))

    def replacing(
        self, parts: Sequence[str], definitions: str, config: Config, query: str, stage: str
    ) -> tuple[str, str]:
        """Statements of one transaction: the table keeps its collations."""
        return refill(self.table_sql(parts), definitions, query, stage, "duckdb")

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
        if not is_merge(statement):
            rows = self._run(statement).fetchall()
            return Written(inserted=int(str(rows[0][0])) if rows else 0)
        return merged(self.connection, statement)

    def committed(self, parts: Sequence[str]) -> Mark | None:
        """None: the state and the data are committed together, so the state is right."""
        return None

    def marks(self, parts: Sequence[str]) -> Sequence[Mark]:
        """None: DuckDB keeps no commits."""
        return ()

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
        for kind, name in temporary_names(self.rows):
            if name.startswith(_TEMPORARY):
                self._run(drop(kind, name, "duckdb"))

    def close(self) -> None:
        """Close the file."""
        try:
            self.connection.close()
        finally:
            if self._turn is not None:
                self._turn.end()

    def _replace(self, kind: str, name: str, query: str) -> None:
        other = ("TABLE" if kind == "VIEW" else "VIEW", name)
        if other in self._made and other in temporary_names(self.rows):
            self._run(drop(*other, "duckdb"))  # it replaces a view by views alone
        self._made.add((kind, name))
        self._run(temporary(kind, name, query, "duckdb"))

    def _run(self, statement: str, values: Sequence[str] = ()) -> duckdb.DuckDBPyConnection:
        with refusals():
            return self.connection.execute(statement, values or None)
