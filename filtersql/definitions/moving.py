"""A relation's new name, in everything that holds the old one: partitions, keys, views, members.

Example
    After `ALTER TABLE t SET SCHEMA s` the publications of t hold s.t, its partitions are partitions
    of s.t, and views read s.t: PostgreSQL's catalogs hold no names but numbers.

PostgreSQL
    tablecmds.c: AlterTableNamespaceInternal(), RenameRelationInternal()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from filtersql.catalog import Column
from filtersql.definitions.constraints import keep_names
from filtersql.definitions.dependents import OF_DOMAINS
from filtersql.definitions.drafts import Drafts, DraftTable
from filtersql.definitions.expressions import moved, renamed
from filtersql.definitions.kinds import SYSTEM_COLUMNS
from filtersql.definitions.model import PublishedTable
from filtersql.definitions.sql_set_members import renamed_types
from filtersql.definitions.view_queries import ViewQuery
from filtersql.errors.definitions import DuplicateColumn, UnknownColumn
from filtersql.errors.relations import SystemColumn
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "move_other",
    "move_table",
    "rename_function",
    "rename_in_members",
    "rename_in_sets",
    "rename_in_views",
    "rename_output",
    "renamed_column",
    "renamed_in_types",
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
    rename_in_views(drafts, {old: name}, lambda relation, column: column)
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
    rename_in_views(drafts, {old: new}, lambda relation, column: column)


def _moved(entry: PublishedTable, table: DraftTable) -> PublishedTable:
    """A member under its table's new name, which its filter would not find behind the old one."""
    new, columns = table.name, table.columns or ()
    where = entry.where and moved(entry.where, entry.name.name, new.name, columns)
    return replace(entry, name=new, where=where)


def rename_output(drafts: Drafts, view: RelationName, old: str, new: str, span: Span) -> None:
    """A column of a view, which other views may read: there is one, and none of the new name.

    A materialized view has system columns, and of another not every column may be known.
    """
    made = drafts.views[view]
    known, stored = len(made.types) == len(made.query.outputs), view in drafts.others
    if stored and old in SYSTEM_COLUMNS:
        raise SystemColumn("rename", old, span)
    if known and old not in made.query.outputs:
        raise UnknownColumn(old, span, made.query.outputs)
    if stored and new in SYSTEM_COLUMNS:
        raise SystemColumn.named(new, span)
    if known and new in made.query.outputs:
        raise DuplicateColumn(new, view.name, span, None)
    outputs = tuple(new if name == old else name for name in made.query.outputs)
    drafts.views[view] = replace(made, query=replace(made.query, outputs=outputs))
    rename_in_views(drafts, {}, lambda at, name: new if (at, name) == (view, old) else name)


def rename_in_sets(table: DraftTable, old: str, new: str) -> None:
    """What a table knows of its columns: which it has itself, and which count; the old is gone."""
    table.gone.add(old)
    for names in (table.identities, table.local, table.own_nulls):
        if old in names:
            names ^= {old, new}


def rename_in_views(
    drafts: Drafts,
    names: Mapping[RelationName, RelationName],
    column: Callable[[RelationName, str], str],
) -> None:
    """What views, triggers, rules, policies and functions read, under its new name."""

    def renamed_query(read: ViewQuery) -> ViewQuery:
        return replace(
            read,
            tables=frozenset(names.get(one, one) for one in read.tables),
            columns=frozenset(
                (names.get(one, one), column(one, each)) for one, each in read.columns
            ),
        )

    views = [*drafts.views.items()]
    drafts.views.clear()
    for name, view in views:
        drafts.views[names.get(name, name)] = replace(view, query=renamed_query(view.query))
    readers = [*drafts.readers.values()]
    drafts.readers.clear()
    for one in readers:
        of = one.of if one.kind == "function" else names.get(one.of, one.of)
        parts = tuple(renamed_query(part) for part in one.parts)
        label = column(one.of, one.name) if one.kind == "default" else one.name
        drafts.readers[one.kind, of, label] = replace(one, of=of, name=label, parts=parts)
    renamed_in_types(drafts, names)


def renamed_in_types(drafts: Drafts, names: Mapping[RelationName, RelationName]) -> None:
    """The types of functions' arguments, and their arrays, under their new names."""
    arrays = {
        RelationName(old.schema, f"_{old.name}"): RelationName(new.schema, f"_{new.name}")
        for old, new in names.items()
    }
    both = {**names, **arrays}
    for key, one in [*drafts.readers.items()]:
        if one.kind in OF_DOMAINS and one.of in names:
            del drafts.readers[key]
            of = names[one.of]
            drafts.readers[one.kind, of, one.name] = replace(one, of=of)
        elif not one.types.isdisjoint(both):
            types = frozenset(both.get(each, each) for each in one.types)
            drafts.readers[key] = replace(one, types=types)


def rename_function(drafts: Drafts, old: RelationName, new: RelationName, signature: str) -> None:
    """A function's new name, where triggers, views and other functions call it."""
    calls: dict[tuple[str, ...], tuple[str, ...]] = {tuple(old): tuple(new)}
    for name, view in [*drafts.views.items()]:
        called = frozenset(calls.get(one, one) for one in view.query.functions)
        drafts.views[name] = replace(view, query=replace(view.query, functions=called))
    readers = [*drafts.readers.values()]
    drafts.readers.clear()
    for one in readers:
        own = (one.kind, one.of, one.name) == ("function", old, signature)
        parts = tuple(
            replace(part, functions=frozenset(calls.get(each, each) for each in part.functions))
            for part in one.parts
        )
        made = replace(one, of=new if own else one.of, parts=parts)
        drafts.readers[made.kind, made.of, made.name] = made


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
