"""ALTER … RENAME of tables, columns, indexes, constraints and publications.

Example
    `ALTER TABLE t RENAME TO u` takes t's publications along, as PostgreSQL's catalogs do, which
    hold no names but numbers. Where code or a filter names t, it is refused, and so is SET SCHEMA.

PostgreSQL
    alter.c: ExecRenameStmt(); tablecmds.c: renameatt(), RenameRelationInternal()
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.dependents import change_members
from filtersql.definitions.kinds import index_holder, kind_of
from filtersql.definitions.model import Publication, ReplicationSet
from filtersql.definitions.sql_alter_kinds import check_object
from filtersql.definitions.sql_names import AlreadyTold, Script, known_table, place_of, referenced
from filtersql.definitions.sql_rename_columns import rename_columns
from filtersql.definitions.stored_code import FUNCTIONS
from filtersql.errors.definitions import ALREADY_EXISTS, Unknown, UnsupportedStatement
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["alter_schema", "rename"]

_RELATIONS = (
    "OBJECT_TABLE",
    "OBJECT_FOREIGN_TABLE",
    "OBJECT_VIEW",
    "OBJECT_MATVIEW",
    "OBJECT_INDEX",
    "OBJECT_SEQUENCE",
)
_WITH_COLUMNS = ("OBJECT_TABLE", "OBJECT_FOREIGN_TABLE", "OBJECT_VIEW", "OBJECT_MATVIEW")
_REFUSED = (
    *("OBJECT_SCHEMA", "OBJECT_SUBSCRIPTION", "OBJECT_TYPE", "OBJECT_DOMAIN", "OBJECT_COLLATION"),
    *("OBJECT_TRIGGER", "OBJECT_RULE", "OBJECT_POLICY", "OBJECT_EVENT_TRIGGER", *FUNCTIONS),
)


def rename(script: Script, statement: Statement) -> None:
    """ALTER … RENAME."""
    node = statement.node
    kind = enum_name(node, "rename_type")
    if kind in _RELATIONS:
        check_object(script, node.relation, kind, renamed=True)
        _rename_relation(script, statement)
    elif kind == "OBJECT_COLUMN":
        # ALTER VIEW takes a table's column, too.
        if enum_name(node, "relation_type") in _WITH_COLUMNS:
            rename_columns(script, statement)
    elif kind == "OBJECT_TABCONSTRAINT":
        _check_free(script, statement, referenced(script, node.relation).schema)
        _rename_index(script, node, referenced(script, node.relation).schema, node.subname)
    elif kind == "OBJECT_PUBLICATION":
        _rename_publication(script, statement)
    elif kind in _REFUSED:
        construct = f"ALTER {kind.removeprefix('OBJECT_').replace('_', ' ')} … RENAME"
        raise UnsupportedStatement.dumped(construct, place_of(script, statement, node.newname))


def alter_schema(script: Script, statement: Statement) -> None:
    """SET SCHEMA of anything is refused: what else holds its name is not followed."""
    place = place_of(script, statement, statement.node.newschema)
    raise UnsupportedStatement.dumped("SET SCHEMA", place)


def _rename_relation(script: Script, statement: Statement) -> None:
    """ALTER TABLE, VIEW, INDEX, SEQUENCE … RENAME TO: each of them takes any relation."""
    node, drafts = statement.node, script.drafts
    name = referenced(script, node.relation)
    kind = kind_of(drafts, name)
    if kind is None:
        known_table(script, node.relation, missing_ok=node.missing_ok)
        return
    _check_free(script, statement, name.schema)
    new = RelationName(name.schema, node.newname)
    _check_no_code(script, name, place_of(script, statement, node.newname))
    if name in drafts.tables:
        _move_table(drafts, drafts.tables[name], new)
    elif name in drafts.others:
        at = place_of(script, statement, node.newname)
        raise UnsupportedStatement.dumped(f"RENAME of one of the {kind}", at)
    else:
        _rename_index(script, node, name.schema, name.name)


def _move_table(drafts: Drafts, table: DraftTable, name: RelationName) -> None:
    """Gives a table that no code reads another name, also in what holds the old one."""
    old = table.name
    table.name = name
    items = [(name if key == old else key, one) for key, one in drafts.tables.items()]
    drafts.tables.clear()
    drafts.tables.update(items)
    for each in drafts.tables.values():
        if each.partition_of == old:
            each.partition_of = name
        each.inherits = [(name if one == old else one, span) for one, span in each.inherits]
        each.foreign_keys = [
            (replace(key, references=name) if key.references == old else key, span)
            for key, span in each.foreign_keys
        ]
    change_members(drafts, lambda member: name if member == old else member)


def _check_no_code(script: Script, name: RelationName, at: Span) -> None:
    """Raises where views, filters, functions and the like name a relation, or it is a view."""
    drafts = script.drafts
    words = (one.words for one in drafts.code.values())
    view = kind_of(drafts, name) in ("views", "materialized views")
    code = view or any(name.name in one for one in words)
    arrays = {name, RelationName(name.schema, f"_{name.name}")}
    columns = (
        column for table in drafts.tables.values() for column in (table.columns or {}).values()
    )
    rows = any((column.type.schema, column.type.name) in arrays for column in columns)
    members = (entry for owner in _lists(drafts) for entry in owner.tables if entry.name == name)
    word = re.compile(rf"\b{re.escape(name.name)}\b", re.IGNORECASE)
    short = any(member.where is not None and word.search(member.where.text) for member in members)
    if code or rows or short:
        raise UnsupportedStatement.dumped(
            "another name of a relation that code or filters know", at
        )


def _lists(drafts: Drafts) -> Iterator[Publication | ReplicationSet]:
    yield from drafts.publications.values()
    yield from drafts.replication_sets.values()


def _check_free(script: Script, statement: Statement, schema: str) -> None:
    """The new name is no other relation's, which a constraint's index is too."""
    node, drafts = statement.node, script.drafts
    new = RelationName(schema, node.newname)
    if kind_of(drafts, new) is not None:
        if enum_name(node, "rename_type") == "OBJECT_TABCONSTRAINT" and (
            index_holder(drafts, RelationName(schema, node.subname)) is None
        ):
            return
        first = drafts.tables[new].span if new in drafts.tables else None
        raise ALREADY_EXISTS(
            place_of(script, statement, new.name), kind="relation", name=new.name, first=first
        )


def _rename_index(script: Script, node: Node, schema: str, old: str) -> None:
    """An index, or a constraint, which has its index's name."""
    of_constraint = enum_name(node, "rename_type") == "OBJECT_TABCONSTRAINT"
    only = referenced(script, node.relation) if of_constraint else None
    for table in script.drafts.tables.values():
        if table.name.schema != schema or only not in (None, table.name):
            continue
        if old in table.indexes:
            index = table.indexes.pop(old)
            table.indexes[node.newname] = replace(index, name=node.newname)
        if table.identity.index_name == old:
            table.identity = replace(table.identity, index_name=node.newname)
        if of_constraint and old in table.constraints:
            table.constraints[node.newname] = table.constraints.pop(old)
        if of_constraint:
            table.foreign_keys = [
                (replace(key, name=node.newname) if key.name == old else key, span)
                for key, span in table.foreign_keys
            ]


def _rename_publication(script: Script, statement: Statement) -> None:
    node, publications = statement.node, script.drafts.publications
    old, new = node.object.string.sval, node.newname
    if old in script.drafts.broken_publications:
        raise AlreadyTold
    if old not in publications:
        raise Unknown("publication", old, place_of(script, statement, old), publications)
    if new in publications:
        place, first = place_of(script, statement, new), publications[new].span
        raise ALREADY_EXISTS(place, kind="publication", name=new, first=first)
    publications[new] = replace(publications.pop(old), name=new)
