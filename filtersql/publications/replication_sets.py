"""Which tables a replication set holds: those added to it, and those that it adds by itself.

Example
    ================================= =====================================================
    replication_set_add_table(s, t)   t alone: descendants by INHERITS are not added
    autoadd_tables                    every logged table that is not listed, without filter
    autoadd_tables: {schema: config}  those of one schema
    autoadd_tables := true            those that later statements make
    default, default_insert_only      exist without being made
    ================================= =====================================================

    A partition whose root is in any set, subscribed or not, is replicated through the root's
    memberships only (`partition_root`, routing `root_wins`); with `as_added` the root's
    sends nothing.

pglogical
    pglogical_repset.c, replication_set_add_table(); pglogical.sql, the event trigger of autoadd
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from filtersql.catalog import Identity, Table
from filtersql.definitions import set_members
from filtersql.definitions.model import PublishedTable, ReplicationSet, Subscription
from filtersql.definitions.set_members import judges, misses_key
from filtersql.errors import Mistake, Notice
from filtersql.errors.publications import shown
from filtersql.errors.replication_sets import (
    COLUMNS_RESERVED,
    KEYLESS_MEMBER,
    LIST_MISSES_KEY,
    UNLOGGED_MEMBER,
)
from filtersql.names import RelationName
from filtersql.publications.lineage import Lineage, is_publishable
from filtersql.publications.membership import Membership
from filtersql.publications.model import Settings
from filtersql.publications.refusals import missing_relation
from filtersql.semantics import Semantics

__all__ = ["ignored_partitions", "ignored_roots", "set_membership", "set_refusals", "unusable"]


def set_membership(
    replication_set: ReplicationSet, lineage: Lineage, *, needs_key: bool
) -> Membership:
    """Look a replication set's tables up; those that do not exist are left out.

    `needs_key`: where it replicates updates or deletes, it adds no table without a key by itself.
    """
    entries = {
        entry.name: entry for entry in replication_set.tables if entry.name in lineage.tables
    }
    for name in _added(replication_set, lineage, needs_key):
        entries.setdefault(name, PublishedTable(name, replication_set.span))
    return Membership(
        replication_set.name,
        replication_set.span,
        replication_set.replicate,
        entries,
        via_root=True,
        kind="in replication set",
    )


def set_refusals(
    replication_set: ReplicationSet, lineage: Lineage, settings: Settings
) -> Iterator[Mistake]:
    """What cannot be added to a replication set."""
    for entry in replication_set.tables:
        needs_key = settings.semantics.sets_need_key and judges(replication_set.replicate)
        table, other = lineage.tables.get(entry.name), lineage.others.get(entry.name)
        if table is None and other is not None:
            yield from set_members.refusals(
                entry, replication_set.name, (), (), kind=other, unlogged=False, needs_key=needs_key
            )
        if table is None and other is None:
            yield missing_relation(entry.name, lineage, entry.span)
        if table is None:
            continue
        reserved = entry.columns is not None and settings.semantics.column_lists == "none"
        if reserved:
            yield COLUMNS_RESERVED(entry.span, name=entry.name)
        if entry.joined:
            continue
        yield from set_members.refusals(
            replace(entry, columns=None) if reserved else entry,
            replication_set.name,
            _key(table),
            {column.name for column in table.columns},
            kind=_kind(table),
            unlogged=table.unlogged,
            needs_key=needs_key,
        )


def _kind(table: Table) -> str:
    if table.view:
        return "views"
    return "foreign tables" if table.foreign else "tables"


def unusable(membership: Membership, lineage: Lineage, semantics: Semantics) -> Iterator[Mistake]:
    """What became of a subscribed set's members since calls added them."""
    needs_key = semantics.sets_need_key and judges(membership.actions)
    takes_lists = semantics.column_lists != "none"
    for entry in membership.entries.values():
        table = lineage.tables[entry.name]
        if not entry.joined:
            continue
        if table.unlogged:
            yield UNLOGGED_MEMBER(entry.span, name=entry.name, replication_set=membership.name)
        elif needs_key and not _key(table):
            yield KEYLESS_MEMBER(entry.span, name=entry.name, replication_set=membership.name)
        elif takes_lists and misses_key(entry, _key(table)):
            yield LIST_MISSES_KEY(entry.span, identity=_key(table))


def ignored_partitions(
    subscription: Subscription,
    members: Iterable[Membership],
    roots: Mapping[RelationName, str],
    lineage: Lineage,
) -> Iterator[Notice]:
    """Partitions in subscribed sets that their root's membership silences.

    `roots`: what any set of the project holds, and such a set.
    """
    for member in members:
        for name, entry in member.entries.items():
            above = [ancestor for ancestor in lineage.lineage(name)[1:] if ancestor in roots]
            own = entry.where or entry.columns or member.entries.keys().isdisjoint(above)
            if above and own:
                yield Notice(
                    "partition-membership-ignored",
                    f'the membership of partition "{shown(name)}" in replication set '
                    f'"{member.name}" is ignored',
                    subscription.span,
                    f'"{shown(above[-1])}" is in replication set "{roots[above[-1]]}", and a '
                    "partition replicates by the memberships of its root alone.",
                )


def ignored_roots(
    subscription: Subscription, members: Iterable[Membership], lineage: Lineage
) -> Iterator[Notice]:
    """Partitioned tables in subscribed sets, where only partitions are sent."""
    for member in members:
        for name in member.entries:
            if lineage.tables[name].partition_by is not None:
                yield Notice(
                    "root-membership-ignored",
                    f'the membership of partitioned table "{shown(name)}" in replication set '
                    f'"{member.name}" is ignored',
                    subscription.span,
                    "Each of its partitions replicates by its own memberships alone.",
                )


def _key(table: Table) -> tuple[str, ...]:
    """The key that old rows carry: identity FULL has none, even beside a primary key."""
    full = table.replica_identity.kind is Identity.FULL
    return () if full else table.identity_columns


def _added(
    replication_set: ReplicationSet, lineage: Lineage, needs_key: bool
) -> Iterator[RelationName]:
    """What autoadd takes: tables with a key where the set replicates updates or deletes."""
    wanted = replication_set.autoadd_tables
    needs_key = needs_key and judges(replication_set.replicate)
    for name, table in lineage.tables.items():
        is_wanted = wanted is True or (wanted and name.schema in wanted)
        # A table without a key is not added to a set that needs one.
        if name in replication_set.not_added:
            continue
        if is_wanted and is_publishable(table) and (_key(table) or not needs_key):
            yield name
