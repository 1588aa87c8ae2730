"""How a table is made in the format of its target, Delta or Iceberg."""

from __future__ import annotations

from typing import Literal

from filtersql.targets import delta, iceberg
from filtersql.targets.model import Config

__all__ = ["create_statements"]


def create_statements(
    table_format: Literal["delta", "iceberg"],
    table_sql: str,
    definitions: str,
    config: Config,
    location: str | None = None,
    *,
    keep: bool = False,
    query: str | None = None,
) -> tuple[str, ...]:
    """CREATE OR REPLACE TABLE (`keep`: IF NOT EXISTS), and what follows it.

    `query`: a table of its rows and columns, in place of one that exists, in one commit.
    """
    if table_format == "iceberg":
        return iceberg.create_statements(table_sql, definitions, config, keep=keep, query=query)
    made = delta.create_statement(table_sql, definitions, config, location, keep=keep, query=query)
    return (made,)
