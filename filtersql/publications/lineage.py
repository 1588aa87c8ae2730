"""Who descends from whom: the partition trees and INHERITS, indexed once for all rules.

Example
    root PARTITION BY …; mid PARTITION OF root PARTITION BY …; leaf PARTITION OF mid:
    `ancestors[leaf]` is (mid, root), `leaves[root]` is (leaf,).

PostgreSQL
    partition.c, get_partition_ancestors(); pg_inherits.c, find_all_inheritors()
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.definitions.kinds import CATALOG_SCHEMAS
from filtersql.names import RelationName

__all__ = ["Lineage", "is_publishable"]

_EVERYWHERE = frozenset({"public", "information_schema", *CATALOG_SCHEMAS})


class Lineage(Struct, frozen=True):
    """The families of a catalog's tables."""

    tables: Mapping[RelationName, Table]
    #: the partitioned tables above a partition, nearest first
    ancestors: Mapping[RelationName, tuple[RelationName, ...]]
    #: of a partitioned table: all its leaves; of another: itself
    leaves: Mapping[RelationName, tuple[RelationName, ...]]
    #: descendants by INHERITS, breadth first, without the table itself
    heirs: Mapping[RelationName, tuple[RelationName, ...]]
    schemas: Mapping[str, tuple[RelationName, ...]]
    #: what is no table, by what it is
    others: Mapping[RelationName, str]
    #: schemas that exist, with tables or without
    known_schemas: frozenset[str]

    @classmethod
    def of(cls, catalog: Catalog) -> Lineage:
        """Index a catalog."""
        tables = catalog.tables
        partitions: dict[RelationName, list[RelationName]] = {}
        children: dict[RelationName, list[RelationName]] = {}
        schemas: dict[str, list[RelationName]] = {}
        for name, table in tables.items():
            schemas.setdefault(name.schema, []).append(name)
            if table.partition_of is not None:
                partitions.setdefault(table.partition_of, []).append(name)
            for parent in table.inherits:
                children.setdefault(parent, []).append(name)
        return cls(
            tables,
            {name: _ancestors(name, tables) for name in tables},
            {name: _leaves(table, tables, partitions) for name, table in tables.items()},
            {name: _heirs(name, children) for name in children},
            {schema: tuple(names) for schema, names in schemas.items()},
            catalog.others,
            catalog.schemas | {*schemas} | {name.schema for name in catalog.others},
        )

    def has_schema(self, schema: str) -> bool:
        """Whether statements made it, something is in it, or every database has it."""
        return schema in self.known_schemas or schema in _EVERYWHERE

    def lineage(self, name: RelationName) -> tuple[RelationName, ...]:
        """The table and the partitioned tables above it."""
        return (name, *self.ancestors[name])


def is_publishable(table: Table) -> bool:
    """Whether its changes are decoded at all: a logged table of a user."""
    kept = not (table.unlogged or table.view or table.foreign)
    return kept and table.name.schema not in CATALOG_SCHEMAS


def _ancestors(
    name: RelationName, tables: Mapping[RelationName, Table]
) -> tuple[RelationName, ...]:
    found: list[RelationName] = []
    parent = tables[name].partition_of
    while parent is not None and parent in tables and parent not in found:
        found.append(parent)
        parent = tables[parent].partition_of
    return tuple(found)


def _leaves(
    table: Table,
    tables: Mapping[RelationName, Table],
    partitions: Mapping[RelationName, list[RelationName]],
) -> tuple[RelationName, ...]:
    if table.partition_by is None:
        return (table.name,)
    return tuple(
        leaf
        for partition in partitions.get(table.name, ())
        for leaf in _leaves(tables[partition], tables, partitions)
    )


def _heirs(
    name: RelationName, children: Mapping[RelationName, list[RelationName]]
) -> tuple[RelationName, ...]:
    found: dict[RelationName, None] = {}
    level = [name]
    while level:
        level = [child for parent in level for child in children.get(parent, ())]
        level = [child for child in dict.fromkeys(level) if child not in found]
        found |= dict.fromkeys(level)
    found.pop(name, None)
    return tuple(found)
