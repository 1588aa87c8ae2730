"""A table that joins a subscription of which other changes were read before: `check_joining(…)`.

A target that is made has all changes of its table from the feed: `check_lost(…)` refuses one of
which files may be gone that the subscription has read.

Example
    ==== ================================ ===================================================
    seq                                   where the publication sends INSERTs alone
    ==== ================================ ===================================================
    3    the source's rows                what a target would be copied from
    5    a row is deleted                 not sent: the copy would keep a row that is gone
    7    the subscription was read
    8    the table joins                  the source system copies the rows as they are now
    ==== ================================ ===================================================

    Where each change is sent, older rows come to the same, so they are copied and brought forward.
    A subscription that begins does so at its source's rows, and sends what its system would. A
    target whose first copy was broken off had begun, too.

PostgreSQL
    ALTER SUBSCRIPTION … REFRESH PUBLICATION
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.applying import LOST_FILES, OLDER_ROWS
from filtersql.feeds.formats import place_bits
from filtersql.feeds.records import Record, relation_name, relation_of
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.context import TargetRun
from filtersql.run.feed_reading import FeedRead
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import BEGUN

__all__ = ["check_joining", "check_lost"]


def check_joining(
    known: Ledger, subscription: str, feed: FeedRead, targets: Iterable[TargetRun]
) -> None:
    """Raises Mistakes where rows that would be copied are older than changes that are not sent."""
    last = _read_to(known, subscription)
    joining = {one.name: one for one in targets if _joins(one) and _stands(one) < last}
    mistakes = []
    # It is looked for line by line: hardly any publication leaves changes out.
    for _, change in feed.records([]) if joining else ():
        for name, target in list(joining.items()):
            if _stands(target) < change.seq <= last and _is_unsent(change, target.compiled):
                told = OLDER_ROWS(
                    name=name,
                    op=change.op,
                    unsent=change.seq,
                    holds=max(_stands(target), 0),
                    last=last,
                    table=str(target.compiled.relation),
                )
                mistakes.append(told)
                del joining[name]
        if not joining:
            break
    if mistakes:
        raise Mistakes(mistakes)


def check_lost(
    known: Ledger, subscription: Subscription, feed: FeedRead, targets: Iterable[TargetRun]
) -> None:
    """Raises Mistakes where files are gone that may hold changes of a table that joins."""
    seen = known.files.get(subscription.name, {})
    gone = {path: (one[2], one[3]) for path, one in seen.items() if path not in feed.present}
    mistakes = []
    for target in targets if gone else ():
        compiled, standing = target.compiled, target.standing
        if not standing.copy or standing.refilled or not compiled.copy_data:
            continue
        needed = {
            last: path
            for path, (last, held) in gone.items()
            if last > _stands(target)
            and (not held or any(each.table in compiled.sources for each in held))
        }
        if missing := needed.keys() - _there(subscription, feed, needed.keys()):
            last = max(missing)
            mistakes.append(LOST_FILES(name=target.name, path=needed[last], needed=last))
    if mistakes:
        raise Mistakes(mistakes)


def _there(subscription: Subscription, feed: FeedRead, lasts: Collection[int]) -> set[int]:
    """The last changes of files that stand in others now: it was packed, or put together."""
    bits = place_bits(subscription.changes) or 0
    places = {last >> bits: last for last in lasts}
    found = {last for *_, last, _ in feed.files}.intersection(lasts)
    if len(found) < len(places):
        seqs = (change.seq >> bits for _, change in feed.records([]))
        found |= {places[at] for at in seqs if at in places}
    return found


def _joins(target: TargetRun) -> bool:
    standing, compiled = target.standing, target.compiled
    phase = None if standing.entry is None else standing.entry.phase
    fresh = not standing.refilled or phase == "left"
    partly = compiled.definition.partly_sent or compiled.only_from
    leaves = not set(compiled.sources).issubset(compiled.truncated_by)
    return standing.copy and fresh and phase not in BEGUN and bool(partly or leaves)


def _stands(target: TargetRun) -> int:
    return -1 if target.standing.position is None else target.standing.position


def _read_to(known: Ledger, subscription: str) -> int:
    """How far the feed was read for a subscription; -1: it begins now."""
    rows = [entry for entry in known.newest.values() if entry.subscription == subscription]
    own = [entry.position for entry in rows if entry.phase not in BEGUN]
    if not own:
        return -1
    places = [position for position in own if position is not None]
    return max([known.reached.get(subscription, (0, -1))[1], *places])


def _is_unsent(change: Record, compiled: CompiledTable) -> bool:
    """Whether a change of the source may not be published, though a copy holds its row."""
    partly = compiled.definition.partly_sent
    table = relation_of(change)
    if change.op == "truncate":
        named = {table, *map(relation_name, change.relations or ())}
        sent = "truncate" not in partly and not named.isdisjoint(compiled.truncated_by)
        return not sent and not named.isdisjoint({*compiled.sources, *compiled.truncated_by})
    if table not in compiled.sources:
        return False
    return change.op in partly or table not in compiled.only_from.get(change.op, (table,))
