r"""What psql's \d prints below a table's columns: partitions, indexes, keys, publications.

PostgreSQL
    src/bin/psql/describe.c, describeOneTableDetails()
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from filtersql.catalog import ForeignKey, Identity, Table
from filtersql.names import RelationName, quote_identifier
from filtersql.review.show_publication import TableShown, clauses

__all__ = ["TableDetails", "footers"]


class TableDetails(Struct, frozen=True):
    """A table with the publications that name it, and those of the tables around it."""

    table: Table
    #: of the partitioned tables above
    inherited_keys: tuple[tuple[RelationName, ForeignKey], ...]
    publications: tuple[tuple[str, TableShown], ...]
    referenced_by: tuple[tuple[RelationName, ForeignKey], ...]
    children: tuple[RelationName, ...]


def footers(details: TableDetails) -> Iterator[str]:
    """The lines below the columns."""
    table = details.table
    if table.partition_of is not None:
        yield f"Partition of: {_near(table.partition_of)} {table.bounds or ''}"
    if table.partition_by is not None:
        strategy, keys = table.partition_by
        yield f"Partition key: {strategy.upper()} ({', '.join(keys)})"
    yield from _indexes(table)
    if table.foreign_keys or details.inherited_keys:
        yield "Foreign-key constraints:"
        for key in sorted(table.foreign_keys, key=lambda each: each.name):
            yield f"    {_foreign_key(key)}"
        for name, key in details.inherited_keys:
            yield f'    TABLE "{_near(name)}" CONSTRAINT {_foreign_key(key)}'
    if details.referenced_by:
        yield "Referenced by:"
        for name, key in details.referenced_by:
            yield f'    TABLE "{_near(name)}" CONSTRAINT {_foreign_key(key)}'
    if details.publications:
        yield "Publications:"
        yield from (f'    "{name}"{clauses(each)}' for name, each in details.publications)
    if table.inherits:
        yield "Inherits: " + (",\n" + " " * 10).join(map(_near, table.inherits))
    if details.children or table.partition_by is not None:
        word = "partitions" if table.partition_by is not None else "child tables"
        yield f"Number of {word}: {len(details.children)}"


def _indexes(table: Table) -> Iterator[str]:
    identity = table.replica_identity
    indexes: list[tuple[str, str, tuple[str, ...]]] = []
    if table.primary_key:
        name = table.primary_key_name or f"{table.name.name}_pkey"
        indexes.append((name, "PRIMARY KEY", table.primary_key))
    uniques = sorted(table.unique_indexes, key=lambda each: each.name)
    indexes += [
        (each.name, "UNIQUE CONSTRAINT" if each.constraint else "UNIQUE", each.columns)
        for each in uniques
    ]
    if indexes:
        yield "Indexes:"
    for name, kind, columns in indexes:
        is_identity = identity.kind is Identity.INDEX and (
            identity.index_name == name
            or (identity.index_name is None and identity.index == columns)
        )
        mark = " REPLICA IDENTITY" if is_identity else ""
        yield f'    "{name}" {kind}, btree ({_listed(columns)}){mark}'


def _foreign_key(key: ForeignKey) -> str:
    return (
        f'"{key.name}" FOREIGN KEY ({_listed(key.columns)}) '
        f"REFERENCES {_near(key.references)}({_listed(key.referenced_columns)}){key.clauses}"
    )


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(map(quote_identifier, columns))


def _near(name: RelationName) -> str:
    """The name as regclass prints it where public is on the search path."""
    return quote_identifier(name.name) if name.schema == "public" else str(name)
