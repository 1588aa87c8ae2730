"""A table as a call adds it to a set: it is judged by what it is then.

Example
    A table without a key cannot be added to a set that replicates updates. One that loses its key
    afterwards stays in the set: `publications.replication_sets` refuses it where it is subscribed.

pglogical
    pglogical_repset.c, replication_set_add_table(); pglogical_functions.c, parse_row_filter()
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from filtersql.catalog import Identity
from filtersql.definitions.catalog_builder import Drafts, DraftTable
from filtersql.definitions.earlier_statements import note
from filtersql.definitions.kinds import kind_of, kind_of_table, system_kind
from filtersql.definitions.model import PublishedTable, ReplicationSet
from filtersql.definitions.set_members import judges, refusals
from filtersql.errors.definitions import UnsupportedStatement
from filtersql.errors.replication_sets import SET_NEEDS_PRIMARY_KEY
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["check_system_schemas", "has_key", "joined"]


def joined(
    drafts: Drafts, replication_set: ReplicationSet, entry: PublishedTable, *, keyless: bool
) -> PublishedTable | None:
    """A member as it is added, now that its table is as it is; None where it is none.

    What is wrong with it is noted. `keyless`: a table without a key is taken, as BDR does.

    A partition whose parent stands in a later file is judged in the end, as YAML's members are.
    What is no table is refused.
    """
    table = drafts.tables.get(entry.name)
    needs_key = judges(replication_set.replicate) and not keyless
    if table is None:
        kind = kind_of(drafts, entry.name) or system_kind(entry.name) or ""
        if kind == "tables" and not needs_key:
            raise UnsupportedStatement("a table of information_schema in a set", entry.span)
        raise next(
            refusals(
                entry, replication_set.name, (), (), kind=kind, unlogged=False, needs_key=needs_key
            )
        )
    if table.unattached or table.columns is None:
        return entry
    # What is wrong with the columns of a member of bdr is that it has some.
    wrong = [
        *refusals(
            replace(entry, columns=None) if keyless else entry,
            replication_set.name,
            _key(table),
            table.columns,
            kind=kind_of_table(table),
            unlogged=table.unlogged,
            needs_key=needs_key,
        )
    ]
    drafts.mistakes += wrong
    if wrong:
        return None
    # pglogical keeps an empty list as none.
    columns = entry.columns if keyless else entry.columns or None
    member = replace(entry, joined=True, columns=columns)
    note(drafts, replace(replication_set, tables=(member,)))
    return member


def check_system_schemas(
    replication_set: ReplicationSet, schemas: Collection[str], span: Span
) -> None:
    """Raises where all tables of information_schema would be added: they have no key."""
    if "information_schema" in schemas and judges(replication_set.replicate):
        raise SET_NEEDS_PRIMARY_KEY(
            span,
            name=RelationName("information_schema", "sql_features"),
            replication_set=replication_set.name,
        )


def has_key(table: DraftTable) -> bool:
    """What updates and deletes need: pglogical knows no identity FULL."""
    return bool(_key(table))


def _key(table: DraftTable) -> tuple[str, ...]:
    match table.identity.kind:
        case Identity.DEFAULT:
            return table.primary_key
        case Identity.INDEX:
            return table.identity.index
        case _:
            return ()
