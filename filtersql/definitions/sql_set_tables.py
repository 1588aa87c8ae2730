"""Calls that add tables to a replication set, or remove them.

pglogical, bdr
    pglogical_repset.c: replication_set_add_table(), replication_set_remove_table()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.model import PublishedTable, ReplicationSet
from filtersql.definitions.predefined_sets import find_set
from filtersql.definitions.set_members import judges
from filtersql.definitions.sql_arguments import Arguments
from filtersql.definitions.sql_groups import filtered_default
from filtersql.definitions.sql_names import Script
from filtersql.definitions.sql_set_arguments import (
    listed,
    named,
    relation_named,
    set_place,
    trimmed,
)
from filtersql.definitions.sql_set_members import check_system_schemas, has_key, joined
from filtersql.errors.altering import NOT_CONSTANT, NOT_MEMBER
from filtersql.errors.relations import UNKNOWN_SCHEMA
from filtersql.errors.replication_sets import TABLE_IN_SET
from filtersql.source import Span

__all__ = ["add_all_tables", "add_table", "add_tables", "remove_table", "takes_keyless"]


def takes_keyless(function: str) -> bool:
    """Whether a set takes tables without a key: BDR blocks their updates and deletes instead."""
    return function.startswith("bdr.")


def add_table(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """One table joins a set, with its columns and row filter."""
    if "relation" in arguments:
        relation_named(script, function, arguments, span)  # a regclass is read before the call
    name = named(script, function, "set_name", arguments, span)
    relation = relation_named(script, function, arguments, span)
    replication_set = find_set(script, name, set_place(arguments, span))
    place = arguments["relation"].span
    if any(table.name == relation for table in replication_set.tables):
        raise TABLE_IN_SET(place, table=relation.name, replication_set=name)
    columns = listed(arguments, "columns")
    where = None
    if "row_filter" in arguments:
        text = arguments["row_filter"].text
        if text is None:
            at = arguments["row_filter"].span
            raise NOT_CONSTANT(at, function=function, name="row_filter")
        where = trimmed(text)
        filtered_default(script, name, place)
    kept = None if columns is None else tuple(dict.fromkeys(columns))
    entry = PublishedTable(relation, place, where, kept)
    table = joined(script.drafts, replication_set, entry, keyless=takes_keyless(function))
    if table is not None:
        script.drafts.replication_sets[name] = replace(
            replication_set, tables=(*replication_set.tables, table)
        )


def remove_table(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """One table leaves a set."""
    relation = relation_named(script, function, arguments, span)
    name = named(script, function, "set_name", arguments, span)
    replication_set = find_set(script, name, set_place(arguments, span))
    kept = tuple(table for table in replication_set.tables if table.name != relation)
    by_itself = bool(replication_set.autoadd_tables) and relation not in replication_set.not_added
    if len(kept) == len(replication_set.tables) and not by_itself:
        raise NOT_MEMBER(arguments["relation"].span, table=relation.name, owner="replication set")
    script.drafts.replication_sets[name] = replace(
        replication_set, tables=kept, not_added=replication_set.not_added | {relation}
    )


def add_all_tables(script: Script, function: str, arguments: Arguments, span: Span) -> None:
    """The tables of some schemas join a set."""
    name = named(script, function, "set_name", arguments, span)
    replication_set = find_set(script, name, set_place(arguments, span))
    schemas = listed(arguments, "schema_names") or []
    for schema in schemas:
        if not script.drafts.has_schema(schema) and not script.drafts.incomplete:
            raise UNKNOWN_SCHEMA(arguments["schema_names"].span, schema=schema)
    check_system_schemas(replication_set, schemas, arguments["schema_names"].span)
    add_tables(script, replication_set, schemas, arguments["schema_names"].span)


def add_tables(
    script: Script,
    replication_set: ReplicationSet,
    schemas: list[str] | None,
    span: Span,
    *,
    keyless: bool = False,
) -> None:
    """Adds the tables that exist now, in some schemas or all.

    `keyless`: also those without a key.
    """
    there = {table.name for table in replication_set.tables}
    added = [
        joined(script.drafts, replication_set, PublishedTable(table.name, span), keyless=keyless)
        for table in script.drafts.tables.values()
        if (schemas is None or table.name.schema in schemas)
        and table.name not in there
        and not (table.view or table.foreign or table.unlogged)
        # pglogical 2.4 asks pg_class for ordinary tables: a partition stands for itself.
        and not (table.partition_by is not None and schemas is not None)
        # What autoadd would leave out later is left out now.
        and (
            schemas is not None
            or keyless
            or has_key(table)
            or not judges(replication_set.replicate)
        )
    ]
    if None not in added:  # the call adds all of them, or fails
        tables = (*replication_set.tables, *filter(None, added))
        script.drafts.replication_sets[replication_set.name] = replace(
            replication_set, tables=tables
        )
