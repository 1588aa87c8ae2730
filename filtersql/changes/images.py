"""What is known of a column in the old and in the new row of a change.

Example
    ============== ===================== ========================================
    column         old row               new row, where sent as unchanged
    ============== ===================== ========================================
    in the         `before`; the new     the old row's: PostgreSQL logs an
    identity       row's for an UPDATE   out-of-line identity column only there
                   without old row
    other          unknown               unknown: the target keeps its value
    ============== ===================== ========================================

An UPDATE that leaves the identity columns alone is logged without an old row, unless the identity
is FULL; a legal filter reads identity columns only, so the old row matches as the new one does.

PostgreSQL
    pgoutput.c, pgoutput_row_filter() and its comment on unchanged toasted columns;
    heapam.c, ExtractReplicaIdentity().
"""

from __future__ import annotations

from msgspec import Struct

from filtersql.catalog import Column, Table

__all__ = ["Images", "images", "may_be_out_of_line"]

# Types of a fixed length are never stored out of line, so they are never sent as "unchanged".
_FIXED_LENGTH = frozenset(
    "bool int2 int4 int8 float4 float8 date time timetz timestamp timestamptz interval uuid money"
    " oid char name macaddr macaddr8 point line lseg box circle pg_lsn xid cid tid xid8".split()
)


class Images(Struct, frozen=True):
    """The columns that an old row holds, and those that a new row may lack."""

    old: tuple[str, ...]
    #: columns of the old row that a new row may leave out: the old row's value is the new one's
    carried: tuple[str, ...]
    #: columns that no old row holds and a new row may leave out
    may_be_unchanged: tuple[str, ...]
    #: a column that is never NULL in an old row that exists; None where none is certain
    witness: str | None
    #: columns that the old row of a DELETE may hold, and that no filter may see there
    hidden_from_deletes: tuple[str, ...] = ()


def images(
    table: Table,
    published: tuple[Column, ...],
    *,
    logged: tuple[str, ...],
    before_complete: bool,
    key_only: bool = False,
) -> Images:
    """The images of a published table's changes, of which old rows carry the `logged` columns.

    `before_complete`: the feed promises complete old rows, whatever the replica identity.
    `key_only`: the source judges a DELETE by what it logs, however much the feed knows.
    """
    old = tuple(column.name for column in table.columns) if before_complete else logged
    out_of_line = [column.name for column in table.columns if may_be_out_of_line(column)]
    sent = {column.name for column in published}
    return Images(
        old=old,
        carried=tuple(name for name in out_of_line if name in old),
        may_be_unchanged=tuple(name for name in out_of_line if name not in old and name in sent),
        witness=next(filter(table.never_null, old), None),
        hidden_from_deletes=tuple(name for name in old if key_only and name not in logged),
    )


def may_be_out_of_line(column: Column) -> bool:
    """Whether the column's values may be stored out of line, and so be left out of a change."""
    return column.type.name not in _FIXED_LENGTH
