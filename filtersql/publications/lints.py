"""What PostgreSQL accepts and does, and what its users rarely mean: warnings with names.

Example
    ============================ ==============================================================
    leaked-action                a leaf's publication makes its actions unfiltered on the root
    filters-differ-per-action    a row that one filter let in, another never removes
    copy-wider-than-inserts      the copy ignores `publish`, so it takes rows no insert would
    copied-besides-root          PostgreSQL 15 copies a leaf though its changes go to the root
    unlogged-partition           a partition is copied, and no change of it is decoded
    filter-combination-unstated  the system's manual does not say how several filters combine
    partition-routing-unstated   versions of the system differ in what a root in a set sends
    delete-never-sent            deletes are judged by the key alone, the filter reads more
    identity-wider-than-needed   FULL, where the primary key and every filter need less
    subscription-disabled        nothing is sent in the source; a run applies what is recorded
    local-changes-only           a feed does not say which changes came from elsewhere
    ============================ ==============================================================

    Elsewhere: foreign-key-outside (`foreign_keys`), filter-always-true and filter-never-true
    (`filters.check.outcomes`), missing-publication (`index`),
    partition-membership-ignored and root-membership-ignored (`replication_sets`), empty-schema and
    root-filter-ignored (`refusals`), replica-identity (`filters.check.replica_identity`).

PostgreSQL
    logical-replication.sgml, "Row Filters", the warning on the initial data synchronization
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filtersql.definitions.model import Action, Subscription
from filtersql.definitions.windows import filter_text
from filtersql.errors import Notice
from filtersql.errors.publications import shown
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.publications.reasons import leaks, listed

__all__ = ["lints"]


def lints(resolved: ResolvedTable) -> Iterator[Notice]:
    """The warnings of one target."""
    name = shown(resolved.table.name)
    span = resolved.subscription.span
    yield from _unfollowed(resolved.subscription)
    if not resolved.streamed and resolved.table.unlogged:
        yield Notice(
            "unlogged-partition",
            f'table "{name}" is copied, but no change of an unlogged table is decoded',
            span,
            hint=f"ALTER TABLE {resolved.table.name} SET LOGGED has its changes decoded.",
        )
        return
    if not resolved.streamed:
        yield Notice(
            "copied-besides-root",
            f'table "{name}" is copied, but its changes are published as its root',
            span,
            hint="PostgreSQL 16 and later copy the root only.",
        )
        return
    yield from _leaks(resolved, name)
    yield from _unstated(resolved, name)
    texts = {action: _texts(each) for action, each in resolved.filters.items()}
    if len(set(texts.values())) > 1:
        yield Notice(
            "filters-differ-per-action",
            f'the row filters of table "{name}" differ between '
            f"{listed(texts)}, so rows may stay that no filter lets in",
            span,
            hint="An UPDATE is judged by the filters of update alone.",
        )
    # Where a system has publications of snapshots alone, one without actions is meant to be copied.
    snapshot = resolved.semantics.snapshot_views and not texts
    copied = resolved.subscription.copy_data and not snapshot
    if copied and texts.get(Action.INSERT) != _texts(resolved.copy_filters):
        yield Notice(
            "copy-wider-than-inserts",
            f'the initial copy of table "{name}" takes rows that no insert would bring',
            span,
            "The copy takes the rows of every publication's filter, whatever it publishes.",
        )


def _unfollowed(subscription: Subscription) -> Iterator[Notice]:
    """What a server does with a subscription, and a run does not."""
    if not subscription.enabled:
        yield Notice(
            "subscription-disabled",
            f'subscription "{subscription.name}" is disabled, and runs here all the same',
            subscription.span,
            "PostgreSQL sends nothing before ALTER SUBSCRIPTION ... ENABLE.",
        )
    if subscription.local_changes_only:
        yield Notice(
            "local-changes-only",
            f'subscription "{subscription.name}" takes changes without an origin only, and a feed '
            "does not say where its changes came from",
            subscription.span,
            "A run applies every change of the feed.",
            "Record the feed without what the publisher received from other servers.",
        )


def _unstated(resolved: ResolvedTable, name: str) -> Iterator[Notice]:
    if "combine" in resolved.semantics.unstated and len(_texts(resolved.contributions)) > 1:
        yield Notice(
            "filter-combination-unstated",
            f'table "{name}" has several row filters, and the manual of '
            f"{resolved.semantics.name} does not say how they combine",
            resolved.subscription.span,
            "A row is sent if it matches the filter of any set that replicates the action.",
            "Say semantics: {combine: or_per_action} or {combine: and}.",
        )
    if "partition_routing" in resolved.semantics.unstated and resolved.via_partition_root:
        yield Notice(
            "partition-routing-unstated",
            f'partitioned table "{name}" is in a replication set, which versions of '
            f"{resolved.semantics.name} replicate differently",
            resolved.subscription.span,
            "Its membership stands for all of its partitions, as the manual of 3.7 says; 2.4 sends "
            "nothing of it, and each partition by the partition's own memberships.",
            "Say semantics: {partition_routing: root_wins} or {partition_routing: as_added}.",
        )


def _leaks(resolved: ResolvedTable, name: str) -> Iterator[Notice]:
    for leak in leaks(resolved):
        yield Notice(
            "leaked-action",
            f'every {listed(leak.actions)} of table "{name}" is published without any filter',
            resolved.subscription.span,
            f"Only publication {leak.publications} publishes it, for "
            f"{', '.join(map(shown, leak.sources))}; a publication of a higher level gives the "
            "rows their name, and its filters do not count for this action.",
        )


def _texts(contributions: Sequence[Contribution]) -> frozenset[str]:
    return frozenset(filter_text(each.where) for each in contributions if each.where is not None)
