"""Publications that no subscription uses: what would stop them is a warning.

Example
    p2: t2 (d key, e) WHERE (e = 99), all actions, subscribed by nobody: PostgreSQL accepts it and
    refuses the first UPDATE of t2; filtersql warns.

PostgreSQL
    execReplication.c, CheckCmdReplicaIdentity(): it asks all publications of a table
"""

from __future__ import annotations

from filtersql.definitions.model import Definitions, Subscription
from filtersql.errors import Notice
from filtersql.publications.index import Index
from filtersql.publications.resolve import resolve_with

__all__ = ["unsubscribed", "unsubscribed_notices"]


def unsubscribed(definitions: Definitions) -> tuple[Subscription, ...]:
    """For each publication that nobody subscribes to, a subscription that only checks it."""
    used = {
        name
        for subscription in definitions.subscriptions.values()
        for name, _ in subscription.publications
    }
    return tuple(
        Subscription(name, each.span, publications=((name, each.span),), copy_data=False)
        for name, each in definitions.publications.items()
        if name not in used
    )


def unsubscribed_notices(index: Index) -> tuple[Notice, ...]:
    """The warnings of those publications; mistakes of the definitions were raised before."""
    found: dict[Notice, None] = {}
    for subscription in unsubscribed(index.definitions):
        found |= dict.fromkeys(index.notices[subscription.name])
        for resolved in resolve_with(subscription, index, "run"):
            found |= dict.fromkeys(resolved.notices)
    return tuple(found)
