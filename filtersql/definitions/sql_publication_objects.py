"""The objects that CREATE and ALTER PUBLICATION list: tables with filters, and schemas.

Example
    `FOR TABLE t1 WHERE (a > 5), TABLES IN SCHEMA sales` is a table with its filter's own text and a
    schema. A table that inherits from t1 is an object of its own.

PostgreSQL
    publicationcmds.c: ObjectsInPublicationToOids(), OpenTableList();
    gram.y: preprocess_pubobj_list()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.kinds import kind_of
from filtersql.definitions.model import PublishedTable
from filtersql.definitions.opening import opened
from filtersql.definitions.sql_names import (
    Script,
    check_opened,
    known_table,
    place_of,
    referenced,
    span_of,
)
from filtersql.definitions.sql_text import clause
from filtersql.errors import Mistake
from filtersql.errors.publications import NotPublishable
from filtersql.errors.relations import NO_CURRENT_SCHEMA, UNKNOWN_SCHEMA
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = ["check_listed", "listed_schemas", "listed_tables"]

#: relations that hold no rows of their own to publish
_NO_TABLES = ("views", "materialized views", "sequences", "foreign tables")


def check_listed(script: Script, objects: Iterable[Node], *, adding: bool = False) -> None:
    """Raises where a table of a list does not exist, or is added and holds no rows."""
    for wrapped in objects:
        if not wrapped.publication_obj_spec.HasField("pubtable"):
            continue
        node = wrapped.publication_obj_spec.pubtable.relation
        name = referenced(script, node)
        kind = kind_of(script.drafts, name)
        if kind is None:
            known_table(script, node)
        elif adding and kind in _NO_TABLES:
            raise NotPublishable(name, kind, span_of(script, node))


def listed_schemas(
    script: Script, statement: Statement, objects: Iterable[Node]
) -> tuple[str, ...]:
    """The schemas of TABLES IN SCHEMA, which are looked up before any table."""
    schemas: dict[str, None] = {}
    for wrapped in objects:
        node = wrapped.publication_obj_spec
        kind = enum_name(node, "pubobjtype")
        if kind == "PUBLICATIONOBJ_TABLES_IN_SCHEMA":
            if not script.drafts.has_schema(node.name) and not script.drafts.incomplete:
                raise UNKNOWN_SCHEMA(place_of(script, statement, node.name), schema=node.name)
            schemas[node.name] = None
        elif kind == "PUBLICATIONOBJ_TABLES_IN_CUR_SCHEMA":
            drafts = script.drafts
            there = [
                schema for schema in script.path if schema != "public" or drafts.has_schema(schema)
            ]
            known = (schema for schema in there if drafts.has_schema(schema))
            current = next(known, None) or next(iter(there), None)
            if current is None:
                raise NO_CURRENT_SCHEMA(script.span(node.location))
            schemas[current] = None
    return tuple(schemas)


def listed_tables(script: Script, objects: Sequence[Node]) -> tuple[PublishedTable, ...]:
    """The tables with the heirs that they have now."""
    drafts = script.drafts
    tables: list[PublishedTable] = []
    for place, wrapped in enumerate(objects):
        node = wrapped.publication_obj_spec
        if node.HasField("pubtable"):
            try:
                tables.append(_table(script, node.pubtable))
            except Mistake:  # what is wrong with those before it is told first
                _opened(drafts, tables)
                check_listed(script, objects[:place])
                raise
    # What does not exist is told of later, and not what is said of it twice.
    entries = _opened(drafts, tables)
    # What inherits from them later is not published, so there is nothing more to open.
    return tuple(replace(table, only=True) for table in entries.values())


def _opened(drafts: Drafts, tables: list[PublishedTable]) -> dict[RelationName, PublishedTable]:
    """The entries by name; what is said twice is told where every table before it exists."""
    before = takewhile(lambda table: kind_of(drafts, table.name) is not None, tables)
    _, mistakes = opened(list(before), drafts.heirs)
    if mistakes:
        raise mistakes[0]
    return opened(tables, drafts.heirs)[0]


def _table(script: Script, node: Node) -> PublishedTable:
    span = span_of(script, node.relation)
    where = None
    if node.HasField("where_clause"):
        where = clause(script.text, node.relation.location, "where")
    columns = tuple(column.string.sval for column in node.columns) or None
    name = referenced(script, node.relation)
    check_opened(script.drafts, name, span)
    return PublishedTable(name, span, where, columns, only=not node.relation.inh)
