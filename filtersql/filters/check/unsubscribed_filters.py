"""Warnings of filters that no subscription uses: what their first subscriber would meet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from filtersql import publications
from filtersql.catalog import Identity
from filtersql.definitions.model import Action, Definitions
from filtersql.errors import Mistake, Mistakes, Notice
from filtersql.errors.publications import as_notice
from filtersql.errors.replication_sets import NEEDS_FULL_IDENTITY
from filtersql.filters.check.replica_identity import FilterOf, check_identity
from filtersql.semantics import Semantics

__all__ = ["check_unsubscribed"]


def check_unsubscribed(
    definitions: Definitions,
    filter_of: FilterOf,
    *,
    semantics: Semantics,
    postgres_version: int = 18,
    default_via_partition_root: bool = False,
    via_partition_root_flag: bool | None = None,
) -> tuple[Notice, ...]:
    """The warnings of filters that no subscription uses; what is refused elsewhere gives none."""
    found: dict[Notice, None] = dict.fromkeys(_not_full_yet(definitions, semantics))
    for subscription in publications.unsubscribed(definitions):
        with suppress(Mistakes, Mistake):
            for resolved in publications.resolve(
                subscription,
                definitions,
                semantics=semantics,
                postgres_version=postgres_version,
                default_via_partition_root=default_via_partition_root,
                via_partition_root_flag=via_partition_root_flag,
                identity_check="run",
            ):
                by_action = {
                    action: tuple(
                        filter_of(part.where, resolved.table, part.publication)
                        for part in parts
                        if part.where is not None
                    )
                    for action, parts in resolved.filters.items()
                }
                notices = check_identity(
                    resolved,
                    by_action,
                    catalog=definitions.catalog,
                    identity_check="run",
                    filter_of=filter_of,
                )
                found |= dict.fromkeys(notices)
    return tuple(found)


def _not_full_yet(definitions: Definitions, semantics: Semantics) -> Iterator[Notice]:
    """Tables whose named rules nobody enables: who does needs REPLICA IDENTITY FULL."""
    enabled = {name for each in definitions.subscriptions.values() for name in each.filters}
    for publication in definitions.publications.values() if semantics.full_identity else ():
        if publication.publish.isdisjoint((Action.UPDATE, Action.DELETE)):
            continue
        for entry in publication.tables:
            table = definitions.catalog.tables.get(entry.name)
            if table is None or not entry.filters or str(entry.name) in enabled:
                continue
            if table.replica_identity.kind is not Identity.FULL and not table.partition_by:
                yield as_notice(
                    "replica-identity", NEEDS_FULL_IDENTITY(table.span, name=entry.name)
                )
