"""What subscriptions and unit tests name must be there when all files were read.

Example
    A subscription to the replication set `emea`, which no file makes or which a later call drops:
    replication set emea not found.

BDR
    drop_replication_set(), "do not drop a replication set which is being used"
"""

from __future__ import annotations

from filtersql.definitions.drafts import Drafts
from filtersql.definitions.sql_sets import PREDEFINED
from filtersql.errors.definitions import Unknown
from filtersql.errors.replication_sets import SetNotFound

__all__ = ["check_subscriptions"]


def check_subscriptions(drafts: Drafts) -> None:
    """Replication sets and tests; what a missing publication means depends on the version."""
    for subscription in drafts.subscriptions.values():
        sets = {**PREDEFINED, **drafts.replication_sets}
        for name, span in subscription.replication_sets:
            if name not in sets and name not in drafts.broken_publications:
                drafts.mistakes.append(SetNotFound(name, sets, span))
    for name, span in drafts.test_subscriptions:
        if name not in drafts.subscriptions:
            drafts.mistakes.append(Unknown("subscription", name, span, drafts.subscriptions))
