"""Statements and tables of a Spark that runs elsewhere: made, found, filled and marked.

Example
    ============================== =========================================================
    what is said                   how
    ============================== =========================================================
    statements that need no answer with the next one, in one script
    the mark                       SET, MERGE and RESET in one script
    ============================== =========================================================
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

from msgspec import Struct, field

from filtersql.errors import Mistakes
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets import delta, iceberg
from filtersql.targets.catalog_questions import table_bytes, table_columns, table_names
from filtersql.targets.line import Line
from filtersql.targets.marks import Mark, Slot, Written
from filtersql.targets.model import Config, Rows
from filtersql.targets.refusals import unless_missing
from filtersql.targets.scripts import immediately, resetting, script, under
from filtersql.targets.settling import written_once
from filtersql.targets.statements import insert_values, select_columns
from filtersql.targets.table_formats import SparkTables, create_statements
from filtersql.targets.table_statements import create_of, create_schema, drop_table

__all__ = ["ServerTables"]

_QUERY = re.compile(r"(?:\s|--[^\n]*\n)*(?:SELECT|WITH)\b", re.IGNORECASE)
_MARKS = (*delta.ALL_SETTINGS, *iceberg.MARK_SETTINGS)


class ServerTables(Struct, SparkTables):
    """A server's tables, in a session of it."""

    line: Line
    version: str
    format: Literal["delta", "iceberg"]
    catalog: str | None = None
    dialect: Dialect = "spark"
    atomic: bool = False
    schemas: set[str] = field(default_factory=set)
    own_tables: list[tuple[str, ...]] = field(default_factory=list)
    #: statements that need no answer go with the next one
    queued: list[str] = field(default_factory=list)

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self._ask(statement)

    def guard(self, query: str) -> None:
        """Let the next statement be run only if a query does not raise: both are one script."""
        self.queued.append(query)

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

    def bytes_of(self, parts: Sequence[str]) -> int | None:
        """How many bytes a table has."""
        return table_bytes(self._records, self.format, self.table_sql(parts))

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
        return written_once(partial(self._write, statement, compiled, mark), committed, mark)

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
            newest = iceberg.mark_of([json.loads(str(row[0])) for row in rows])
            return newest or iceberg.lasting_mark(table, self.rows)
        return delta.mark_of(self._records(delta.history(table)))

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
            # It goes with what is made in it, behind a guard of that.
            self.queued.append(create_schema(self.table_sql([schema]), "spark"))
            self.schemas.add(schema)
