"""Publications that no subscription uses: what would stop them is a warning.

Example
    p2: t2 (d key, e) WHERE (e = 99), all actions, subscribed by nobody: PostgreSQL accepts it and
    refuses the first UPDATE of t2; filtersql warns.

PostgreSQL
    execReplication.c, CheckCmdReplicaIdentity(): it asks all publications of a table
"""

from __future__ import annotations

from filtersql.definitions.model import Definitions, Subscription

__all__ = ["unsubscribed"]


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
