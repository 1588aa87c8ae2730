"""A draft of a table as the record that everything later asks.

Example
    A unique index that can be no replica identity is left out. A view has columns where the type of
    each of them is known.
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.catalog import Made, Table, UniqueIndex
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.collations import compared, own_collations
from filtersql.definitions.user_defined_overrides import rivals

__all__ = ["frozen", "made"]


def frozen(drafts: Drafts, table: DraftTable) -> Table:
    """The table as it stands now."""
    as_frozen = _frozen(table)
    own = {column.type.schema for column in as_frozen.columns} != {"pg_catalog"}
    if not own and not drafts.collations:
        return as_frozen
    return replace(
        as_frozen, columns=tuple(compared(drafts, column) for column in as_frozen.columns)
    )


def made(drafts: Drafts, path: tuple[str, ...] | None = None) -> Made:
    """What the files make beside relations, as it stands now."""
    return Made(
        types=dict(drafts.types),
        functions=frozenset(drafts.functions),
        collations=own_collations(drafts),
        schemas=frozenset(drafts.schemas)
        | {name.schema for name in (*drafts.tables, *drafts.types, *drafts.functions)},
        path=path,
        rivals=rivals(drafts, ("public",)),
    )


def _frozen(table: DraftTable) -> Table:
    primary = table.primary
    unique = [one for one in table.indexes.values() if one.refusal is None and not one.primary]
    return Table(
        name=table.name,
        columns=tuple((table.columns or {}).values()),
        span=table.span,
        primary_key=table.primary_key,
        primary_key_name=None if primary is None else primary.name,
        primary_key_deferrable=primary is not None and primary.refusal is not None,
        replica_identity=table.identity,
        unique_indexes=tuple(
            UniqueIndex(index.name, index.columns, index.constraint) for index in unique
        ),
        foreign_keys=tuple(key for key, _ in table.foreign_keys),
        partition_by=table.partition_by,
        partition_of=table.partition_of,
        bounds=table.bounds,
        inherits=tuple(name for name, _ in table.inherits),
        unlogged=table.unlogged,
        view=table.view,
        foreign=table.foreign,
        tags=table.tags,
    )
