"""Everything else that PostgreSQL's catalogs learn: indexes, schemas, types, search_path, DROP.

Example
    `CREATE UNIQUE INDEX i ON t (b)` can be a replica identity; `DROP TABLE t` takes t
    out of its publications.

PostgreSQL
    indexcmds.c: DefineIndex(); dependency.c: performDeletion()
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from filtersql.definitions.drafts import DraftIndex, Drafts
from filtersql.definitions.keys import free_name
from filtersql.definitions.sql_names import (
    Script,
    created,
    known_table,
    place_of,
    referenced,
)
from filtersql.errors.definitions import (
    Duplicate,
    Unknown,
    UnknownKeyColumn,
)
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = [
    "create_function",
    "create_index",
    "create_schema",
    "create_type",
    "drop",
    "set_path",
    "set_variable",
]


def create_index(script: Script, statement: Statement) -> None:
    """CREATE UNIQUE INDEX; other indexes are of no concern."""
    node = statement.node
    name = referenced(script, node.relation)
    if name not in script.drafts.tables and not node.unique:
        return
    table = known_table(script, node.relation)
    columns = [wrapped.index_elem.name for wrapped in node.index_params]
    included = [wrapped.index_elem.name for wrapped in node.index_including_params]
    named = [name or "expr" for name in (*columns, *included)]
    label = node.idxname or free_name(table, "_".join(named), "idx")
    if label in table.indexes:
        if node.if_not_exists:
            return
        raise Duplicate("relation", label, place_of(script, statement, label), None)
    for column in columns:
        if column and column not in (table.columns or {}) and not table.view:
            at = place_of(script, statement, column)
            raise UnknownKeyColumn(column, at, table.columns or {})
    refusal = None
    if not node.unique:
        refusal = "non-unique"
    elif not all(columns):
        refusal = "expression"
    elif node.HasField("where_clause"):
        refusal = "partial"
    table.indexes[label] = DraftIndex(label, tuple(filter(None, columns)), refusal)


def create_schema(script: Script, statement: Statement) -> None:
    """CREATE SCHEMA."""
    script.drafts.schemas.add(statement.node.schemaname)


def create_type(script: Script, statement: Statement) -> None:
    """CREATE TYPE and CREATE DOMAIN: names that a column may use and a filter may not."""
    node = statement.node
    if statement.kind == "composite_type_stmt":
        name = created(script, node.typevar)
    elif statement.kind == "define_stmt":
        if enum_name(node, "kind") != "OBJECT_TYPE":
            return
        name = _named(script, node.defnames)
    else:
        names = {"create_domain_stmt": "domainname"}.get(statement.kind, "type_name")
        name = _named(script, getattr(node, names))
    script.drafts.types[name] = None


def create_function(script: Script, statement: Statement) -> None:
    """CREATE FUNCTION: a name that a filter may not use."""
    script.drafts.functions.add(_named(script, statement.node.funcname))


def set_variable(script: Script, statement: Statement) -> None:
    """SET search_path; other settings are of no concern."""
    node = statement.node
    if node.name != "search_path":
        return
    if enum_name(node, "kind") != "VAR_SET_VALUE":
        script.path = ["public"]
        return
    values = [wrapped.a_const.sval.sval for wrapped in node.args]
    set_path(script, values)


def set_path(script: Script, values: list[str]) -> None:
    """The schemas of a search_path; `"$user"` has no schema here."""
    script.path = [value for value in values if value not in ("", "$user", "pg_catalog")]


def drop(script: Script, statement: Statement) -> None:
    """DROP TABLE, INDEX, VIEW, PUBLICATION, TYPE, SCHEMA."""
    kind = enum_name(statement.node, "remove_type")
    carry_out = _DROPS.get(kind)
    for item in statement.node.objects:
        if carry_out is not None:
            carry_out(script, statement, item)


def _named(script: Script, names: Node) -> RelationName:
    parts = [name.string.sval for name in names]
    schema = parts[-2] if len(parts) > 1 else (script.path[0] if script.path else "public")
    return RelationName(schema, parts[-1])


def _relation(script: Script, item: Node) -> RelationName:
    parts = [part.string.sval for part in item.list.items]
    for schema in [parts[-2]] if len(parts) > 1 else script.path:
        if RelationName(schema, parts[-1]) in script.drafts.tables:
            return RelationName(schema, parts[-1])
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    return RelationName(schema, parts[-1])


def _drop_table(script: Script, statement: Statement, item: Node) -> None:
    name, drafts = _relation(script, item), script.drafts
    if name not in drafts.tables:
        if statement.node.missing_ok or name in drafts.broken:
            return
        span = place_of(script, statement, name.name)
        raise Unknown("table", name.name, span, [table.name for table in drafts.tables])
    remove_table(drafts, name)


def remove_table(drafts: Drafts, name: RelationName) -> None:
    """DROP TABLE: its partitions go too, and every publication loses it."""
    for child in drafts.children(name):
        if child.partition_of == name:
            remove_table(drafts, child.name)
    drafts.tables.pop(name, None)
    for publication in list(drafts.publications.values()):
        kept = tuple(one for one in publication.tables if one.name != name)
        drafts.publications[publication.name] = replace(publication, tables=kept)
    for one in list(drafts.replication_sets.values()):
        left = tuple(table for table in one.tables if table.name != name)
        drafts.replication_sets[one.name] = replace(one, tables=left)


def _drop_index(script: Script, statement: Statement, item: Node) -> None:
    name = item.list.items[-1].string.sval
    for table in script.drafts.tables.values():
        if table.indexes.pop(name, None) and table.identity.index_name == name:
            # The identity stays "index", and logs nothing.
            table.identity = replace(table.identity, index=())


def _drop_publication(script: Script, statement: Statement, item: Node) -> None:
    name, drafts = item.string.sval, script.drafts
    if name not in drafts.publications and not statement.node.missing_ok:
        if name in drafts.broken_publications:
            return
        span = place_of(script, statement, name)
        raise Unknown("publication", name, span, drafts.publications)
    drafts.publications.pop(name, None)


def _drop_type(script: Script, statement: Statement, item: Node) -> None:
    parts = [part.string.sval for part in item.type_name.names]
    for name in list(script.drafts.types):
        if name.name == parts[-1] and parts[:-1] in ([], [name.schema]):
            del script.drafts.types[name]


def _drop_schema(script: Script, statement: Statement, item: Node) -> None:
    schema = item.string.sval
    script.drafts.schemas.discard(schema)
    for name in [name for name in script.drafts.tables if name.schema == schema]:
        remove_table(script.drafts, name)


_DROPS: dict[str, Callable[[Script, Statement, Node], None]] = {
    "OBJECT_TABLE": _drop_table,
    "OBJECT_FOREIGN_TABLE": _drop_table,
    "OBJECT_VIEW": _drop_table,
    "OBJECT_INDEX": _drop_index,
    "OBJECT_PUBLICATION": _drop_publication,
    "OBJECT_TYPE": _drop_type,
    "OBJECT_DOMAIN": _drop_type,
    "OBJECT_SCHEMA": _drop_schema,
}
