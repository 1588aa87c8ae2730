"""A table that joins a subscription of which other changes were read before: `check_joining(…)`.

A target has all changes of its table from the feed: `check_lost(…)` refuses one that lacks changes
of files which the subscription has read, and which are gone. `check_same_table(…)`: of a lakehouse.

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

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.applying import LOST_FILES, OLDER_ROWS, OTHER_TABLE
from filtersql.feeds.formats import place_bits
from filtersql.feeds.held import Held, Seen
from filtersql.feeds.lake import KEPT_OF_TABLE
from filtersql.feeds.records import Record, relation_name, relation_of
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.context import TargetRun
from filtersql.run.feed_reading import FeedRead
from filtersql.run.ledger import Ledger
from filtersql.run.ledger_entry import BEGUN

__all__ = ["check_joining", "check_lost", "check_same_table"]

#: a table, and a place of its changes; without tables the last change of a file
_Place: TypeAlias = tuple[RelationName | None, int]
#: as in Seen
_File: TypeAlias = tuple[int, int, int, tuple[Held, ...] | None]


def check_joining(
    known: Ledger, subscription: str, feed: FeedRead, targets: Iterable[TargetRun]
) -> None:
    """Raises Mistakes where rows that would be copied are older than changes that are not sent."""
    last = _read_to(known, subscription)
    joining = {one.name: one for one in targets if _joins(one) and one.standing.last < last}
    mistakes = []
    # It is looked for line by line: hardly any publication leaves changes out.
    for _, change in feed.records([]) if joining else ():
        for name, target in list(joining.items()):
            holds = target.standing.last
            if holds < change.seq <= last and _is_unsent(change, target.compiled):
                told = OLDER_ROWS(
                    name=name,
                    op=change.op,
                    unsent=change.seq,
                    holds=max(holds, 0),
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
    """Raises Mistakes where files are gone that may hold changes which a target lacks.

    A file that was put together with others, or packed, is not gone: its changes are looked for in
    the feed. Of a range of messages that lost its first ones, the rest has to go on where a target
    stands.
    """
    seen = known.files.get(subscription.name, {})
    gone = {path: one for path, one in seen.items() if path not in feed.present}
    if not gone:
        return
    changes = subscription.changes
    bits, ranges = place_bits(changes) or 0, changes is not None and changes.column is not None
    # What no target has, such as a transaction that still goes on, is looked for as of other files.
    furthest = _read_to(known, subscription.name) if ranges else -1
    wanted = []
    for target in targets:
        asked = _going_on if ranges and _is_behind(target, furthest) else _held
        wanted += [
            (target, path, one[2], dict(asked(one, target, seen, bits)))
            for path, one in gone.items()
            if _lacks(target, one, bits)
        ]
    places = {place for *_, held in wanted for place in held}
    there = Counter(_found(feed, bits, places)) if places else Counter()
    mistakes = {
        target.name: LOST_FILES(name=target.name, path=path, needed=last)
        for target, path, last, held in wanted
        if any(there[place] < rows for place, rows in held.items())
    }
    if mistakes:
        raise Mistakes(mistakes.values())


def check_same_table(
    known: Ledger, subscription: str, feed: FeedRead, targets: Iterable[TargetRun]
) -> None:
    """Raises Mistakes where a lakehouse table is not the one that was read, or was rolled back.

    Ledgers of earlier versions keep nothing of the table.
    """
    kept = known.files.get(subscription, {}).get(KEPT_OF_TABLE)
    lake = feed.lake
    if kept is None or lake is None or lake.marks is None or kept[0] in lake.marks:
        return
    if any(not one.standing.copy and one.standing.reached is not None for one in targets):
        raise Mistakes([OTHER_TABLE(shown=lake.shown, hint=lake.hint)])


def _found(feed: FeedRead, bits: int, places: Collection[_Place]) -> Iterator[_Place]:
    """The changes of the feed at some places."""
    for _, change in feed.records([]):
        at = change.seq >> bits
        yield from {(relation_of(change), at), (None, at)}.intersection(places)


def _lacks(target: TargetRun, file: _File, bits: int) -> bool:
    """Whether a file reaches beyond what a target holds, or is copied from."""
    standing, (_, _, last, held) = target.standing, file
    left = standing.entry is not None and standing.entry.phase == "left"
    if standing.copy:
        # One that is filled again finds each change that it had.
        return (
            (left or not standing.refilled) and target.compiled.copy_data and last > standing.last
        )
    # As it stood before the run: what is read now may come behind what is gone.
    if standing.newest is None:
        return last > (-1 if target.reached is None else target.reached)
    known = {name: seq >> bits for name, seq in standing.newest.items()}
    return any(each.place > known.get(each.table, each.place) for each in held or ())


def _held(file: _File, target: TargetRun, seen: Seen, bits: int) -> Iterator[tuple[_Place, int]]:
    """The last place of each of a target's tables in a file, and how many changes were there."""
    if not file[3]:
        yield (None, file[2] >> bits), 1
    for one in file[3] or ():
        if one.table in target.compiled.sources:
            same = (each for *_, held in seen.values() for each in held or ())
            rows = (each.rows or 0 for each in same if each[:3] == one[:3])
            yield (one.table, one.place), max(1, sum(rows))


def _is_behind(target: TargetRun, furthest: int) -> bool:
    """Whether others may have read more than a target."""
    return target.standing.copy or (-1 if target.reached is None else target.reached) < furthest


def _going_on(file: _File, target: TargetRun, _: Seen, bits: int) -> Iterator[tuple[_Place, int]]:
    """The place of the last change that a target has of each table of a file; -1: it begins."""
    begins = target.standing.copy
    if not file[3]:
        yield (None, -1 if begins or target.reached is None else target.reached >> bits), 1
    newest = {} if begins else target.standing.newest or {}
    for one in file[3] or ():
        place = newest.get(one.table, -1) >> bits
        if one.table in target.compiled.sources and place < one.place:
            yield (one.table, place), 1


def _joins(target: TargetRun) -> bool:
    standing, compiled = target.standing, target.compiled
    phase = None if standing.entry is None else standing.entry.phase
    fresh = not standing.refilled or phase == "left"
    partly = compiled.definition.partly_sent or compiled.only_from
    leaves = not set(compiled.sources).issubset(compiled.truncated_by)
    return standing.copy and fresh and phase not in BEGUN and bool(partly or leaves)


def _read_to(known: Ledger, subscription: str) -> int:
    """How far the feed was read for a subscription; -1: it begins now."""
    own = [entry.position for entry in known.of(subscription) if entry.phase not in BEGUN]
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
