"""How the portions of a feed follow each other, one reader for each format: `FORMATS`.

Example
    found = FORMATS["debezium"](cluster, share, parts, tell)
    found.taken, found.chain, found.last

    What comes back are counts, and where each portion begins and ends. None says that something is
    not as usual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from filtersql.feeds import debezium_places, dms_portions
from filtersql.feeds.debezium_ends import spans_of
from filtersql.feeds.debezium_order import last_seqs
from filtersql.feeds.debezium_places import Facts, Placing
from filtersql.feeds.debezium_portions import take_halves, take_placed
from filtersql.feeds.debezium_snapshots import covered, read_before, second_snapshots
from filtersql.feeds.dms import lacks_beginning
from filtersql.feeds.dms_portions import DmsFacts, LoadedPortion, in_order, take_placed_rows
from filtersql.feeds.held import Held, held_by
from filtersql.feeds.judged_portions import Taken, take, write_orders
from filtersql.feeds.landings import Share, lasts_of, newest_of
from filtersql.feeds.placed import ranges
from filtersql.feeds.portions import Portion
from filtersql.feeds.positions import seq_at
from filtersql.feeds.segments import Chain, Segment, chained
from filtersql.feeds.transaction_order import TransactionOrder
from filtersql.feeds.wal2json_events import OpenTransaction
from filtersql.feeds.wal2json_portions import StreamPart, steps, take_stream
from filtersql.names import RelationName
from filtersql.targets.workers import Cluster

__all__ = ["FORMATS", "Spread", "Tell", "chain_of"]

#: the last seq that each file may hold
_Last = Mapping[str, int]
Tell = Callable[[Sequence[Taken]], None]


class Spread(Struct, frozen=True):
    """The portions of a feed, in their order."""

    taken: Sequence[Taken]
    chain: Chain
    last: _Last
    #: whether nothing more belongs to the last transaction
    closed: bool
    #: as in Opened
    held: Mapping[str, tuple[Held, ...]] = {}
    snapshots: Mapping[RelationName, Collection[int]] = {}


def _native(cluster: Cluster, share: Share, parts: Sequence[Portion], tell: Tell) -> Spread | None:
    return _following(share, cluster.answers(partial(take, share), parts, tell), {}, closed=True)


def _wal2json(
    cluster: Cluster, share: Share, parts: Sequence[Portion], tell: Tell
) -> Spread | None:
    every = cluster.answers(steps, parts)
    if every is None:
        return None
    tasks: list[StreamPart] = []
    opened: OpenTransaction | None = None
    last: dict[str, int] = {}
    for part, some in zip(parts, every, strict=True):
        tasks.append(StreamPart(part, opened, part is parts[-1]))
        for step in some:
            if step.breaks(opened):
                return None
            opened = step.behind(opened)
            if opened is not None:
                last[step.file] = seq_at(opened.commit, opened.count)
    taken = cluster.answers(partial(take_stream, share), tasks, tell)
    return _following(share, taken, last, closed=False)


def _following(
    share: Share, taken: Sequence[Taken] | None, last: _Last, *, closed: bool
) -> Spread | None:
    """Portions that follow each other."""
    chain = chain_of(share, taken)
    if taken is None or chain is None:
        return None
    told = ({one.file: one.newest} for each in taken for one in each.segments)
    return Spread(taken, chain, newest_of([last, *told]), closed)


def _debezium(
    cluster: Cluster, share: Share, parts: Sequence[Portion], tell: Tell
) -> Spread | None:
    """Portions whose changes were placed before: they need not follow each other."""
    found = cluster.answers(partial(debezium_places.facts, Placing(share)), parts)
    if found is None or not _usable(found):
        return None
    snapshots = _snapshots(share, found)
    if snapshots is None:
        return None
    reads: Counter[RelationName] = Counter()
    for each in found:
        reads.update(each.reads)
    ends = [number for number, each in enumerate(found) if each.told]
    counts = [each.counts for each in found]
    held = held_by(each.held for each in found)
    places = {file: {one.place for one in some} for file, some in held.items()}
    asked = set[int]().union(*places.values())
    spans = spans_of(lasts_of(share.landings), snapshots, newest_of(each.ordered for each in found))
    doubled = frozenset(covered(reads, share.catalog))
    placing = Placing(share, doubled, ends, counts, asked, spans)
    among = ranges(_spans(found), max((each.beginning for each in found), default=-1))
    placed = cluster.answers(partial(debezium_places.place, placing), among)
    if placed is None or not all(each.usual for each in placed):
        return None
    taken = cluster.answers(partial(take_placed, placing), parts, tell)
    halves = cluster.answers(
        partial(take_halves, placing),
        [some for some, each in zip(among, placed, strict=True) if each.halves],
        tell,
    )
    if taken is None or halves is None:
        return None
    segments = [each.segment for each in placed]
    told = {file for each in found for file in each.told}
    reached = dict(item for each in placed for item in each.ends.items())
    last = last_seqs(places, reached, newest_of(each.numbered for each in found))
    spread = _settled(share, [*taken, *halves], segments, last, closed=not ends)
    held = held_by((each.held for each in found), {p for each in placed for p in each.repeated})
    held = {file: each for file, each in held.items() if file not in told}
    return spread and replace(spread, held=held, snapshots=snapshots)


def _snapshots(
    share: Share, found: Sequence[Facts]
) -> Mapping[RelationName, frozenset[int]] | None:
    """The places of each table's snapshots; None where what they mean hangs on the whole feed."""
    snapshots: dict[RelationName, frozenset[int]] = {}
    firsts: dict[RelationName, int] = {}
    for each in found:
        for table, places in each.snapshots.items():
            snapshots[table] = snapshots.get(table, frozenset()) | places
        for table, place in each.firsts.items():
            firsts[table] = min(place, firsts.get(table, place))
    counted = (place for place, _ in share.counted)
    latest = max((*counted, *(place for some in snapshots.values() for place in some)), default=-1)
    # Changes that were logged before the snapshot have a place behind it.
    early = any(0 <= each.early <= latest for each in found)
    lasts = lasts_of(share.landings)
    again = any(read_before(snapshots, share.counted, share.catalog, lasts))
    second = second_snapshots(snapshots, firsts, lasts)
    return None if early or again or second else snapshots


def _dms(cluster: Cluster, share: Share, parts: Sequence[Portion], tell: Tell) -> Spread | None:
    """Whole files, whose changes were placed before. Rows of the full load come first."""
    found = cluster.answers(partial(dms_portions.facts, share), parts)
    if found is None or not all(each.usual for each in found) or not in_order(found):
        return None
    placed = cluster.answers(partial(dms_portions.place, share), ranges(_spans(found)))
    if placed is None or not all(each.usual for each in placed):
        return None
    tasks: list[LoadedPortion] = []
    before = {table: rows for (at, table), rows in share.counted.items() if not at}
    loaded: Counter[RelationName] = Counter(before)
    for part, each in zip(parts, found, strict=True):
        tasks.append(LoadedPortion(part, dict(loaded), each.count))
        loaded.update(each.loaded)
    ranks = {(0, name): rows for name, rows in loaded.items()}
    if lacks_beginning(ranks, share.counted, lasts_of(share.landings)) is not None:
        return None
    taken = cluster.answers(partial(take_placed_rows, share), tasks, tell)
    if taken is None:
        return None
    segments = [each.segment for each in placed]
    # Which rows of a place were read hangs on it: `run.read_places`.
    last = newest_of(each.lasts for each in taken)
    if new := [name for name, rows in loaded.items() if rows > before.get(name, 0)]:
        end = max(loaded[name] for name in new) - 1
        first = min(before.get(name, 0) for name in new)
        first = first if share.start is None else max(first, share.start + 1)
        if first <= end:
            segments.append(Segment("", first=first, last=end))
            order = TransactionOrder(share.start, follows=False)
            order.lasts.append(end)
            write_orders(share, "loads.parquet", [order])
    spread = _settled(share, taken, segments, last, closed=True)
    return spread and replace(spread, held=held_by(each.held for each in found))


def _spans(found: Sequence[Facts | DmsFacts]) -> Iterator[tuple[int, int, int]]:
    """The portions that have changes with places, and the first and last bucket of each."""
    for portion, one in enumerate(found):
        if one.last >= 0:
            yield portion, one.first, one.last


def _settled(
    share: Share, taken: Sequence[Taken], segments: Sequence[Segment], last: _Last, *, closed: bool
) -> Spread | None:
    """Portions whose changes were placed before."""
    chain = chained(segments, share.start)
    return Spread(taken, chain, last, closed) if chain is not None and _usable(taken) else None


def _usable(found: Sequence[Facts | Taken]) -> bool:
    """Whether all is as usual, and all processes number texts in the same way."""
    return all(each.usual for each in found) and len({each.hashed for each in found}) <= 1


def chain_of(share: Share, taken: Sequence[Taken] | None) -> Chain | None:
    """The portions in their order; None where it is not the usual one."""
    if taken is None or not _usable(taken):
        return None
    return chained((one for each in taken for one in each.segments), share.start)


FORMATS = {"filtersql": _native, "wal2json": _wal2json, "debezium": _debezium, "dms": _dms}
