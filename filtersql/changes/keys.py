"""Which columns find the target's row for a change.

Example
    ================== ============= ==========================
    replica identity   primary key   rows are found by
    ================== ============= ==========================
    DEFAULT            (a, c)        (a, c)
    INDEX (d)          (a, c)        (d)
    FULL               (a, c)        (a, c): the target's own key
    FULL               none, or      the whole row, NULL = NULL
                       deferrable
    NOTHING            any           nothing: inserts only
    ================== ============= ==========================

A change of the key removes the old key's row and adds the new one's. Where the whole row is the
key, copies are counted; where nothing finds a row, only inserts can be published.

PostgreSQL
    worker.c, FindReplTupleInLocalRel(); relation.c, FindUsableIndexForReplicaIdentityFull().
"""

from __future__ import annotations

from enum import StrEnum

from filtersql.catalog import Identity, Table

__all__ = ["Form", "row_form", "row_key"]


class Form(StrEnum):
    """How a target's rows are found; macros branch on it."""

    KEYED = "keyed"
    #: keyed, and some columns may be sent as unchanged
    KEYED_UNCHANGED = "keyed_unchanged"
    #: keyed, and an UPDATE of a row that the target lacks is skipped
    KEYED_SKIPPING = "keyed_skipping"
    #: keyed, and the target's row is kept: a change that meets the wrong state is skipped
    KEYED_KEEPING = "keyed_keeping"
    KEYLESS = "keyless"
    #: without key, and an UPDATE of a row that the target lacks is skipped
    KEYLESS_SKIPPING = "keyless_skipping"
    APPEND = "append"


def row_key(
    table: Table, *, unique_keys: bool = False, inserts_only: bool = False
) -> tuple[str, ...]:
    """The key columns; empty where no key finds a row.

    `unique_keys`: without a primary key, those of the first unique constraint or index without
    NULLs. `inserts_only`: what is looked for is the row that an INSERT meets.

    >>> from filtersql.names import RelationName
    >>> from filtersql.source import Source
    >>> row_key(Table(RelationName("public", "t"), (), Source("", "").span(0, 0), ("a", "c")))
    ('a', 'c')
    """
    match table.replica_identity.kind:
        case Identity.INDEX:
            return table.replica_identity.index
        case Identity.NOTHING:
            return table.primary_key if inserts_only else ()
        case _:
            return table.finding_key or (_unique(table) if unique_keys else ())


def _unique(table: Table) -> tuple[str, ...]:
    filled = {column.name for column in table.columns if column.not_null}
    return next((index.columns for index in table.unique_indexes if filled >= {*index.columns}), ())


def row_form(
    table: Table,
    key: tuple[str, ...],
    *,
    keepable: bool,
    inserts_only: bool,
    skips_missing: bool,
    keeps_existing: bool,
) -> Form | None:
    """The form of a table's statements; None where updates or deletes find no row.

    `keepable`: some published column may be sent as unchanged and no old row holds it.
    `skips_missing`: an UPDATE inserts no row.
    `keeps_existing`: no change replaces a row but an UPDATE of that row; without a key no row is
    in the way of another.
    """
    if key and keeps_existing:
        return Form.KEYED_KEEPING
    if key and skips_missing and not inserts_only:
        return Form.KEYED_SKIPPING
    if key:
        return Form.KEYED_UNCHANGED if keepable else Form.KEYED
    if inserts_only:
        return Form.APPEND
    if table.replica_identity.kind is not Identity.FULL:
        return None
    return Form.KEYLESS_SKIPPING if skips_missing or keeps_existing else Form.KEYLESS
