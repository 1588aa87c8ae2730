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

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import force_setattr

from filtersql.definitions.model import Action, Publication, PublishedTable
from filtersql.definitions.opening import opened
from filtersql.errors import Mistake
from filtersql.names import RelationName
from filtersql.publications.flag import via_partition_root
from filtersql.publications.lineage import Lineage
from filtersql.publications.model import Settings
from filtersql.source import Span

__all__ = ["Membership", "membership"]


class Membership(Struct, frozen=True):
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
    mistakes: tuple[Mistake, ...] = ()
    #: how it holds the tables of its entries
    kind: str = "for table"
    #: whether any entry has a column list, an alias: most have none, and every table asks
    lists_columns: bool = False
    has_aliases: bool = False

    def __post_init__(self) -> None:
        """Looks through the entries once."""
        entries = self.entries.values()
        lists = any(entry.columns is not None for entry in entries)
        force_setattr(self, "lists_columns", lists)
        force_setattr(self, "has_aliases", any(entry.alias for entry in entries))

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
    known = (table for table in publication.tables if table.name in lineage.tables)
    entries, mistakes = opened(known, lambda name: lineage.heirs.get(name, ()))
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
