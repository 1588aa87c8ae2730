"""Whether a publication sends what a project reads: `check_sent(connection, …)`.

What stands elsewhere in a partition tree than in the project, or than it did, is noted before it is
refused: changes that a table brought as a partition are no other ones in the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from filtersql.catalog import Catalog
from filtersql.feeds.positions import last_seq_at
from filtersql.names import RelationName
from filtersql.postgres.capture_folder import Folder
from filtersql.postgres.capture_state import identify_position
from filtersql.postgres.connection import Connection, has_table
from filtersql.postgres.publication import check_publication, held_tables, moved_tables
from filtersql.project import LiveSource
from filtersql.project.captured import captured_trees, in_tree, trees_of

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
    trees = trees_of(catalog, sources)
    left = {
        in_tree(above.name, table)
        for table in frozenset(sources) - joins
        for above in catalog.ancestors(table)
        if above.name not in held.get(table, ()) and has_table(connection, table)
    }
    if left := left | (captured_trees(folder.path) - trees):
        folder.note_left(left, last_seq_at(identify_position(connection)))
    check_publication(connection, source, name, held, catalog, sources, copied, joins)
    folder.write_trees(trees)
    return frozenset(held)
