"""What depends on a column, table or view, and what DROP … CASCADE takes along.

Example
    With `CREATE PUBLICATION p FOR TABLE t WHERE (b > 1)`, DROP COLUMN b is refused: publication of
    table t in publication p depends on column b of table t. CASCADE takes t out of p.

PostgreSQL
    dependency.c, performMultipleDeletions(), reportDependentObjects();
    pg_publication.c, publication_add_relation(): recordDependencyOnExpr()
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from filtersql.catalog import ForeignKey, Generated
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.expressions import columns_named
from filtersql.definitions.model import PublishedTable, ReplicationSet
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "drawing",
    "drop_column",
    "drop_sequence",
    "generated_from",
    "memberships",
    "publications_reading",
    "references_to",
    "remove_sequences",
    "remove_table",
    "remove_view",
    "resting_on",
    "without_not_null",
]


def publications_reading(
    drafts: Drafts, table: DraftTable, column: str
) -> Iterator[tuple[str, PublishedTable]]:
    """The publications whose filter or column list names a column, in the order of their making."""
    for publication in drafts.publications.values():
        for entry in publication.tables:
            if entry.name == table.name and column in entry_columns(entry, table):
                yield publication.name, entry


def entry_columns(entry: PublishedTable, table: DraftTable) -> frozenset[str]:
    """The columns that a filter and a column list depend on: virtual ones by what makes them."""
    found = frozenset(entry.columns or ())
    for name in columns_named(entry.where) if entry.where is not None else ():
        column = (table.columns or {}).get(name)
        if column is not None and column.generated is Generated.VIRTUAL and column.generation:
            found |= columns_named(column.generation)
        else:
            found |= {name}
    return found


def generated_from(table: DraftTable, column: str) -> list[str]:
    """The generated columns whose expression names a column."""
    return [
        one.name
        for one in (table.columns or {}).values()
        if one.generation is not None and column in columns_named(one.generation)
    ]


def memberships(
    drafts: Drafts, table: RelationName
) -> Iterator[tuple[ReplicationSet, PublishedTable]]:
    """The sets that hold a table, and how."""
    for one in drafts.replication_sets.values():
        for entry in one.tables:
            if entry.name == table:
                yield one, entry


def drop_column(drafts: Drafts, table: DraftTable, name: str) -> None:
    """Removes a column, which nothing else reads, with the keys and indexes that hold it."""
    assert table.columns is not None
    remove_sequences(drafts, table, name)
    table.defaults.pop(name, None)
    table.identities.discard(name)
    table.constraints = without_not_null(table, name)
    del table.columns[name]
    table.gone.add(name)
    for index in [one for one in table.indexes.values() if name in one.columns]:
        del table.indexes[index.name]
    table.foreign_keys = [one for one in table.foreign_keys if name not in one[0].columns]
    if name in table.identity.index:
        table.identity = replace(table.identity, index=())


def without_not_null(table: DraftTable, column: str) -> dict[str, str | None]:
    """The constraints of a table where a column is nullable, or gone."""
    return {name: of for name, of in table.constraints.items() if of != column}


def remove_sequences(drafts: Drafts, table: DraftTable, column: str | None = None) -> None:
    """The sequences of a table that goes, or of one of its columns."""
    for name, of in [*table.sequences.items()]:
        if column in (None, of):
            del table.sequences[name]
            drop_sequence(drafts, name)


def drop_sequence(drafts: Drafts, name: RelationName) -> None:
    """DROP SEQUENCE, from which nothing draws."""
    drafts.others.pop(name, None)
    drafts.places.pop(name, None)


def drawing(drafts: Drafts, sequence: RelationName) -> Iterator[tuple[DraftTable, str]]:
    """The columns whose defaults name a sequence."""
    named = re.compile(rf"\b{re.escape(sequence.name)}\b")
    for table in drafts.tables.values():
        for column, text in table.defaults.items():
            if named.search(text):
                yield table, column


def remove_view(drafts: Drafts, name: RelationName) -> None:
    """DROP VIEW, which nothing reads."""
    drafts.views.pop(name, None)
    drafts.tables.pop(name, None)
    drafts.others.pop(name, None)
    remove_code(drafts, name)


def remove_code(drafts: Drafts, relation: RelationName) -> None:
    """Triggers, rules and policies of a relation that goes."""
    for kind, of, name in [*drafts.code]:
        if of == relation and kind != "function":
            del drafts.code[kind, of, name]


def remove_table(drafts: Drafts, name: RelationName) -> None:
    """DROP TABLE with its partitions, and every publication loses it."""
    table = drafts.tables.pop(name, None)
    if table is not None:
        remove_sequences(drafts, table)
    for child in drafts.children(name):
        remove_table(drafts, child.name)
    remove_code(drafts, name)
    for one in [*drafts.publications.values()]:
        kept = tuple(entry for entry in one.tables if entry.name != name)
        drafts.publications[one.name] = replace(one, tables=kept)
    for each in [*drafts.replication_sets.values()]:
        # One that is made under its name later is another table.
        left = tuple(entry for entry in each.tables if entry.name != name)
        drafts.replication_sets[each.name] = replace(
            each, tables=left, not_added=each.not_added - {name}
        )


def resting_on(
    drafts: Drafts, table: DraftTable, index: str
) -> Iterator[tuple[DraftTable, ForeignKey, Span]]:
    """The foreign keys that a unique index of a table serves, its own too."""
    if index not in table.indexes:
        return
    unique = [one for one in table.indexes.values() if one.primary or not one.refusal]
    unique.sort(key=lambda one: not one.primary)
    for other in drafts.tables.values():
        for key, span in other.foreign_keys:
            if key.references == table.name:
                columns = {*(key.referenced_columns or table.primary_key)}
                serving = (one.name for one in unique if {*one.columns} == columns)
                if next(serving, None) == index:
                    yield other, key, span


def references_to(
    drafts: Drafts, table: RelationName
) -> Iterator[tuple[DraftTable, ForeignKey, Span]]:
    """The foreign keys of other tables that point to one."""
    for other in drafts.tables.values():
        for key, span in other.foreign_keys:
            if key.references == table and other.name != table:
                yield other, key, span
