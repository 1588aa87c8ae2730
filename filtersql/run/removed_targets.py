"""Targets that no definition names any more, and what becomes of them when they are named again.

Example
    =============================== ========================================================
    a run sees that it is gone      it is reported, its target stays as it is; ledger: left
    a run sees that it came again   it is copied anew, as REFRESH PUBLICATION copies it
    … without `source`, or with
    `copy_data: false`              there is nothing to copy: it goes on from its position
    gone and here between two runs  nobody saw it: it goes on from its position
    gone, its table adopted since   it is another target's: not reported, not dropped; by another
                                    project, or under an earlier name: reported, not dropped
    =============================== ========================================================

PostgreSQL
    subscriptioncmds.c, AlterSubscription_refresh(): a table that the publications lack is removed
    from pg_subscription_rel, and one that is not in there is added to be copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake
from filtersql.errors.applying import OTHERS_TARGET
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import INTENDED, SETTLED, Entry, Key, key_of
from filtersql.run.model import Options
from filtersql.run.proofs import folded, parts_of, proved_row
from filtersql.targets.model import Engine

__all__ = ["abandoned", "comes_again", "gone", "leaves", "of_others"]


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
    known: Ledger, subscriptions: Collection[str], defined: Collection[Key] | None
) -> Iterator[tuple[Entry, Sequence[Entry]]]:
    """What is gone, unless a defined target took its table over; each with others that have it.

    A table that was renamed is another target of the same table, once `run --adopt` took it.
    """
    found = [*gone(known, subscriptions, defined)]
    holding = _holding(known) if found else {}
    for entry in found:
        others = holding.get(folded(parts_of(entry)), ())
        if not any(other.key in (defined or ()) for other in others):
            yield entry, others


def _holding(known: Ledger, *, left: bool = False) -> Mapping[tuple[str, ...], Sequence[Entry]]:
    """The newest rows of targets by the tables that they have, or had when they were `left`."""
    over = ("dropped",) if left else ("left", "dropped")
    found = defaultdict[tuple[str, ...], list[Entry]](list)
    for entry in known.newest.values():
        if entry.phase not in over:
            found[folded(parts_of(entry))].append(entry)
    return found


def of_others(
    compiled: CompiledTable, known: Ledger, options: Options, *, left: bool = False
) -> list[Mistake]:
    """What is wrong where a target was made for another definition."""
    mine = {subscription for subscription, *_ in options.defined or ()}
    for entry in _holding(known, left=left).get(folded(compiled.target), ()):
        if entry.key != key_of(compiled):
            drop = '"filtersql apply --drop-removed" drops the target'
            return [
                OTHERS_TARGET(
                    name=compiled.unique_id,
                    target=compiled.target_sql,
                    other=f"{entry.subscription}/{entry.relation}",
                    drop=drop if entry.subscription in mine else "drop it",
                )
            ]
    return []


def leaves(
    engine: Engine, known: Ledger, subscription: Subscription, options: Options
) -> list[Entry]:
    """Rows that say `left` of what is gone, but for what is to be finished first if it returns."""
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
