"""Compiled statements executed on DuckDB, and rows printed as PostgreSQL prints them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import click
import duckdb
from msgspec.structs import replace
from sqlglot import exp

from filtersql.api.loading import load_project
from filtersql.api.reporter import Reporter
from filtersql.commands.options import Options, shared_options
from filtersql.compile import Compilation, compile_project
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable

__all__ = ["compiled", "deparsed", "execute_on_nothing", "printed", "table_text"]


def options(folder: Path, flags: Sequence[str]) -> Options:
    """The shared flags as the command line reads them."""
    given: dict[str, Any] = {}
    reader = shared_options(click.command()(lambda **found: given.update(found)))
    reader.main(list(flags), standalone_mode=False)
    known = {name: value for name, value in given.items() if value not in (None, ())}
    return replace(Options(project_dir=folder), **known)


def compilation(folder: Path, flags: Sequence[str]) -> Compilation:
    """Everything that a project compiles to."""
    chosen = options(folder, flags)
    return compile_project(
        load_project(Reporter(chosen)), via_partition_root=chosen.publish_via_partition_root
    )


def compiled(folder: Path, subscription: str, relation: str, flags: Sequence[str]) -> CompiledTable:
    """One target of a project."""
    schema, _, name = relation.partition(".")
    tables = {
        (node.compiled.subscription, node.compiled.relation): node.compiled
        for node in compilation(folder, flags).nodes
    }
    found = tables.get((subscription, RelationName(schema, name)))
    known = ", ".join(f"{name} {table}" for name, table in tables)
    assert found, f"there is no target {subscription} {relation}; there are: {known}"
    return found


def execute_on_nothing(table: CompiledTable) -> None:
    """Run all statements of a table where target, feed and source hold no row."""
    types = {"seq": "BIGINT", "tx": "VARCHAR", "op": "VARCHAR"}
    for column in table.feed_columns:
        types[f"before_{column.name}"] = types[f"after_{column.name}"] = column.sql_type
    sources = {column.name: column.sql_type for column in table.feed_columns}
    with duckdb.connect() as connection:
        for name, value in table.settings.items():
            connection.execute(f"SET {name} = '{value}'")
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_quoted(table.target[0])}")
        connection.execute(f"CREATE TABLE {table.target_sql} ({table.column_definitions_sql})")
        _empty_view(connection, table.changes_view, {**types, "unchanged": "VARCHAR[]"})
        _empty_view(connection, table.source_view, sources)
        if table.clock:
            moments = (f"TIMESTAMP '2026-11-26' AS {column.name}" for column in table.clock)
            connection.execute(f"CREATE VIEW filtersql_clock AS SELECT {', '.join(moments)}")
        for statement in (table.merge_sql, table.conflicts_sql, table.initial_copy_sql):
            connection.execute(statement)
        connection.execute(table.audit_sql)
        left = connection.execute(f"SELECT count(*) FROM {table.target_sql}").fetchone()
    assert left == (0,), "a MERGE of nothing left rows"


def _empty_view(connection: duckdb.DuckDBPyConnection, name: str, types: dict[str, str]) -> None:
    columns = [f"CAST(NULL AS {kind}) AS {_quoted(column)}" for column, kind in types.items()]
    connection.execute(f"CREATE VIEW {_quoted(name)} AS SELECT {', '.join(columns)} WHERE FALSE")


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("duckdb")


def table_text(path: Path, target_sql: str) -> str:
    """A table's rows, ordered by all columns, in columns under a header."""
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SELECT * FROM {target_sql} ORDER BY ALL NULLS LAST")
        header = [column[0] for column in connection.description or ()]
        rows = [[printed(value) for value in row] for row in connection.fetchall()]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [
        " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]
    return "\n".join(lines)


def printed(value: object) -> str:
    """A value as PostgreSQL's output function writes it (UTC, ISO dates); NULL as `NULL`."""
    match value:
        case None:
            return "NULL"
        case bool():
            return "t" if value else "f"
        case bytes():
            return f"\\x{value.hex()}"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime():
            text = value.replace(tzinfo=None).isoformat(" ")
            text = text.rstrip("0") if "." in text else text
            return f"{text}+00" if value.tzinfo else text
        case date() | time():
            return value.isoformat()
        case _:
            return str(value)


def deparsed(folder: Path, publication: str, relation: str) -> str:
    """A publication's row filter on a table, as PostgreSQL shows it."""
    from filtersql.filters import resolve

    project = load_project(Reporter(Options(project_dir=folder)))
    written = project.definitions.publications[publication]
    schema, _, name = relation.partition(".")
    (published,) = [table for table in written.tables if table.name == (schema, name)]
    assert published.where, f'"{publication}" has no row filter on {relation}'
    catalog = project.definitions.catalog
    return resolve(
        published.where,
        catalog.tables[published.name],
        created=written.created,
        postgres_version=project.postgres_version,
        made=catalog.made,
        semantics=project.semantics,
    ).deparsed
