"""Tables that calls add to a replication set, or remove: each is judged by what it is then.

Example
    A table without a key cannot be added to a set that replicates updates. One that loses its key
    afterwards stays in the set: `publications.replication_sets` refuses it where it is subscribed.

pglogical, bdr
    pglogical_repset.c: replication_set_add_table(), replication_set_remove_table();
    pglogical_functions.c: parse_row_filter()
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from filtersql.catalog import Identity
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.earlier_statements import note
from filtersql.definitions.identifiers import relation_name
from filtersql.definitions.kinds import kind_of, kind_of_table, system_kind
from filtersql.definitions.model import PublishedTable, ReplicationSet
from filtersql.definitions.predefined_sets import find_set
from filtersql.definitions.set_members import judges, refusals
from filtersql.definitions.sql_arguments import Call
from filtersql.definitions.sql_groups import filtered_default
from filtersql.definitions.sql_names import AlreadyTold, unknown_table
from filtersql.definitions.sql_text import trimmed
from filtersql.errors.altering import NOT_MEMBER
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.relations import UNKNOWN_SCHEMA
from filtersql.errors.replication_sets import SET_NEEDS_PRIMARY_KEY, TABLE_IN_SET
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "add_all_tables",
    "add_table",
    "add_tables",
    "has_key",
    "remove_table",
]


def _joined(
    drafts: Drafts, replication_set: ReplicationSet, entry: PublishedTable, *, keyless: bool
) -> PublishedTable | None:
    """A member as it is added, now that its table is as it is; None where it is none.

    What is wrong with it is noted. `keyless`: a table without a key is taken, as BDR does.

    A partition whose parent stands in a later file is judged in the end, as YAML's members are.
    What is no table is refused.
    """
    table = drafts.tables.get(entry.name)
    needs_key = judges(replication_set.replicate) and not keyless
    if table is None:
        kind = kind_of(drafts, entry.name) or system_kind(entry.name) or ""
        if kind == "tables" and not needs_key:
            raise UnsupportedStatement("a table of information_schema in a set", entry.span)
        raise next(
            refusals(
                entry, replication_set.name, (), (), kind=kind, unlogged=False, needs_key=needs_key
            )
        )
    if table.unattached or table.columns is None:
        return entry
    # What is wrong with the columns of a member of bdr is that it has some.
    wrong = [
        *refusals(
            replace(entry, columns=None) if keyless else entry,
            replication_set.name,
            _key(table),
            table.columns,
            kind=kind_of_table(table),
            unlogged=table.unlogged,
            needs_key=needs_key,
        )
    ]
    drafts.mistakes += wrong
    if wrong:
        return None
    # pglogical keeps an empty list as none.
    columns = entry.columns if keyless else entry.columns or None
    member = replace(entry, joined=True, columns=columns)
    note(drafts, replace(replication_set, tables=(member,)))
    return member


def _check_system_schemas(
    replication_set: ReplicationSet, schemas: Collection[str], span: Span
) -> None:
    """Raises where all tables of information_schema would be added: they have no key."""
    if "information_schema" in schemas and judges(replication_set.replicate):
        raise SET_NEEDS_PRIMARY_KEY(
            span,
            name=RelationName("information_schema", "sql_features"),
            replication_set=replication_set.name,
        )


def has_key(table: DraftTable) -> bool:
    """What updates and deletes need: pglogical knows no identity FULL."""
    return bool(_key(table))


def _key(table: DraftTable) -> tuple[str, ...]:
    match table.identity.kind:
        case Identity.DEFAULT:
            return table.primary_key
        case Identity.INDEX:
            return table.identity.index
        case _:
            return ()


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
    table = _joined(script.drafts, replication_set, entry, keyless=call.takes_keyless)
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
    _check_system_schemas(replication_set, schemas, place)
    add_tables(call, replication_set, schemas, place)


def add_tables(
    call: Call, replication_set: ReplicationSet, schemas: list[str] | None, span: Span
) -> None:
    """Adds the tables that exist now, in some schemas or all."""
    drafts, keyless = call.script.drafts, call.takes_keyless
    there = {table.name for table in replication_set.tables}
    added = [
        _joined(drafts, replication_set, PublishedTable(table.name, span), keyless=keyless)
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
