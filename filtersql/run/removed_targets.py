"""Targets that no definition names any more, and what becomes of them when they are named again.

Example
    =============================== ========================================================
    a run sees that it is gone      it is reported, its target stays as it is; ledger: left
    a run sees that it came again   it is copied anew, as REFRESH PUBLICATION copies it
    … without `source`, or with
    `copy_data: false`              there is nothing to copy: it goes on from its position
    gone and here between two runs  nobody saw it: it goes on from its position
    gone, its table adopted since   it is another target's: not reported, not dropped
    =============================== ========================================================

PostgreSQL
    subscriptioncmds.c, AlterSubscription_refresh(): a table that the publications lack is removed
    from pg_subscription_rel, and one that is not in there is added to be copied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import INTENDED, SETTLED, Entry, Key
from filtersql.run.model import Options
from filtersql.run.proofs import parts_of, proved_row
from filtersql.targets.model import Engine

__all__ = ["abandoned", "comes_again", "gone", "leaves"]


def gone(
    known: Ledger, subscriptions: Collection[str], defined: Collection[Key] | None
) -> Iterator[Entry]:
    """The newest rows of targets of some subscriptions that are not defined."""
    for entry in known.newest.values() if defined is not None else ():
        if (
            entry.subscription in subscriptions
            and entry.key not in (defined or ())
            and entry.phase != "dropped"
        ):
            yield entry


def abandoned(
    known: Ledger,
    subscriptions: Collection[str],
    defined: Collection[Key] | None,
    mine: Collection[str],
) -> Iterator[Entry]:
    """Of what is gone, that whose table no other target has taken over; `mine` are the project's.

    A table that was renamed is another target of the same table, once `run --adopt` took it.
    """
    live = [entry for entry in known.newest.values() if entry.phase not in ("left", "dropped")]
    ours = {entry.target.casefold() for entry in live if entry.key in (defined or ())}
    theirs = {entry.target.casefold() for entry in live if entry.subscription not in mine}
    for entry in gone(known, subscriptions, defined):
        taken = ours | theirs if entry.subscription in mine else ours
        if entry.target.casefold() not in taken:
            yield entry


def leaves(
    engine: Engine, known: Ledger, subscription: Subscription, options: Options
) -> list[Entry]:
    """Rows that say so of what is gone; an interrupted one is finished first, should it return."""
    found = [
        proved_row(engine, known, entry, parts_of(entry))
        for entry in gone(known, (subscription.name,), options.defined)
        if entry.phase in SETTLED or entry.phase in INTENDED
    ]
    return [replace(entry, phase="left", files=()) for entry in found if entry is not None]


def comes_again(entry: Entry | None, compiled: CompiledTable, subscription: Subscription) -> bool:
    """Whether a target was left by an earlier run, and has something to be copied from."""
    left = entry is not None and entry.phase == "left"
    return left and subscription.source is not None and compiled.copy_data
