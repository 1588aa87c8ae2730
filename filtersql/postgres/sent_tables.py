"""Whether a publication sends what a project reads: `check_sent(connection, …)`.

What stands elsewhere in a partition tree than in the project is noted before it is refused: once
the project has taken that over, nothing tells of it any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from filtersql.catalog import Catalog
from filtersql.names import RelationName
from filtersql.postgres.capture_folder import Folder
from filtersql.postgres.capture_state import identify_position
from filtersql.postgres.connection import Connection, has_table
from filtersql.postgres.publication import check_publication, held_tables, moved_tables
from filtersql.project import LiveSource

__all__ = ["check_sent"]


def check_sent(
    connection: Connection,
    source: LiveSource,
    folder: Folder,
    name: str,
    catalog: Catalog,
    sources: Collection[RelationName],
    copied: Collection[RelationName],
    joining: Iterable[RelationName] = (),
) -> frozenset[RelationName]:
    """The tables that the publication sends.

    Raises Mistakes where it lacks some of the `sources` but those that are `joining` it, or sends
    others; what helps names tables whose rows are `copied`.
    """
    held = held_tables(connection, name)
    folder.note_moving(moved_tables(held, catalog).intersection(sources))
    joins = frozenset(joining).difference(held)
    left = [
        (above.name, table)
        for table in sorted(frozenset(sources) - joins)
        for above in catalog.ancestors(table)
        if above.name not in held.get(table, ())
        if table in held or has_table(connection, table)
    ]
    if left:
        folder.note_left(left, identify_position(connection))
    check_publication(connection, source, name, held, catalog, sources, copied, joins)
    return frozenset(held)
