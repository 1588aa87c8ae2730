"""Which columns find the target's row for a change.

Example
    ================== ============= ==========================
    replica identity   primary key   rows are found by
    ================== ============= ==========================
    DEFAULT            (a, c)        (a, c)
    INDEX (d)          (a, c)        (d)
    FULL               (a, c)        (a, c): the target's own key
    FULL               none          the whole row, NULL = NULL
    NOTHING            any           nothing: inserts only
    ================== ============= ==========================

A change of the key removes the old key's row and adds the new one's.

PostgreSQL
    worker.c, FindReplTupleInLocalRel(); relation.c, FindUsableIndexForReplicaIdentityFull().
"""

from __future__ import annotations

from filtersql.catalog import Identity, Table

__all__ = ["row_key"]


def row_key(table: Table) -> tuple[str, ...]:
    """The key columns; empty where no key finds a row.

    >>> from filtersql.names import RelationName
    >>> from filtersql.source import Source
    >>> row_key(Table(RelationName("public", "t"), (), Source("", "").span(0, 0), ("a", "c")))
    ('a', 'c')
    """
    match table.replica_identity.kind:
        case Identity.INDEX:
            return table.replica_identity.index
        case Identity.NOTHING:
            return ()
        case _:
            return table.primary_key
