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

from filtersql.definitions.dependents import (
    described,
    remove_entries,
    remove_references,
    remove_view,
    views_reading,
)
from filtersql.definitions.depending import Thing, lines_of, of_relation
from filtersql.definitions.drafts import DraftIndex, Drafts
from filtersql.definitions.keys import free_name
from filtersql.definitions.sql_names import (
    Script,
    created,
    known_table,
    place_of,
    referenced,
)
from filtersql.errors.altering import DependedOn, UnknownSchema
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
    "create_sequence",
    "create_type",
    "drop",
    "set_path",
    "set_variable",
]


def create_index(script: Script, statement: Statement) -> None:
    """CREATE UNIQUE INDEX; other indexes are of no concern."""
    node = statement.node
    name = referenced(script, node.relation)
    if node.idxname:
        script.drafts.others[RelationName(name.schema, node.idxname)] = "indexes"
    if name not in script.drafts.tables and (not node.unique or name in script.drafts.others):
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


def create_sequence(script: Script, statement: Statement) -> None:
    """CREATE SEQUENCE: no publication for tables takes it."""
    sequence = statement.node.sequence
    if sequence.relpersistence != "t":
        script.drafts.others[created(script, sequence)] = "sequences"


def create_schema(script: Script, statement: Statement) -> None:
    """CREATE SCHEMA."""
    script.drafts.schemas.add(statement.node.schemaname)


def create_type(script: Script, statement: Statement) -> None:
    """CREATE TYPE and CREATE DOMAIN: names that a column may use and a filter may not."""
    node = statement.node
    if statement.kind == "composite_type_stmt":
        name = created(script, node.typevar)
        script.drafts.others[name] = "composite types"
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
    node, kind = statement.node, enum_name(statement.node, "remove_type")
    carry_out = _DROPS.get(kind)
    if kind in _RELATIONS:
        _check_relations(script, statement)
    for item in node.objects if kind in _OTHERS else ():
        script.drafts.others.pop(_relation_name(script, item), None)
    for item in node.objects:
        if carry_out is not None:
            carry_out(script, statement, item)


def _check_relations(script: Script, statement: Statement) -> None:
    """Raises what depends on tables and views that are dropped together, without CASCADE."""
    node, drafts = statement.node, script.drafts
    names = [_relation(script, item) for item in node.objects]
    for item, name in zip(node.objects, names, strict=True):
        _check_known(script, statement, item, name)
    known = [name for name in names if name in drafts.tables or name in drafts.views]
    lines = lines_of(script, [of_relation(drafts, name) for name in known])
    if lines and enum_name(node, "behavior") != "DROP_CASCADE":
        thing = of_relation(drafts, known[0])
        what = f"{thing.kind} {described(script, thing.name)}" if len(names) == 1 else None
        raise DependedOn(what, lines, place_of(script, statement, known[0].name))


def _named(script: Script, names: Node) -> RelationName:
    parts = [name.string.sval for name in names]
    schema = parts[-2] if len(parts) > 1 else (script.path[0] if script.path else "public")
    return RelationName(schema, parts[-1])


def _relation_name(script: Script, item: Node) -> RelationName:
    """A name of DROP that is no table's."""
    return _named(script, item.list.items)


def _relation(script: Script, item: Node) -> RelationName:
    parts = [part.string.sval for part in item.list.items]
    for schema in [parts[-2]] if len(parts) > 1 else script.path:
        name = RelationName(schema, parts[-1])
        if name in script.drafts.tables or name in script.drafts.views:
            return name
    schema = parts[-2] if len(parts) > 1 else next(iter(script.path), "public")
    return RelationName(schema, parts[-1])


def _check_known(script: Script, statement: Statement, item: Node, name: RelationName) -> None:
    drafts = script.drafts
    there = name in drafts.tables or name in drafts.broken or name in drafts.others
    if not there and not statement.node.missing_ok:
        span = place_of(script, statement, name.name)
        known = [table.name for table in drafts.tables]
        kind = _RELATIONS[enum_name(statement.node, "remove_type")]
        raise Unknown(kind, _written(item, name), span, known)


def _drop_table(script: Script, statement: Statement, item: Node) -> None:
    name = _relation(script, item)
    if name in script.drafts.views:
        remove_view(script.drafts, name)
    elif name in script.drafts.tables:
        remove_table(script.drafts, name)


def _written(item: Node, name: RelationName) -> str:
    """The name as a message shows it: with its schema where the statement has one."""
    return f"{name.schema}.{name.name}" if len(item.list.items) > 1 else name.name


def remove_table(drafts: Drafts, name: RelationName) -> None:
    """DROP TABLE CASCADE: its partitions and heirs go too, and every publication loses it."""
    drafts.tables.pop(name, None)
    for one in [*drafts.replication_sets.values()]:
        # One that is made under its name later is another table.
        drafts.replication_sets[one.name] = replace(one, not_added=one.not_added - {name})
    for child in drafts.children(name):
        remove_table(drafts, child.name)
    for view in [*views_reading(drafts, name)]:
        remove_view(drafts, view)
    remove_references(drafts, name)
    remove_entries(drafts, name)
    for one in list(drafts.replication_sets.values()):
        left = tuple(table for table in one.tables if table.name != name)
        drafts.replication_sets[one.name] = replace(one, tables=left)


def _drop_index(script: Script, statement: Statement, item: Node) -> None:
    name = item.list.items[-1].string.sval
    script.drafts.others.pop(_relation_name(script, item), None)
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
    schema, drafts = item.string.sval, script.drafts
    named = [one.string.sval for one in statement.node.objects]
    lines = lines_of(script, [Thing("schema", RelationName(one, "")) for one in named])
    if lines and enum_name(statement.node, "behavior") != "DROP_CASCADE":
        what = f"schema {schema}" if len(named) == 1 else None
        raise DependedOn(what, lines, place_of(script, statement, schema))
    if not drafts.has_schema(schema) and not statement.node.missing_ok:
        raise UnknownSchema(schema, place_of(script, statement, schema))
    drafts.schemas -= {*named}
    for view in [name for name in drafts.views if name.schema == schema]:
        remove_view(drafts, view)
    for name in [name for name in drafts.tables if name.schema == schema]:
        remove_table(drafts, name)
    for publication in list(drafts.publications.values()):
        kept = tuple(one for one in publication.schemas if one != schema)
        drafts.publications[publication.name] = replace(publication, schemas=kept)


#: what can hold columns that others read, as a message calls it
_RELATIONS = {
    "OBJECT_TABLE": "table",
    "OBJECT_FOREIGN_TABLE": "foreign table",
    "OBJECT_VIEW": "view",
    "OBJECT_MATVIEW": "materialized view",
}
#: what is dropped without being a table
_OTHERS = frozenset({"OBJECT_SEQUENCE", "OBJECT_MATVIEW", "OBJECT_TABLE"})
_DROPS: dict[str, Callable[[Script, Statement, Node], None]] = {
    "OBJECT_TABLE": _drop_table,
    "OBJECT_FOREIGN_TABLE": _drop_table,
    "OBJECT_VIEW": _drop_table,
    "OBJECT_MATVIEW": _drop_table,
    "OBJECT_INDEX": _drop_index,
    "OBJECT_PUBLICATION": _drop_publication,
    "OBJECT_TYPE": _drop_type,
    "OBJECT_DOMAIN": _drop_type,
    "OBJECT_SCHEMA": _drop_schema,
}
