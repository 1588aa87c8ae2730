"""How a table is made in the format of its target, Delta or Iceberg, and who wrote it last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from filtersql.targets import delta, iceberg
from filtersql.targets.model import Config, read_mark

__all__ = ["Commits", "create_statements"]


class Commits:
    """What an engine asks of the commits of a table."""

    __slots__ = ()

    if TYPE_CHECKING:
        format: Literal["delta", "iceberg"]

        def rows(self, statement: str) -> list[tuple[object, ...]]:
            """The rows of a query."""
            ...

        def table_sql(self, parts: Sequence[str]) -> str:
            """A table's name, quoted, in the catalog of the targets."""
            ...

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
