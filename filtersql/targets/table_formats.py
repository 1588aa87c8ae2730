"""Tables of Delta and Iceberg, whatever the way to Spark: how they are made, and who wrote them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from filtersql.targets import delta, iceberg
from filtersql.targets.marks import Mark, read_mark
from filtersql.targets.model import Config
from filtersql.targets.statements import select_all
from filtersql.targets.table_statements import table_name

__all__ = ["SparkTables", "create_statements"]


class SparkTables:
    """What the engines of Spark do alike."""

    __slots__ = ()

    if TYPE_CHECKING:
        format: Literal["delta", "iceberg"]
        catalog: str | None

        def rows(self, statement: str) -> list[tuple[object, ...]]:
            """The rows of a query."""
            ...

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Nothing: Spark commits table by table; the ledger and the marks tie them together."""
        yield

    def table_sql(self, parts: Sequence[str]) -> str:
        """A table's name, quoted, in the catalog of the targets."""
        return table_name(self.catalog, parts)

    def join_files(self, parts: Sequence[str]) -> None:
        """Write the many small files of a table as few."""
        self.rows((iceberg if self.format == "iceberg" else delta).joining(self.catalog, parts))

    def replacing(
        self, parts: Sequence[str], definitions: str, config: Config, query: str, stage: str
    ) -> tuple[str, str]:
        """What makes a table of a query's rows, in place of one that exists, in one commit."""
        place = (self.table_sql(parts), definitions, config, self._location(parts))
        whole, staged = (
            create_statements(self.format, *place, query=rows)[0]
            for rows in (query, select_all(stage))
        )
        return whole, staged

    def _location(self, parts: Sequence[str]) -> str | None:
        """Where a table is to lie; None: the catalog says."""

    def marks(self, parts: Sequence[str]) -> Sequence[Mark]:
        """The marks of a table's newest commits, the newest first."""
        name = self.table_sql(parts)
        commits = self.rows(
            iceberg.marks(name) if self.format == "iceberg" else delta.history(name)
        )
        found = (read_mark(text) for commit in commits for text in _texts(commit))
        return [mark for mark in found if mark is not None]

    def is_marked(self, parts: Sequence[str]) -> bool:
        """Whether a mark stands with the newest commit of a table's rows."""
        name = self.table_sql(parts)
        if self.format == "iceberg":
            commits = self.rows(iceberg.current_mark(name))
        else:
            commits = self.rows(delta.history(name))
        newest = next(
            (one for one in commits if not delta.MAINTENANCE.intersection(_texts(one))), ()
        )
        return any(read_mark(text) for text in _texts(newest))


def _texts(row: Sequence[object]) -> list[str]:
    return [value for value in row if isinstance(value, str)]


def create_statements(
    table_format: Literal["delta", "iceberg"],
    table_sql: str,
    definitions: str,
    config: Config,
    location: str | None = None,
    *,
    query: str | None = None,
) -> tuple[str, ...]:
    """CREATE OR REPLACE TABLE, and what follows it.

    `query`: a table of its rows and columns, in place of one that exists, in one commit.
    """
    if table_format == "iceberg":
        return iceberg.create_statements(table_sql, definitions, config, query=query)
    return (delta.create_statement(table_sql, definitions, config, location, query=query),)
