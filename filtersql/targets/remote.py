"""A Spark that runs elsewhere as a target: everything is said in SQL, in few round trips.

Example
    `{type: spark, method: thrift, host: spark.example.org, format: delta, schema: shop}`

    ====================================== =========================================================
    what the server has to see             how it sees it
    ====================================== =========================================================
    the staged changes of a target         a temporary view: over a file of `staging_path`, or with
                                           the rows inside; from 512 KiB on, a table that is filled
                                           in chunks and dropped at the end
    the rows that a MERGE is going to read CACHE TABLE on the server's disks: what was judged is
                                           what is written, though the source is read twice
    the mark                               SET, MERGE and RESET in one script
    ====================================== =========================================================

A session that breaks off is never opened again by itself: what it had in hand may yet be committed.
The next run asks the mark that stands with the target's data.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field
from pyarrow import parquet

from filtersql.errors import Mistakes
from filtersql.feeds.staging import StagedColumn
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets import delta, iceberg
from filtersql.targets.catalog_questions import table_bytes, table_columns, table_names
from filtersql.targets.line import Line
from filtersql.targets.marks import Mark, Slot, Written
from filtersql.targets.model import AT_ONCE, Config, Rows
from filtersql.targets.refusals import unless_missing
from filtersql.targets.scripts import immediately, resetting, script, setting, under
from filtersql.targets.server_cluster import ServerCluster
from filtersql.targets.server_files import ServerFiles
from filtersql.targets.server_settings import ServerSettings
from filtersql.targets.settling import settled
from filtersql.targets.splitting import Split
from filtersql.targets.statements import (
    cache_table,
    drop,
    insert_rows,
    insert_values,
    positional_view,
    rows_of,
    select_all,
    select_columns,
    temporary_view,
)
from filtersql.targets.table_formats import SparkTables, create_statements
from filtersql.targets.table_statements import (
    create_of,
    create_schema,
    drop_table,
)
from filtersql.targets.uploading import chunks

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Remote"]

_QUERY = re.compile(r"(?:\s|--[^\n]*\n)*(?:SELECT|WITH)\b", re.IGNORECASE)
_MARKS = (*delta.ALL_SETTINGS, *iceberg.MARK_SETTINGS)


class Remote(Struct, SparkTables):
    """A session of a server. It sees the folder `staging`, too, under the same path."""

    line: Line
    version: str
    format: Literal["delta", "iceberg"]
    catalog: str | None = None
    staging: Path | None = None
    #: the schema of tables that hold what was uploaded
    state_schema: str = "filtersql"
    dialect: Dialect = "spark"
    atomic: bool = False
    targets_at_once: int = AT_ONCE
    #: names this session's own things: no other session's cached rows are taken for its own
    own: str = field(default_factory=lambda: uuid.uuid4().hex[:12])
    settings: ServerSettings = field(default_factory=ServerSettings)
    schemas: set[str] = field(default_factory=set)
    views: list[str] = field(default_factory=list)
    own_tables: list[tuple[str, ...]] = field(default_factory=list)
    #: statements that need no answer go with the next one
    queued: list[str] = field(default_factory=list)
    #: rows that had to be sent to the server, by this session and those beside it
    sent: list[int] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Spark, its version, how it is reached and the format of its tables."""
        return f"Spark {self.version} over {self.line.method} with {self.format.capitalize()}"

    @property
    def cluster(self) -> ServerCluster | None:
        """The server's processes, which have to see what this process sees."""
        return None if self.staging is None else ServerCluster(self.line, self.staging)

    @property
    def store(self) -> ServerFiles:
        """The files that the server reads by URLs."""
        return ServerFiles(self.stream, self.cluster)

    @property
    def sent_rows(self) -> int:
        """How many rows had to be sent to the server."""
        return sum(self.sent)

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self._ask(statement)

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a query."""
        if self.queued and not _QUERY.match(statement):
            self._ask()  # of what is no query, a script gives no result
        return self._ask(statement)[1]

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, some thousand at a time."""
        if self.queued:
            self._ask()
        return self.line.stream(statement)

    def configure(self, settings: dict[str, str]) -> None:
        """Set what the meaning of statements depends on, and check that it is in force."""
        if wanted := self.settings.missing(settings):
            # One after the other: what the first ones set decides how later ones are read.
            self._ask(*(immediately(setting(*pair)) for pair in wanted.items()))
            self.settings.take(wanted, self.rows("SET"))

    def size(self, split: Split) -> None:
        """Set into how many parts work is split, with the next statement: the session is ours.

        Never into more than the server has set.
        """
        self.queued += self.settings.lowering(split.parts)

    def bytes_of(self, parts: Sequence[str]) -> int | None:
        """How many bytes a table has."""
        return table_bytes(self._records, self.format, self.table_sql(parts))

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
        if self.staging is not None and path.is_relative_to(self.staging):
            source = f"{name}__file"
            made = positional_view(source, path, columns)
            query, statements = select_all(source), [drop("VIEW", source), made]
            self.views.append(source)
        else:
            query, statements = self._upload(path, columns, above, upto), []
            above = upto = None
        view = temporary_view(name, query, [column.name for column in columns], above, upto)
        self.queued += [*statements, view]
        self.views.append(name)

    def define(self, name: str, query: str) -> None:
        """A temporary view of a query."""
        self.queued.append(temporary_view(name, query))
        self.views.append(name)

    def stage(self, name: str, query: str) -> tuple[str, ...]:
        """Keep a query's rows on the server's disks; its columns."""
        self.views.append(name)
        kept = cache_table(name, query, self.own)
        return self._ask(drop("VIEW", name), kept, f"{select_all(name)} LIMIT 0")[0]

    def rows_of(self, parts: Sequence[str], columns: Sequence[str]) -> Rows | None:
        """All rows of a table; None where the table does not exist."""
        query = select_columns(self.table_sql(parts), columns, "spark")
        return unless_missing(lambda: self.rows(query), None)

    def exists(self, parts: Sequence[str]) -> bool:
        """Whether the catalog has a table or a view of that name."""
        return bool(self.columns(parts))

    def columns(self, parts: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The names and types of a table's columns; none where the table does not exist."""
        return unless_missing(lambda: table_columns(self.rows, self.table_sql(parts)), ())

    def names(self, schema: str) -> frozenset[str]:
        """The names of the tables of a schema, folded."""
        return table_names(self.rows, self.table_sql([schema]))

    def create(self, parts: Sequence[str], definitions: str, config: Config) -> None:
        """Make a table, in place of one that exists."""
        self._schema(parts[0])
        for each in create_statements(self.format, self.table_sql(parts), definitions, config):
            self.execute(each)

    def begin(self, parts: Sequence[str], query: str, slot: Slot | None = None) -> None:
        """Make a table of a query's rows, in one commit."""
        self._schema(parts[0])
        create = create_of(self.table_sql(parts), query, "spark", self.format)
        settings = delta.filling(slot) if slot and self.format == "delta" else {}
        self._marked(*(under(settings, delta.MARK_SETTINGS, create) if settings else (create,)))

    def append(
        self,
        parts: Sequence[str],
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        slot: Slot,
        then: str,
    ) -> list[tuple[object, ...]]:
        """Add rows; none, or an error, where another process filled the slot."""
        name = self.table_sql(parts)
        if self.format == "iceberg":
            return self._ask(iceberg.append_statement(name, columns, rows, slot), then)[1]
        insert = insert_values(name, columns, rows, "spark")
        return self._marked(*under(delta.filling(slot), delta.MARK_SETTINGS, insert), then)

    def drop(self, parts: Sequence[str]) -> None:
        """Remove a table and its data."""
        self.execute(drop_table(self.table_sql(parts), "spark"))

    def discard(self, parts: Sequence[str]) -> None:
        """Drop a table with the views: Spark forgets cached rows with a table that they came from.

        CommandUtils.uncacheTableOrView() takes along what was made of the table; who reads the
        cached rows then would ask the table again.
        """
        self.own_tables.append(tuple(parts))

    def write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        """Run a MERGE or INSERT and commit the mark with it; None: it was committed before."""
        committed = partial(self.committed, compiled.target)
        return settled(partial(self._write, statement, compiled, mark), committed, mark)

    def _write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        merge = statement != compiled.initial_copy_sql
        table = self.table_sql(compiled.target)
        if self.format == "iceberg":
            parts = under(iceberg.marking(mark), iceberg.MARK_SETTINGS, statement)
            first, last = iceberg.unless_marked(table, mark), iceberg.snapshots(table, as_text=True)
            rows = [json.loads(str(row[0])) for row in self._marked(first, *parts, last)]
            iceberg.check_once(table, rows)
            return iceberg.written(rows[0], merge=merge)
        commit = uuid.uuid4().hex
        settings = delta.marking(mark, initial=not merge, commit=commit)
        self._marked(*under(settings, delta.ALL_SETTINGS, statement))
        return delta.written_by(commit, self._records(delta.history(table)))

    def committed(self, parts: Sequence[str]) -> Mark | None:
        """The newest mark that stands with a table's data."""
        return unless_missing(lambda: self._mark_of(self.table_sql(parts)), None)

    def _mark_of(self, table: str) -> Mark | None:
        if self.format == "iceberg":
            rows = self.rows(iceberg.snapshots(table, as_text=True))
            return iceberg.mark_of([json.loads(str(row[0])) for row in rows])
        return delta.mark_of(self._records(delta.history(table)))

    def beside(self) -> Remote:
        """Another session of the server."""
        where = (self.format, self.catalog, self.staging, self.state_schema)
        return Remote(self.line.beside(), self.version, *where, sent=self.sent)

    def interrupt(self) -> None:
        """Stop what another thread is running here, and end the session."""
        self.line.interrupt()

    def clear(self) -> None:
        """Forget temporary views, staged rows, and tables that hold what was uploaded or copied."""
        self.queued += [drop("VIEW", name) for name in dict.fromkeys(reversed(self.views))]
        self.queued += [drop_table(self.table_sql(parts), "spark") for parts in self.own_tables]
        self.views, self.own_tables = [], []

    def close(self) -> None:
        """End the session."""
        self.clear()
        try:
            # A session that is gone has taken its views along.
            if self.queued and not self.line.lost:
                self._ask()
        finally:
            self.line.close()

    def _ask(self, *statements: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        """What waits and these, in one round trip; the answer to the last one if it is a query."""
        parts, self.queued = [*self.queued, *statements], []
        return self.line.ask(parts[0] if len(parts) == 1 else script(*parts))

    def _marked(self, *statements: str) -> list[tuple[object, ...]]:
        try:
            return self._ask(*statements)[1]
        except Mistakes:
            # The script ended before its RESET statements.
            if not self.line.lost:
                self._ask(*(immediately(resetting(name)) for name in _MARKS))
            raise

    def _records(self, statement: str) -> list[Mapping[str, object]]:
        if self.queued:
            self._ask()
        columns, rows = self.line.ask(statement)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _schema(self, schema: str) -> None:
        if schema not in self.schemas:
            self.execute(create_schema(self.table_sql([schema]), "spark"))
            self.schemas.add(schema)

    def _upload(
        self, path: Path, columns: Sequence[StagedColumn], above: int | None, upto: int | None
    ) -> str:
        """A query that gives a staged file's rows, which are sent in chunks."""
        parts = chunks(path, above, upto)
        first, second = next(parts, None), next(parts, None)
        if first is None:
            first = parquet.read_schema(path).empty_table()
        if second is None:
            return self._local(first, columns)
        table = (self.state_schema, f"upload_{self.own}_{len(self.own_tables)}")
        name = self.table_sql(table)
        fields = ",\n  ".join(f"c{index} {column.sql_type}" for index, column in enumerate(columns))
        self.discard(table)
        self.create(table, fields, {})
        for rows in chain((first, second), parts):
            self.execute(insert_rows(name, self._local(rows, columns)))
        return rows_of(name)

    def _local(self, rows: pyarrow.Table, columns: Sequence[StagedColumn]) -> str:
        query, views = self.line.local(rows, columns)
        self.views += views
        self.sent.append(rows.num_rows)
        return query
