"""A relation's new name, in everything that holds the old one: partitions, keys, members.

Example
    After `ALTER TABLE t SET SCHEMA s` the publications of t hold s.t, and its partitions are
    partitions of s.t: PostgreSQL's catalogs hold no names but numbers.

PostgreSQL
    tablecmds.c: AlterTableNamespaceInternal(), RenameRelationInternal()
"""

from __future__ import annotations

import re
from dataclasses import replace

from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.model import PublishedTable
from filtersql.names import RelationName

__all__ = ["move_other", "move_table"]


def move_table(drafts: Drafts, table: DraftTable, name: RelationName) -> None:
    """Gives a table that no code reads another name, also in what holds the old one."""
    old = table.name
    table.name = name
    items = [(name if key == old else key, one) for key, one in drafts.tables.items()]
    drafts.tables.clear()
    drafts.tables.update(items)
    for sequence in [one for one in table.sequences if one in drafts.others]:
        if old.schema != name.schema:
            move_other(drafts, sequence, RelationName(name.schema, sequence.name))
    for each in drafts.tables.values():
        if each.partition_of == old:
            each.partition_of = name
        each.inherits = [(name if one == old else one, span) for one, span in each.inherits]
        each.foreign_keys = [
            (replace(key, references=name) if key.references == old else key, span)
            for key, span in each.foreign_keys
        ]
    for publication in list(drafts.publications.values()):
        if any(one.name == old for one in publication.tables):
            tables = [_moved(one, old, name) for one in publication.tables]
            drafts.publications[publication.name] = replace(publication, tables=tuple(tables))
    for one in list(drafts.replication_sets.values()):
        members = [_moved(each, old, name) for each in one.tables]
        left_out = frozenset(name if each == old else each for each in one.not_added)
        drafts.replication_sets[one.name] = replace(one, tables=tuple(members), not_added=left_out)


def move_other(drafts: Drafts, old: RelationName, new: RelationName) -> None:
    """Gives a sequence, a materialized view or a composite type another name."""
    drafts.others[new] = drafts.others.pop(old)
    for table in drafts.tables.values():
        if old in table.sequences:
            table.sequences[new] = table.sequences.pop(old)
        for column, text in table.defaults.items():
            word = rf"\b{re.escape(old.name)}\b"
            table.defaults[column] = re.sub(word, lambda _: new.name, text)
    if old in drafts.places:
        drafts.places[new] = drafts.places.pop(old)


def _moved(entry: PublishedTable, old: RelationName, new: RelationName) -> PublishedTable:
    """A member; its filter does not name the table."""
    return replace(entry, name=new) if entry.name == old else entry
