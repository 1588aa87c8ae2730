"""Calls that add tables to a replication set, or remove them.

pglogical, bdr
    pglogical_repset.c: replication_set_add_table(), replication_set_remove_table()
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.identifiers import relation_name
from filtersql.definitions.kinds import kind_of, system_kind
from filtersql.definitions.model import PublishedTable, ReplicationSet
from filtersql.definitions.predefined_sets import find_set
from filtersql.definitions.set_members import judges
from filtersql.definitions.sql_arguments import Call
from filtersql.definitions.sql_groups import filtered_default
from filtersql.definitions.sql_names import AlreadyTold, unknown_table
from filtersql.definitions.sql_set_members import check_system_schemas, has_key, joined
from filtersql.definitions.sql_text import trimmed
from filtersql.errors.altering import NOT_MEMBER
from filtersql.errors.relations import UNKNOWN_SCHEMA
from filtersql.errors.replication_sets import TABLE_IN_SET
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["add_all_tables", "add_table", "add_tables", "remove_table"]


def _relation(call: Call) -> RelationName:
    """The relation that is named: a regclass, looked up in search_path."""
    name, script = call.text("relation"), call.script
    text = call.passage("relation")
    for schema in script.path or ["public"]:
        relation = relation_name(text, schema)
        if kind_of(script.drafts, relation) is not None:
            return relation
    relation = relation_name(text, next(iter(script.path), "public"))
    if relation in script.drafts.broken:
        raise AlreadyTold
    if system_kind(relation) is not None:
        return relation
    qualified = relation.schema if "." in name else ""
    raise unknown_table(script.drafts, relation, qualified, text.span())


def add_table(call: Call) -> None:
    """One table joins a set, with its columns and row filter."""
    relation = _relation(call)  # a regclass is read before the call
    name, script, place = call.text("set_name"), call.script, call.place("relation")
    replication_set = find_set(script, name, call.place("set_name"))
    if any(table.name == relation for table in replication_set.tables):
        raise TABLE_IN_SET(place, table=relation.name, replication_set=name)
    columns = call.listed("columns")
    where = None
    if "row_filter" in call.arguments:
        text = call.passage("row_filter")
        where = trimmed(text) if text.text.strip() else text
        filtered_default(script, name, place)
    kept = None if columns is None else tuple(dict.fromkeys(columns))
    entry = PublishedTable(relation, place, where, kept)
    table = joined(script.drafts, replication_set, entry, keyless=call.takes_keyless)
    if table is not None:
        script.drafts.replication_sets[name] = replace(
            replication_set, tables=(*replication_set.tables, table)
        )


def remove_table(call: Call) -> None:
    """One table leaves a set."""
    relation, name = _relation(call), call.text("set_name")
    replication_set = find_set(call.script, name, call.place("set_name"))
    kept = tuple(table for table in replication_set.tables if table.name != relation)
    by_itself = bool(replication_set.autoadd_tables) and relation not in replication_set.not_added
    if len(kept) == len(replication_set.tables) and not by_itself:
        raise NOT_MEMBER(call.place("relation"), table=relation.name, owner="replication set")
    call.script.drafts.replication_sets[name] = replace(
        replication_set, tables=kept, not_added=replication_set.not_added | {relation}
    )


def add_all_tables(call: Call) -> None:
    """The tables of some schemas join a set."""
    drafts, place = call.script.drafts, call.place("schema_names")
    replication_set = find_set(call.script, call.text("set_name"), call.place("set_name"))
    schemas = call.listed("schema_names") or []
    for schema in schemas:
        if not drafts.has_schema(schema) and not drafts.incomplete:
            raise UNKNOWN_SCHEMA(place, schema=schema)
    check_system_schemas(replication_set, schemas, place)
    add_tables(call, replication_set, schemas, place)


def add_tables(
    call: Call, replication_set: ReplicationSet, schemas: list[str] | None, span: Span
) -> None:
    """Adds the tables that exist now, in some schemas or all."""
    drafts, keyless = call.script.drafts, call.takes_keyless
    there = {table.name for table in replication_set.tables}
    added = [
        joined(drafts, replication_set, PublishedTable(table.name, span), keyless=keyless)
        for table in drafts.tables.values()
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
        drafts.replication_sets[replication_set.name] = replace(replication_set, tables=tables)
