"""A relation's new name, in everything that holds the old one: partitions, keys, views, members.

Example
    After `ALTER TABLE t SET SCHEMA s` the publications of t hold s.t, its partitions are partitions
    of s.t, and views read s.t: PostgreSQL's catalogs hold no names but numbers.

PostgreSQL
    tablecmds.c: AlterTableNamespaceInternal(), RenameRelationInternal()
"""

from __future__ import annotations

from dataclasses import replace

from filtersql.catalog import Column
from filtersql.definitions.constraints import keep_names
from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.expressions import moved, renamed
from filtersql.definitions.model import PublishedTable
from filtersql.definitions.sql_set_members import renamed_types
from filtersql.names import RelationName

__all__ = [
    "move_code",
    "move_other",
    "move_table",
    "rename_in_members",
    "rename_in_sets",
    "renamed_column",
]


def move_table(drafts: Drafts, table: DraftTable, name: RelationName) -> None:
    """Gives a table another name, and everything that holds it the new one."""
    old = table.name
    keep_names(table)
    table.name = name
    items = [(name if key == old else key, one) for key, one in drafts.tables.items()]
    drafts.tables.clear()
    drafts.tables.update(items)
    for sequence in [one for one in table.sequences if one in drafts.others]:
        if old.schema != name.schema:
            move_other(drafts, sequence, RelationName(name.schema, sequence.name))
    for short, parents in drafts.temporary_heirs.items():
        moved = tuple(name if one == old else one for one in parents)
        drafts.temporary_heirs[short] = moved
    for each in drafts.tables.values():
        if each.partition_of == old:
            each.partition_of = name
        each.inherits = [(name if one == old else one, span) for one, span in each.inherits]
        each.foreign_keys = [
            (replace(key, references=name) if key.references == old else key, span)
            for key, span in each.foreign_keys
        ]
    move_code(drafts, old, name)
    for publication in list(drafts.publications.values()):
        if any(one.name == old for one in publication.tables):
            tables = [_moved(one, table) if one.name == old else one for one in publication.tables]
            drafts.publications[publication.name] = replace(publication, tables=tuple(tables))
    for one in list(drafts.replication_sets.values()):
        members = [_moved(t, table) if t.name == old else t for t in one.tables]
        left_out = frozenset(name if each == old else each for each in one.not_added)
        drafts.replication_sets[one.name] = replace(one, tables=tuple(members), not_added=left_out)


def move_other(drafts: Drafts, old: RelationName, new: RelationName) -> None:
    """Gives a sequence, a materialized view or a composite type another name."""
    drafts.others[new] = drafts.others.pop(old)
    if old in drafts.sequence_members:
        drafts.sequence_members[new] = drafts.sequence_members.pop(old)
    for table in drafts.tables.values():
        if old in table.sequences:
            table.sequences[new] = table.sequences.pop(old)
        for column, drawn in table.drawn.items():
            if old in drawn:
                table.drawn[column] = drawn - {old} | {new}
    if old in drafts.temporary_heirs:
        drafts.temporary_heirs[new] = drafts.temporary_heirs.pop(old)
    if old in drafts.places:
        drafts.places[new] = drafts.places.pop(old)
    move_code(drafts, old, new)


def _moved(entry: PublishedTable, table: DraftTable) -> PublishedTable:
    """A member under its table's new name, which its filter would not find behind the old one."""
    new, columns = table.name, table.columns or ()
    where = entry.where and moved(entry.where, entry.name.name, new.name, columns)
    return replace(entry, name=new, where=where)


def move_code(drafts: Drafts, old: RelationName, new: RelationName) -> None:
    """Views, and the triggers, rules and policies of a relation, under its new name."""
    if old in drafts.views:
        drafts.views[new] = drafts.views.pop(old)
    for (kind, of, name), one in [*drafts.code.items()]:
        if of == old and kind != "function":
            del drafts.code[kind, of, name]
            drafts.code[kind, new, name] = replace(one, of=new)


def rename_in_sets(table: DraftTable, old: str, new: str) -> None:
    """What a table knows of its columns: which it has itself, and which count; the old is gone."""
    table.gone.add(old)
    for names in (table.identities, table.local, table.own_nulls):
        if old in names:
            names ^= {old, new}


def rename_in_members(drafts: Drafts, table: RelationName, old: str, new: str) -> None:
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
            replace(
                _renamed_entry(t, old, new),
                columns=t.columns,
                known_types=renamed_types(t.known_types, old, new),
            )
            if t.name == table
            else t
            for t in one.tables
        ]
        drafts.replication_sets[one.name] = replace(one, tables=tuple(members))


def renamed_column(column: Column, old: str, new: str) -> Column:
    """A column of a table where one has another name."""
    generation = column.generation and renamed(column.generation, old, new)
    return replace(column, name=new if column.name == old else column.name, generation=generation)


def _renamed_entry(entry: PublishedTable, old: str, new: str) -> PublishedTable:
    columns = entry.columns and tuple(new if one == old else one for one in entry.columns)
    return replace(entry, where=entry.where and renamed(entry.where, old, new), columns=columns)
