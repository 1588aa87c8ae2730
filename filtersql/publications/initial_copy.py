"""What the initial copy takes: the rows of any filter, whatever `publish` says.

Example
    ================================== ==================================
    p1: t WHERE (a > 5), insert only   a > 5 OR b = 1: p2's rows are
    p2: t WHERE (b = 1), delete only   copied though no insert of p2 is
    ================================== ==================================

    PostgreSQL 15 judges each publication alone: a leaf that one of them lists is copied even if
    another publishes its root via root. Since 16 only the root is.

PostgreSQL
    tablesync.c, fetch_remote_table_info(); pg_publication.c, filter_partitions()
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filtersql.definitions.model import Action
from filtersql.names import RelationName
from filtersql.publications.lineage import Lineage
from filtersql.publications.membership import Membership
from filtersql.publications.model import Contribution
from filtersql.publications.partition_root import Listing, Published, listing, published_as
from filtersql.semantics import Semantics

__all__ = ["copied_besides", "copy_filters"]

_JUDGES_ALL_TOGETHER = 16


def copy_filters(
    contributions: Sequence[Contribution], semantics: Semantics
) -> tuple[Contribution, ...]:
    """The filters of the copy; none means every row."""
    if semantics.copy_predicate == "none":
        return ()
    counted = (
        [each for each in contributions if Action.INSERT in each.actions]
        if semantics.copy_predicate == "per_action" and semantics.combine != "and"
        else contributions
    )
    filtered = tuple(each for each in counted if each.where is not None)
    if semantics.unfiltered_cancels and len(filtered) < len(counted):
        return ()
    return filtered


def copied_besides(
    subscribed: Listing,
    streamed: Iterable[RelationName],
    lineage: Lineage,
    postgres_version: int,
) -> tuple[Published, ...]:
    """Relations that are copied though no change is ever sent under their name."""
    if postgres_version >= _JUDGES_ALL_TOGETHER or subscribed.routing != "via_root_topmost":
        return ()
    known = frozenset(streamed)
    publishers: dict[RelationName, list[tuple[Membership, RelationName]]] = {}
    for member in subscribed.members:
        alone = listing([member], "via_root_topmost")
        for name, table in lineage.tables.items():
            published = published_as(name, alone, lineage) if not table.partition_by else None
            if published is not None and published.name not in known:
                publishers.setdefault(published.name, [])
                if published.members[0] not in publishers[published.name]:
                    publishers[published.name] += published.members
    return tuple(Published(name, tuple(by)) for name, by in publishers.items())
