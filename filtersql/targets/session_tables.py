"""Statements and tables of embedded Spark: made, found, filled and marked.

Example
    A Delta table `shop.t1` lives in `<warehouse>/shop.db/t1`; a later session finds it there by its
    folder, so no metastore has to be started (seconds) or locked (Derby serves one process only).
    An Iceberg table lives in its catalog.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from msgspec import Struct, field
from pyspark.sql import DataFrame, SparkSession

from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine as Dialect
from filtersql.targets import delta, iceberg
from filtersql.targets.catalog_questions import table_bytes, table_columns, table_names
from filtersql.targets.marks import Mark, Slot, Written
from filtersql.targets.model import Config, Rows
from filtersql.targets.raised import spark_refusals
from filtersql.targets.session_settings import during
from filtersql.targets.settling import written_once
from filtersql.targets.spark_rows import frame_rows
from filtersql.targets.statements import count_rows, insert_values, select_columns
from filtersql.targets.table_formats import SparkTables, create_statements
from filtersql.targets.table_statements import create_of, create_schema, drop_table
from filtersql.targets.warehouse import Folder, is_users

__all__ = ["SessionTables"]


class SessionTables(Struct, SparkTables):
    """A session's tables. `warehouse` is where Delta tables are kept; None: the catalog's."""

    spark: SparkSession
    format: Literal["delta", "iceberg"]
    catalog: str | None = None
    warehouse: Folder | None = None
    dialect: Dialect = "spark"
    atomic: bool = False
    #: of Iceberg's tables, which tell it with their marks
    known_bytes: dict[tuple[str, ...], int] = field(default_factory=dict)

    def execute(self, statement: str) -> None:
        """Run a statement."""
        self._sql(statement)

    def guard(self, query: str) -> None:
        """Nothing: no statement outlives its process."""

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a query."""
        with spark_refusals():
            return frame_rows(self.spark.sql(statement))

    def stream(self, statement: str) -> Iterator[tuple[object, ...]]:
        """The rows of a query, one of its partitions at a time."""
        with spark_refusals():
            for row in self.spark.sql(statement).toLocalIterator():
                yield tuple(row)

    def bytes_of(self, parts: Sequence[str]) -> int | None:
        """How many bytes a table has."""
        if folder := self._folder(parts):
            return folder.bytes_of()
        known = self.known_bytes.get(tuple(parts))
        if known is None:
            return table_bytes(self._records, self.format, self.table_sql(parts))
        return known

    def rows_of(self, parts: Sequence[str], columns: Sequence[str]) -> Rows | None:
        """All rows of a table of numbers and texts; None where the table does not exist."""
        if not self.exists(parts):
            return None
        held = folder.rows(columns) if (folder := self._folder(parts)) else None
        query = select_columns(self.table_sql(parts), columns, "spark")
        return self.rows(query) if held is None else held

    def exists(self, parts: Sequence[str]) -> bool:
        """Whether the table exists; one found in the warehouse becomes known by its name."""
        name, folder = self.table_sql(parts), self._folder(parts)
        if folder is not None and not folder.holds_a_table():
            with spark_refusals():
                if is_users(self.spark, parts):
                    return True
            # The folder was removed by hand, the process that made it was killed, or the name is
            # another project's of this process. Spark itself would refuse to look.
            self._sql(drop_table(name, "spark"))
            return False
        with spark_refusals():
            known = bool(self.spark.catalog.tableExists(name))
        if folder is None or known:
            return known
        self._schema(parts[0])
        self._sql(delta.named_folder(name, folder.location))
        return True

    def columns(self, parts: Sequence[str]) -> tuple[tuple[str, str], ...]:
        """The names and types of a table's columns; none where the table does not exist."""
        return table_columns(self.rows, self.table_sql(parts)) if self.exists(parts) else ()

    def names(self, schema: str) -> frozenset[str]:
        """The names of the tables of a schema, folded; those of the warehouse by their folders."""
        if (folder := self._folder((schema, ""))) is not None:
            return folder.tables()
        return table_names(self.rows, self.table_sql([schema]))

    def create(self, parts: Sequence[str], definitions: str, config: Config) -> None:
        """Make a table, in place of one that exists."""
        self._schema(parts[0])
        if folder := self._folder(parts):
            folder.clear()
        # What a killed process left in the warehouse is replaced only when it is known.
        self.exists(parts)
        name, place = self.table_sql(parts), self._location(parts)
        for statement in create_statements(self.format, name, definitions, config, place):
            self._sql(statement)

    def begin(self, parts: Sequence[str], query: str, slot: Slot | None = None) -> None:
        """Make a table of a query's rows, in one commit.

        Delta makes the folder of its log before it writes a row. With rows what a kill left in it
        is in nobody's way; without that folder it would be.
        """
        self._schema(parts[0])
        place = self._location(parts)
        settings = delta.filling(slot) if slot and self.format == "delta" else {}
        with during(self.spark, settings):
            self._sql(create_of(self.table_sql(parts), query, "spark", self.format, place))

    def append(
        self,
        parts: Sequence[str],
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        slot: Slot,
        then: str,
    ) -> list[tuple[object, ...]]:
        """Add rows; none, or an error, where another process filled the slot."""
        name, commit = self.table_sql(parts), uuid.uuid4().hex
        if self.format == "iceberg":
            settings = iceberg.APPEND_SETTINGS
            insert = iceberg.append_statement(name, columns, rows, slot)
        else:
            settings = delta.filling(slot, commit)
            insert = insert_values(name, columns, rows, "spark")
        with during(self.spark, settings):
            self._collect(insert)
        if (folder := self._folder(parts)) and folder.newest_writer(delta.filler(slot)) == commit:
            # Nobody wrote behind it: these rows are all from the slot on.
            return [tuple(row) for row in rows]
        return self.rows(then)

    def drop(self, parts: Sequence[str]) -> None:
        """Remove a table and its data."""
        self._sql(drop_table(self.table_sql(parts), "spark"))
        if folder := self._folder(parts):
            # A table with a LOCATION leaves its files behind, and by these it would be found again.
            folder.remove()

    #: staged rows stand by themselves
    discard = drop

    def write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        """Run a MERGE or INSERT and commit the mark with it; None: it was committed before."""
        committed = partial(self.committed, compiled.target)
        return written_once(partial(self._write, statement, compiled, mark), committed, mark)

    def _write(self, statement: str, compiled: CompiledTable, mark: Mark) -> Written | None:
        merge = statement != compiled.initial_copy_sql
        if self.format == "delta":
            with during(self.spark, delta.marking(mark, initial=not merge)):
                rows = self._records(statement)
            if merge:
                return delta.written(rows)
            # An INSERT has no result, but its commit tells; and the table was empty.
            count = folder.rows_written(mark) if (folder := self._folder(compiled.target)) else None
            if count is None:
                held = self.rows(count_rows(self.table_sql(compiled.target), "spark"))
                count = int(str(held[0][0]))
            return Written(inserted=count)
        with during(self.spark, iceberg.marking(mark)):
            self._collect(statement)
        return iceberg.written(self._summaries(compiled.target)[0], merge=merge)

    def committed(self, parts: Sequence[str]) -> Mark | None:
        """The newest mark that stands with a table's data."""
        if (folder := self._folder(parts)) and (found := folder.newest_mark()):
            return found
        if not self.exists(parts):
            return None
        if self.format == "iceberg":
            newest = iceberg.mark_of(self._summaries(parts))
            return newest or iceberg.lasting_mark(self.table_sql(parts), self.rows)
        return delta.mark_of(self._records(delta.history(self.table_sql(parts))))

    def _location(self, parts: Sequence[str]) -> str | None:
        return folder.location if (folder := self._folder(parts)) else None

    def _schema(self, schema: str) -> None:
        location = (self.warehouse / f"{schema}.db").location if self.warehouse else None
        self._sql(create_schema(self.table_sql([schema]), "spark", location))

    def _folder(self, parts: Sequence[str]) -> Folder | None:
        kept = self.warehouse if self.format == "delta" else None
        return kept / f"{parts[0]}.db" / parts[1] if kept else None

    def _summaries(self, parts: Sequence[str]) -> list[Mapping[str, str]]:
        rows = self._collect(iceberg.snapshots(self.table_sql(parts)))
        summaries: list[Mapping[str, str]] = [dict(row[0]) for row in rows] or [{}]
        if (size := summaries[0].get("total-files-size")) is not None:
            self.known_bytes[tuple(parts)] = int(size)
        return summaries

    def _sql(self, statement: str) -> DataFrame:
        with spark_refusals():
            return self.spark.sql(statement)

    def _records(self, statement: str) -> list[Mapping[str, object]]:
        return [row.asDict() for row in self._collect(statement)]

    def _collect(self, statement: str) -> list[Any]:
        with spark_refusals():
            return list(self.spark.sql(statement).collect())
