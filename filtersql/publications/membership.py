"""Which relations a publication holds: tables, heirs, schemas, all tables, all but some.

Example
    =============================== ==========================================================
    FOR TABLE t                     t and its descendants by INHERITS, with the same WHERE
    FOR TABLE ONLY t                t
    FOR TABLE root                  root; its partitions need no entry of their own
    FOR TABLES IN SCHEMA s          every table of s, and partitions elsewhere of a root in s
    FOR ALL TABLES                  every logged table
    FOR ALL TABLES EXCEPT (TABLE t) all but t, its partitions and descendants (PostgreSQL 19)
    =============================== ==========================================================

PostgreSQL
    publicationcmds.c, OpenTableList(); pg_publication.c, GetAllTablesPublicationRelations()
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from filtersql.definitions.model import Action, Publication, PublishedTable
from filtersql.errors import Mistake
from filtersql.errors.publications import ConflictingEntries
from filtersql.names import RelationName
from filtersql.publications.flag import via_partition_root
from filtersql.publications.lineage import Lineage
from filtersql.publications.model import Settings
from filtersql.source import Span

__all__ = ["Membership", "membership"]


@dataclass(frozen=True, slots=True)
class Membership:
    """A publication or replication set, looked up in the catalog."""

    name: str
    span: Span
    actions: frozenset[Action]
    #: as pg_publication_rel has them: `name` is the relation, heirs have entries of their own
    entries: Mapping[RelationName, PublishedTable]
    schemas: frozenset[str] = frozenset()
    all_tables: bool = False
    excepted: frozenset[RelationName] = frozenset()
    via_root: bool = False
    generated_columns: str = "none"
    mistakes: tuple[Mistake, ...] = field(default=(), compare=False)
    #: how it holds the tables of its entries
    kind: str = "for table"

    def lists(self, name: RelationName) -> bool:
        """Whether it holds the relation itself, by an entry or by its schema."""
        return name in self.entries or name.schema in self.schemas

    def reason(self, name: RelationName) -> str:
        """How it holds the relation, in DDL's words."""
        if self.all_tables:
            return "for all tables"
        if name.schema in self.schemas:
            return f"for tables in schema {name.schema}"
        return self.kind


def membership(publication: Publication, lineage: Lineage, settings: Settings) -> Membership:
    """Look a publication's tables up; those that do not exist are left out."""
    entries, mistakes = _entries(publication.tables, lineage)
    excepted = set(publication.except_tables)
    for name in publication.except_tables:
        excepted.update(lineage.heirs.get(name, ()))
    return Membership(
        publication.name,
        publication.span,
        publication.publish,
        entries,
        frozenset(publication.schemas),
        publication.all_tables,
        frozenset(excepted),
        via_partition_root(publication, settings),
        publication.generated_columns,
        tuple(mistakes),
    )


def _entries(
    tables: Iterable[PublishedTable], lineage: Lineage
) -> tuple[dict[RelationName, PublishedTable], list[Mistake]]:
    """Every listed table and its heirs; a table listed twice may have no WHERE or list."""
    entries: dict[RelationName, PublishedTable] = {}
    mistakes: list[Mistake] = []
    for table in tables:
        if table.name not in lineage.tables:
            continue
        if table.name in entries:
            mistakes += _conflict(entries[table.name], table, table.name.name)
            continue
        entries[table.name] = table
        last = table.name.name
        for heir in () if table.only else lineage.heirs.get(table.name, ()):
            if heir in entries:
                # PostgreSQL names the table that it opened last, not the one listed twice.
                mistakes += _conflict(entries[heir], table, last)
                continue
            entries[heir] = replace(table, name=heir, alias=None)
            last = heir.name
    return entries, mistakes


def _conflict(earlier: PublishedTable, later: PublishedTable, name: str) -> Iterator[Mistake]:
    if earlier.where is not None or later.where is not None:
        yield ConflictingEntries("WHERE clauses", name, later.span)
    elif earlier.columns is not None or later.columns is not None:
        yield ConflictingEntries("column lists", name, later.span)
