"""The publication of a project on its live source: `ensure_publication(…)`.

Example
    CREATE PUBLICATION filtersql_shop_erp FOR TABLE ONLY public.orders, ONLY public.items

    It has exactly the tables whose changes a subscription reads, with all columns and without a
    filter. A partitioned table stands for its partitions, also for those that come later.

PostgreSQL
    src/backend/commands/publicationcmds.c, CreatePublication().
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

import psycopg
from psycopg import sql

from filtersql.catalog import Catalog, Generated
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.capturing import (
    PUBLICATION_REFUSED,
    PUBLICATION_UNFIT,
    TABLE_ELSEWHERE,
    TABLE_LACKING,
    TABLE_LEFT,
    TABLE_UNKNOWN,
)
from filtersql.names import RelationName
from filtersql.postgres.connection import Connection, has_table, major_version
from filtersql.project import LiveSource

__all__ = [
    "SENDS_GENERATED",
    "add_tables",
    "check_publication",
    "ensure_publication",
    "held_tables",
    "moved_tables",
    "publish_generated",
    "published_names",
]

#: the first version that sends stored generated columns, where it is told so
SENDS_GENERATED = 18
_FOUND = """
SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate, pubviaroot,
    EXISTS (SELECT FROM pg_catalog.pg_publication_rel r
        WHERE r.prpubid = p.oid AND (r.prqual IS NOT NULL OR r.prattrs IS NOT NULL))
FROM pg_catalog.pg_publication p WHERE pubname = %s
"""
#: asked of servers that have the column
_WITHOUT_GENERATED = "SELECT FROM pg_catalog.pg_publication WHERE pubname = %s AND pubgencols = 'n'"
_STORED = sql.SQL("(publish_generated_columns = stored)")
#: what a publication sends, and the tables that each is a partition of, near or far
_TABLES = """
SELECT t.schemaname, t.tablename, array_agg(ARRAY[m.nspname, a.relname]::pg_catalog.text[])
    FILTER (WHERE a.oid <> c.oid)
FROM pg_catalog.pg_publication_tables t
    JOIN pg_catalog.pg_namespace n ON n.nspname = t.schemaname
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename
    LEFT JOIN LATERAL pg_catalog.pg_partition_ancestors(c.oid) x (oid) ON true
    LEFT JOIN pg_catalog.pg_class a ON a.oid = x.oid
    LEFT JOIN pg_catalog.pg_namespace m ON m.oid = a.relnamespace
WHERE t.pubname = %s GROUP BY t.schemaname, t.tablename
"""


def published_names(catalog: Catalog, sources: Iterable[RelationName]) -> tuple[RelationName, ...]:
    """What a publication names so that it has these tables: a whole tree by its root."""
    wanted = frozenset(sources)

    def whole(name: RelationName) -> bool:
        return all(leaf.name in wanted for leaf in catalog.leaves(name))

    found: dict[RelationName, None] = {}
    for name in sorted(wanted):
        above = [parent.name for parent in catalog.ancestors(name) if whole(parent.name)]
        found[above[-1] if above else name] = None
    return tuple(found)


def ensure_publication(
    connection: Connection,
    source: LiveSource,
    name: str,
    catalog: Catalog,
    tables: Sequence[RelationName],
) -> bool:
    """Make the publication; False where it is there already. Raises Mistakes."""
    if connection.execute(_FOUND, (name,)).fetchone() is not None:
        return False
    _change(connection, source, name, _creating(connection, name, catalog, tables))
    return True


def publish_generated(
    connection: Connection, name: str, catalog: Catalog, tables: Iterable[RelationName]
) -> None:
    """Let the publication send what is generated, where one of these has it.

    Another role's stays as it is: a run refuses its changes where it needs such a column.
    """
    if not _has_stored(connection, catalog, tables):
        return
    if connection.execute(_WITHOUT_GENERATED, (name,)).fetchone() is not None:
        altering = sql.SQL("ALTER PUBLICATION {} SET ").format(sql.Identifier(name))
        with suppress(psycopg.errors.InsufficientPrivilege):
            connection.execute(altering + _STORED)


def add_tables(
    connection: Connection,
    source: LiveSource,
    name: str,
    catalog: Catalog,
    tables: Iterable[RelationName],
) -> tuple[RelationName, ...]:
    """Add what names some tables to the publication; that. Raises Mistakes."""
    adding = published_names(catalog, tables)
    if adding:
        statement = sql.SQL("ALTER PUBLICATION {} ADD TABLE {}").format(
            sql.Identifier(name), _listed(adding)
        )
        _change(connection, source, name, statement)
    return adding


def check_publication(
    connection: Connection,
    source: LiveSource,
    name: str,
    held: Mapping[RelationName, frozenset[RelationName]],
    catalog: Catalog,
    sources: Iterable[RelationName],
    copied: Iterable[RelationName],
    joining: frozenset[RelationName] = frozenset(),
) -> None:
    """Whether it sends all, with those `joining`. Raises Mistakes; hints name what is `copied`."""
    names = published_names(catalog, sources)
    if mistakes := [*_unfit(connection, source, name, catalog, names)]:
        raise Mistakes(mistakes)
    absent = frozenset(sources).difference(held)
    lacking = sorted(absent) if absent - joining else []
    there = {table for table in lacking if has_table(connection, table)}
    trees = {above.name for table in there for above in catalog.ancestors(table)} | there
    rows = " --rows ".join(map(str, sorted(trees.intersection(copied) or there)))
    mistakes = [
        TABLE_LACKING(publication=name, source=source.name, table=table, rows=rows)
        if table in there
        else TABLE_LEFT(publication=name, source=source.name, table=table)
        for table in lacking
    ]
    unknown, moved = held.keys() - catalog.tables.keys(), moved_tables(held, catalog)
    mistakes += [TABLE_UNKNOWN(source=source.name, table=table) for table in sorted(unknown)]
    mistakes += [TABLE_ELSEWHERE(source=source.name, table=table) for table in sorted(moved)]
    if mistakes:
        raise Mistakes(mistakes)


def moved_tables(
    held: Mapping[RelationName, frozenset[RelationName]], catalog: Catalog
) -> frozenset[RelationName]:
    """Those that are a partition of another table that the project knows than it says."""
    return frozenset(
        table
        for table, above in held.items()
        if table in catalog.tables
        and above.intersection(catalog.tables)
        != frozenset(each.name for each in catalog.ancestors(table))
    )


def held_tables(connection: Connection, name: str) -> dict[RelationName, frozenset[RelationName]]:
    """The tables whose changes are sent, partitions each by itself, and what is above each."""
    rows = connection.execute(_TABLES, (name,)).fetchall()
    return {
        RelationName(schema, table): frozenset(RelationName(*each) for each in above or ())
        for schema, table, above in rows
    }


def _unfit(
    connection: Connection,
    source: LiveSource,
    name: str,
    catalog: Catalog,
    tables: Sequence[RelationName],
) -> Iterator[Mistake]:
    row, reason = connection.execute(_FOUND, (name,)).fetchone(), None
    if row is None:
        reason = "is gone"
    elif not row[0]:
        reason = "does not publish all of insert, update, delete and truncate"
    elif row[1]:
        reason = "has publish_via_partition_root: the partition of a row is not told"
    elif row[2]:
        reason = "has a row filter or a column list"
    if reason is not None:
        statement = _creating(connection, name, catalog, tables).as_string(connection)
        if row is not None:
            dropping = sql.SQL("DROP PUBLICATION {}; ").format(sql.Identifier(name))
            statement = dropping.as_string(connection) + statement
        yield PUBLICATION_UNFIT(
            publication=name, source=source.name, reason=reason, statement=statement
        )


def _creating(
    connection: Connection, name: str, catalog: Catalog, tables: Sequence[RelationName]
) -> sql.Composed:
    statement = sql.SQL("CREATE PUBLICATION {} FOR TABLE {}").format(
        sql.Identifier(name), _listed(tables)
    )
    stored = _has_stored(connection, catalog, tables)
    return statement + sql.SQL(" WITH ") + _STORED if stored else statement


def _has_stored(connection: Connection, catalog: Catalog, tables: Iterable[RelationName]) -> bool:
    """Whether the server can send a generated column of these."""
    return major_version(connection) >= SENDS_GENERATED and any(
        column.generated is Generated.STORED
        for table in tables
        for leaf in catalog.leaves(table)
        for column in leaf.columns
    )


def _listed(tables: Sequence[RelationName]) -> sql.Composed:
    named = (sql.SQL("ONLY {}").format(sql.Identifier(each.schema, each.name)) for each in tables)
    return sql.SQL(", ").join(named)


def _change(connection: Connection, source: LiveSource, name: str, statement: sql.Composed) -> None:
    try:
        connection.execute(statement)
    except psycopg.Error as error:
        refused = PUBLICATION_REFUSED(
            source=source.name,
            publication=name,
            reason=error.diag.message_primary or str(error),
            statement=statement.as_string(connection),
        )
        raise Mistakes([refused]) from None
