"""Everything else that PostgreSQL's catalogs learn: indexes, schemas, types, DROP.

Example
    `CREATE UNIQUE INDEX i ON t (b)` can be a replica identity; `DROP TABLE t` takes t
    out of its publications.

PostgreSQL
    indexcmds.c: DefineIndex(); dependency.c: performDeletion()
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import DraftIndex
from filtersql.definitions.dependents import remove_table, remove_view
from filtersql.definitions.depending import Thing, check_undepended, described, of_relation
from filtersql.definitions.foreign_keys import release_index
from filtersql.definitions.keys import check_indexed, check_sorted, column_labels, free_name
from filtersql.definitions.kinds import index_holder, kind_of
from filtersql.definitions.partitions import check_key_holds, share_index
from filtersql.definitions.sql_names import Script, known_table, place_of, referenced, span_of
from filtersql.definitions.sql_schemas import check_schemas, drop_schema
from filtersql.definitions.sql_types import drop_types
from filtersql.definitions.user_defined_overrides import drop_extension
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown, UnsupportedStatement
from filtersql.errors.keys import NOT_INDEXABLE
from filtersql.errors.relations import OWNED, UNKNOWN_SCHEMA
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["create_index", "drop"]


def create_index(script: Script, statement: Statement) -> None:
    """CREATE INDEX, which partitions get too."""
    node, drafts = statement.node, script.drafts
    name, span = referenced(script, node.relation), span_of(script, node.relation)
    kind = kind_of(drafts, name)
    if kind in ("views", "sequences"):
        raise NOT_INDEXABLE(span, name=name.name, many=kind)
    if kind == "materialized views":
        if node.idxname:
            drafts.others[RelationName(name.schema, node.idxname)] = "indexes"
        return
    table = known_table(script, node.relation)
    columns = [wrapped.index_elem.name for wrapped in node.index_params]
    included = [wrapped.index_elem.name for wrapped in node.index_including_params]
    elements = (*node.index_params, *node.index_including_params)
    named = column_labels(element.index_elem for element in elements)
    label = node.idxname or free_name(table, "_".join(named), "idx")
    if kind_of(drafts, RelationName(name.schema, label)) is not None:
        if node.if_not_exists:
            return
        raise ALREADY_EXISTS(
            place_of(script, statement, label), kind="relation", name=label, first=None
        )
    for column in filter(None, columns if node.access_method in ("", "btree") else ()):
        check_sorted(table, column, place_of(script, statement, column))
    if table.partition_by is not None and node.unique:
        check_key_holds(table, "UNIQUE", tuple(filter(None, columns)), span)
    for column in filter(None, (*columns, *included)):
        check_indexed(table, column, "index", place_of(script, statement, column))
    refusal = None
    if not node.unique:
        refusal = "non-unique"
    elif not all(columns):
        refusal = "expression"
    elif node.HasField("where_clause"):
        refusal = "partial"
    made = DraftIndex(label, tuple(filter(None, columns)), refusal)
    table.indexes[label] = made
    for child in drafts.below(name) if node.relation.inh and table.partition_by else ():
        share_index(child, made)


def drop(script: Script, statement: Statement) -> None:
    """DROP TABLE, INDEX, VIEW, PUBLICATION, TYPE, SCHEMA."""
    node, kind = statement.node, enum_name(statement.node, "remove_type")
    carry_out = _DROPS.get(kind)
    if kind in ("OBJECT_TYPE", "OBJECT_DOMAIN"):
        drop_types(script, statement)
    if kind in _RELATIONS:
        _check_relations(script, statement)
    elif kind == "OBJECT_SCHEMA":
        check_schemas(script, statement)
    elif kind == "OBJECT_PUBLICATION" and not node.missing_ok:
        _check_publications(script, statement)
    for item in node.objects:
        if kind in _OTHERS:
            script.drafts.others.pop(_named(script, item.list.items), None)
        if carry_out is not None:
            carry_out(script, statement, item)


def _check_relations(script: Script, statement: Statement) -> None:
    """Raises what is no such relation, and what depends on those that are dropped together."""
    node, drafts = statement.node, script.drafts
    names = [_relation(script, item) for item in node.objects]
    for item, name in zip(node.objects, names, strict=True):
        _check_known(script, statement, item, name)
    roots = []
    for name in names:
        if kind_of(drafts, name) == "sequences":
            at = place_of(script, statement, name.name)
            raise UnsupportedStatement.dumped("DROP SEQUENCE", at)
        if name in drafts.tables or name in drafts.views:
            roots.append(of_relation(drafts, name))
    cascades = enum_name(node, "behavior") == "DROP_CASCADE"
    place = partial(place_of, script, statement, names[0].name)
    check_undepended(script, roots, place, cascades=cascades)


def _named(script: Script, names: Node) -> RelationName:
    parts = [name.string.sval for name in names]
    schemas = parts[-2:-1] or script.path
    return RelationName(next(iter(schemas), "public"), parts[-1])


def _relation(script: Script, item: Node) -> RelationName:
    parts = [part.string.sval for part in item.list.items]
    for schema in parts[-2:-1] or script.path:
        name = RelationName(schema, parts[-1])
        if name in script.drafts.broken or kind_of(script.drafts, name) is not None:
            return name
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    return RelationName(schema, parts[-1])


def _check_known(script: Script, statement: Statement, item: Node, name: RelationName) -> None:
    drafts, span = script.drafts, place_of(script, statement, name.name)
    if name in drafts.broken:
        return
    wanted, called = _RELATIONS[enum_name(statement.node, "remove_type")]
    kind = kind_of(drafts, name)
    if kind is not None:
        if kind.removeprefix("partitioned ") != wanted:
            raise UnsupportedStatement(f"DROP {called.upper()} of one of the {kind}", span)
        if wanted == "indexes":
            _check_free(script, name, span)
        return
    if statement.node.missing_ok:
        return
    if len(item.list.items) > 1 and not drafts.has_schema(name.schema):
        raise UNKNOWN_SCHEMA(span, schema=name.schema)
    if wanted != "indexes" or not _MADE.search(name.name):
        raise Unknown(called, name.name, span, [table.name for table in drafts.tables])


def _check_free(script: Script, name: RelationName, span: Span) -> None:
    """Raises what needs an index: its constraint, or the index of its table's root."""
    table = index_holder(script.drafts, name)
    if table is None:
        return
    root = script.drafts.tables.get(table.partition_of) if table.partition_of else None
    if root is not None and root.indexes:
        raise UnsupportedStatement.dumped("DROP INDEX of a partition", span)
    if table.indexes[name.name].constraint:
        owner = described(script, Thing("constraint", table.name, name.name))
        raise OWNED(span, what=described(script, Thing("index", name)), owner=owner)
    release_index(script, table, name.name, lambda: span)


def _drop_table(script: Script, statement: Statement, item: Node) -> None:
    name = _relation(script, item)
    if name in script.drafts.views:
        remove_view(script.drafts, name)
    elif name in script.drafts.tables:
        remove_table(script.drafts, name)


def _drop_index(script: Script, statement: Statement, item: Node) -> None:
    name = _relation(script, item)
    script.drafts.others.pop(name, None)
    table = index_holder(script.drafts, name)
    if table is not None:
        del table.indexes[name.name]
        if table.identity.index_name == name.name:
            # The identity stays "index", and logs nothing.
            table.identity = replace(table.identity, index=())


def _drop_publication(script: Script, statement: Statement, item: Node) -> None:
    script.drafts.publications.pop(item.string.sval, None)


def _check_publications(script: Script, statement: Statement) -> None:
    drafts = script.drafts
    for name in [item.string.sval for item in statement.node.objects]:
        if name not in drafts.publications and name not in drafts.broken_publications:
            span = place_of(script, statement, name)
            raise Unknown("publication", name, span, drafts.publications)


def _drop_event_trigger(script: Script, statement: Statement, item: Node) -> None:
    script.drafts.event_triggers.pop(item.string.sval, None)


#: the relations of DROP: their kind, and what a message calls one of them
_RELATIONS = {
    "OBJECT_TABLE": ("tables", "table"),
    "OBJECT_FOREIGN_TABLE": ("foreign tables", "foreign table"),
    "OBJECT_VIEW": ("views", "view"),
    "OBJECT_MATVIEW": ("materialized views", "materialized view"),
    "OBJECT_INDEX": ("indexes", "index"),
    "OBJECT_SEQUENCE": ("sequences", "sequence"),
}
#: names that PostgreSQL gives: not all of partitions' indexes are kept
_MADE = re.compile(r"_(idx|key|pkey)\d*\Z")
#: what is dropped without being a table
_OTHERS = frozenset({"OBJECT_MATVIEW", "OBJECT_TABLE"})
_DROPS: dict[str, Callable[[Script, Statement, Node], None]] = {
    "OBJECT_TABLE": _drop_table,
    "OBJECT_FOREIGN_TABLE": _drop_table,
    "OBJECT_VIEW": _drop_table,
    "OBJECT_MATVIEW": _drop_table,
    "OBJECT_INDEX": _drop_index,
    "OBJECT_EXTENSION": drop_extension,
    "OBJECT_PUBLICATION": _drop_publication,
    "OBJECT_SCHEMA": drop_schema,
    "OBJECT_EVENT_TRIGGER": _drop_event_trigger,
}
