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
from filtersql.definitions.dependents import remove_table
from filtersql.definitions.depending import Thing, check_undepended, described, of_relation
from filtersql.definitions.foreign_keys import release_index
from filtersql.definitions.keys import check_indexed, check_sorted, column_labels, free_name
from filtersql.definitions.kinds import index_holder, kind_of
from filtersql.definitions.partitions import check_key_holds, share_index
from filtersql.definitions.sql_names import (
    Script,
    created_name,
    known_table,
    place_of,
    referenced,
    span_of,
)
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
    if kind in _TOGETHER:
        _TOGETHER[kind](script, statement)
    for item in node.objects if kind in _DROPS else ():
        _DROPS[kind](script, item)


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
        if name in drafts.tables or kind_of(drafts, name) == "materialized views":
            roots.append(of_relation(drafts, name))
    check_undepended(script, roots, partial(place_of, script, statement, names[0].name), node)


def _relation(script: Script, item: Node) -> RelationName:
    parts = [part.string.sval for part in item.list.items]
    for schema in parts[-2:-1] or script.path:
        name = RelationName(schema, parts[-1])
        if name in script.drafts.broken or kind_of(script.drafts, name) is not None:
            return name
    return created_name(script, item.list.items)


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


def _drop_table(script: Script, item: Node) -> None:
    name = _relation(script, item)
    if kind_of(script.drafts, name) is not None:  # YAML may publish what is made afterwards
        remove_table(script.drafts, name)


def _drop_index(script: Script, item: Node) -> None:
    name = _relation(script, item)
    script.drafts.others.pop(name, None)
    table = index_holder(script.drafts, name)
    if table is not None:
        del table.indexes[name.name]
        if table.identity.index_name == name.name:
            # The identity stays "index", and logs nothing.
            table.identity = replace(table.identity, index=())


def _drop_publication(script: Script, item: Node) -> None:
    script.drafts.publications.pop(item.string.sval, None)


def _check_publications(script: Script, statement: Statement) -> None:
    drafts = script.drafts
    items = () if statement.node.missing_ok else statement.node.objects
    for name in [item.string.sval for item in items]:
        if name not in drafts.publications and name not in drafts.broken_publications:
            span = place_of(script, statement, name)
            raise Unknown("publication", name, span, drafts.publications)


def _drop_event_trigger(script: Script, item: Node) -> None:
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
#: what is asked, or done, of all that one statement drops
_TOGETHER: dict[str, Callable[[Script, Statement], None]] = {
    **dict.fromkeys(_RELATIONS, _check_relations),
    "OBJECT_TYPE": drop_types,
    "OBJECT_DOMAIN": drop_types,
    "OBJECT_SCHEMA": check_schemas,
    "OBJECT_PUBLICATION": _check_publications,
}
#: and then of each
_DROPS: dict[str, Callable[[Script, Node], None]] = {
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
