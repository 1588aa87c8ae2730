"""What depends on a column, table or view, and what DROP … CASCADE takes along.

Example
    With `CREATE PUBLICATION p FOR TABLE t WHERE (b > 1)`, DROP COLUMN b is refused: publication of
    table t in publication p depends on column b of table t. CASCADE takes t out of p.

PostgreSQL
    dependency.c, performMultipleDeletions(), reportDependentObjects();
    pg_publication.c, publication_add_relation(): recordDependencyOnExpr()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from filtersql.catalog import ForeignKey
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.model import PublishedTable, ReplicationSet
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = [
    "change_members",
    "drop_column",
    "memberships",
    "references_to",
    "remove_table",
    "resting_on",
    "without_not_null",
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
    _remove_sequences(drafts, table, name)
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


def _remove_sequences(drafts: Drafts, table: DraftTable, column: str | None = None) -> None:
    """The sequences of a table that goes, or of one of its columns."""
    for name, of in [*table.sequences.items()]:
        if column in (None, of):
            del table.sequences[name]
            drafts.others.pop(name, None)
            drafts.places.pop(name, None)


def _remove_code(drafts: Drafts, relation: RelationName) -> None:
    """Triggers, rules and policies of a relation that goes."""
    for kind, of, name in [*drafts.code]:
        if of == relation and kind != "function":
            del drafts.code[kind, of, name]


def remove_table(drafts: Drafts, name: RelationName) -> None:
    """DROP TABLE with its partitions, or DROP VIEW; every publication loses it."""
    drafts.others.pop(name, None)
    table = drafts.tables.pop(name, None)
    if table is not None:
        _remove_sequences(drafts, table)
    for child in drafts.children(name):
        remove_table(drafts, child.name)
    _remove_code(drafts, name)
    # One that is made under its name later is another table.
    change_members(drafts, lambda member: None if member == name else member)


def change_members(drafts: Drafts, change: Callable[[RelationName], RelationName | None]) -> None:
    """Gives the tables of publications and sets other names; None takes a table out."""

    def changed(entries: Iterable[PublishedTable]) -> tuple[PublishedTable, ...]:
        named = ((entry, change(entry.name)) for entry in entries)
        return tuple(replace(entry, name=name) for entry, name in named if name is not None)

    for one in [*drafts.publications.values()]:
        drafts.publications[one.name] = replace(one, tables=changed(one.tables))
    for each in [*drafts.replication_sets.values()]:
        not_added = frozenset(filter(None, map(change, each.not_added)))
        drafts.replication_sets[each.name] = replace(
            each, tables=changed(each.tables), not_added=not_added
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
