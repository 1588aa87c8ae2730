"""ALTER … RENAME and SET SCHEMA: everything that holds the old name gets the new one.

Example
    `ALTER TABLE t RENAME TO u` takes t's publications along, as PostgreSQL's catalogs do, which
    hold no names but numbers.

PostgreSQL
    alter.c: ExecRenameStmt(), ExecAlterObjectSchemaStmt(); tablecmds.c: renameatt()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from filtersql.catalog import Column
from filtersql.definitions.dependents import references_to
from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.expressions import renamed, unqualified
from filtersql.definitions.model import PublishedTable
from filtersql.definitions.sql_alter_checks import is_inherited
from filtersql.definitions.sql_names import AlreadyTold, Script, known_table, place_of
from filtersql.errors.altering import InheritedColumn, UnknownSchema
from filtersql.errors.definitions import (
    Duplicate,
    DuplicateColumn,
    Unknown,
    UnknownColumn,
)
from filtersql.grammar import Node, Statement, enum_name
from filtersql.names import RelationName

__all__ = ["alter_schema", "rename"]


def rename(script: Script, statement: Statement) -> None:
    """ALTER … RENAME."""
    node = statement.node
    kind = enum_name(node, "rename_type")
    if kind in ("OBJECT_TABLE", "OBJECT_FOREIGN_TABLE", "OBJECT_VIEW"):
        table = known_table(script, node.relation, missing_ok=node.missing_ok)
        move_table(script.drafts, table, RelationName(table.name.schema, node.newname))
    elif kind == "OBJECT_COLUMN":
        if enum_name(node, "relation_type") == "OBJECT_TABLE":
            table = known_table(script, node.relation, missing_ok=node.missing_ok)
            if is_inherited(script, table, node.subname):
                at = place_of(script, statement, node.subname)
                raise InheritedColumn.changed("rename", node.subname, at)
            for each in [table, *script.drafts.below(table.name)]:
                _rename_column(script, statement, each, node.subname, node.newname)
    elif kind in ("OBJECT_TABCONSTRAINT", "OBJECT_INDEX"):
        _rename_index(script, node, kind)
    elif kind in ("OBJECT_PUBLICATION", "OBJECT_SUBSCRIPTION"):
        _rename_entry(script, statement, kind)
    elif kind == "OBJECT_SCHEMA":
        script.drafts.schemas.discard(node.subname)
        script.drafts.schemas.add(node.newname)
        for table in list(script.drafts.tables.values()):
            if table.name.schema == node.subname:
                name = RelationName(node.newname, table.name.name)
                move_table(script.drafts, table, name)
        for publication in list(script.drafts.publications.values()):
            schemas = [node.newname if s == node.subname else s for s in publication.schemas]
            script.drafts.publications[publication.name] = replace(
                publication, schemas=tuple(schemas)
            )


def alter_schema(script: Script, statement: Statement) -> None:
    """ALTER TABLE … SET SCHEMA."""
    node = statement.node
    if enum_name(node, "object_type") in ("OBJECT_TABLE", "OBJECT_FOREIGN_TABLE", "OBJECT_VIEW"):
        table = known_table(script, node.relation, missing_ok=node.missing_ok)
        if not script.drafts.has_schema(node.newschema):
            raise UnknownSchema(node.newschema, place_of(script, statement, node.newschema))
        move_table(script.drafts, table, RelationName(node.newschema, table.name.name))


def move_table(drafts: Drafts, table: DraftTable, name: RelationName) -> None:
    """Gives a table another name, and everything that holds it the new one."""
    old = table.name
    if name in drafts.tables:
        raise Duplicate("relation", name.name, table.span, drafts.tables[name].span)
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
    _rename_in_views(drafts, {old: name}, lambda relation, column: column)
    for publication in list(drafts.publications.values()):
        if any(one.name == old for one in publication.tables):
            tables = [_moved(one, name) if one.name == old else one for one in publication.tables]
            drafts.publications[publication.name] = replace(publication, tables=tuple(tables))
    for one in list(drafts.replication_sets.values()):
        members = [_moved(t, name) if t.name == old else t for t in one.tables]
        left_out = frozenset(name if each == old else each for each in one.not_added)
        drafts.replication_sets[one.name] = replace(one, tables=tuple(members), not_added=left_out)


def _moved(entry: PublishedTable, name: RelationName) -> PublishedTable:
    """A member under its table's new name, which its filter would not find behind the old one."""
    return replace(entry, name=name, where=entry.where and unqualified(entry.where))


def _renamed_entry(entry: PublishedTable, old: str, new: str) -> PublishedTable:
    columns = entry.columns and tuple(new if one == old else one for one in entry.columns)
    return replace(entry, where=entry.where and renamed(entry.where, old, new), columns=columns)


def _rename_column(
    script: Script, statement: Statement, table: DraftTable, old: str, new: str
) -> None:
    span = place_of(script, statement, old)
    columns = table.columns or {}
    if old not in columns:
        raise UnknownColumn(old, span, columns)
    if new in columns:
        raise DuplicateColumn(new, table.name.name, span, columns[new].span)
    _rename_in_members(script.drafts, table.name, old, new)
    _rename_in_views(
        script.drafts,
        {},
        lambda relation, name: new if (relation, name) == (table.name, old) else name,
    )

    def swapped(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name == old else name for name in names)

    table.columns = {
        (new if name == old else name): _renamed_column(column, old, new)
        for name, column in columns.items()
    }
    table.gone.add(old)
    table.primary_key = swapped(table.primary_key)
    table.identity = replace(table.identity, index=swapped(table.identity.index))
    for index in table.indexes.values():
        index.columns = swapped(index.columns)
    table.foreign_keys = [
        (replace(key, columns=swapped(key.columns)), span) for key, span in table.foreign_keys
    ]
    for other, key, _ in [*references_to(script.drafts, table.name)]:
        changed = replace(key, referenced_columns=swapped(key.referenced_columns))
        other.foreign_keys = [
            (changed if one is key else one, span) for one, span in other.foreign_keys
        ]
    if table.partition_by is not None:
        table.partition_by = (table.partition_by[0], swapped(table.partition_by[1]))


def _rename_in_views(
    drafts: Drafts,
    names: Mapping[RelationName, RelationName],
    column: Callable[[RelationName, str], str],
) -> None:
    """What views read, under its new name."""
    views = [*drafts.views.items()]
    drafts.views.clear()
    for name, view in views:
        read = view.query
        query = replace(
            read,
            tables=frozenset(names.get(one, one) for one in read.tables),
            columns=frozenset(
                (names.get(one, one), column(one, each)) for one, each in read.columns
            ),
        )
        drafts.views[names.get(name, name)] = replace(view, query=query)


def _rename_in_members(drafts: Drafts, table: RelationName, old: str, new: str) -> None:
    """PostgreSQL stores numbers of columns: filters and its column lists show the new name."""
    for publication in list(drafts.publications.values()):
        entries = [
            _renamed_entry(one, old, new) if one.name == table else one
            for one in publication.tables
        ]
        drafts.publications[publication.name] = replace(publication, tables=tuple(entries))
    for one in list(drafts.replication_sets.values()):
        # pglogical's column lists hold names: a renamed column is sent no more.
        members = [
            replace(_renamed_entry(t, old, new), columns=t.columns) if t.name == table else t
            for t in one.tables
        ]
        drafts.replication_sets[one.name] = replace(one, tables=tuple(members))


def _renamed_column(column: Column, old: str, new: str) -> Column:
    generation = column.generation and renamed(column.generation, old, new)
    return replace(column, name=new if column.name == old else column.name, generation=generation)


def _rename_index(script: Script, node: Node, kind: str) -> None:
    old = node.subname if kind == "OBJECT_TABCONSTRAINT" else node.relation.relname
    for table in script.drafts.tables.values():
        if table.primary_key_name == old:
            table.primary_key_name = node.newname
        if old in table.indexes:
            index = table.indexes.pop(old)
            index.name = node.newname
            table.indexes[node.newname] = index
        if table.identity.index_name == old:
            table.identity = replace(table.identity, index_name=node.newname)
        if kind == "OBJECT_TABCONSTRAINT" and old in table.constraints:
            table.constraints[node.newname] = table.constraints.pop(old)
        if kind == "OBJECT_TABCONSTRAINT":
            table.foreign_keys = [
                (replace(key, name=node.newname) if key.name == old else key, span)
                for key, span in table.foreign_keys
            ]


def _rename_entry(script: Script, statement: Statement, kind: str) -> None:
    node, drafts = statement.node, script.drafts
    old, new = node.object.string.sval, node.newname
    span = place_of(script, statement, old)
    if kind == "OBJECT_PUBLICATION":
        if old in drafts.broken_publications:
            raise AlreadyTold
        if old not in drafts.publications:
            raise Unknown("publication", old, span, drafts.publications)
        if new in drafts.publications:
            at = place_of(script, statement, new)
            raise Duplicate("publication", new, at, drafts.publications[new].span)
        drafts.publications[new] = replace(drafts.publications.pop(old), name=new)
        return
    if old not in drafts.subscriptions:
        raise Unknown("subscription", old, span, drafts.subscriptions)
    drafts.subscriptions[new] = replace(drafts.subscriptions.pop(old), name=new)
