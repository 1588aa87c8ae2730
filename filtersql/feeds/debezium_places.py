"""Where the changes of a large feed of Debezium stand in the order of all: `facts`, `place`.

Example
    1. facts(placing, portion)   what decides the place of each change of a portion, into a file
    2. place(placing, range)     the seqs of all changes between two log positions, in whatever
                                 portions and files they are; for each of the portions into a file

    Both ask debezium_order.Index, as whoever reads the whole feed does. The messages that tell the
    ends of transactions are put into files of their own by 1, and asked for by 2. Where anything is
    unusual, nothing may be used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from filtersql.errors import Mistakes
from filtersql.feeds.debezium_changes import Changes, message, messages_in
from filtersql.feeds.debezium_ends import END, END_TX, Spans, ends_behind, lacks_whole
from filtersql.feeds.debezium_facts import (
    PLACE,
    TX,
    ChangeFacts,
    fact_file,
    read_facts,
    write_facts,
)
from filtersql.feeds.debezium_messages import Event, Status
from filtersql.feeds.debezium_order import Index, is_parted
from filtersql.feeds.held import LastPlaces
from filtersql.feeds.landings import Share, all_needed, lasts_of
from filtersql.feeds.placed import Placed, Places, Range
from filtersql.feeds.places import PlacedMistake
from filtersql.feeds.portions import Portion
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.staged_files import Bound, RowFile, read_rows
from filtersql.names import RelationName

__all__ = ["Facts", "Placing", "facts", "place"]


class Placing(Struct, frozen=True):
    """What every process that reads is told."""

    share: Share
    #: partitioned tables whose rows the snapshot holds a second time, as those of their leaves
    covered: frozenset[RelationName] = frozenset()
    #: the portions that tell ends of transactions, and how many messages each portion's chunks hold
    ends: Sequence[int] = ()
    counts: Sequence[Sequence[int]] = ()
    #: places of which the last seq is asked
    asked: Collection[int] = ()
    #: where a transaction of which nothing is here should be
    spans: Spans = {}

    def changes(self) -> Changes:
        """What makes changes of values."""
        needed = all_needed(self.share.landings)
        return Changes(self.share.feed, self.share.catalog, needed)

    def facts_of(self, portion: int) -> Path:
        """The file for the facts of a portion."""
        return self.share.folder / "facts" / f"{portion}.parquet"

    def ends_of(self, portion: int) -> Path:
        """The file for the ends of transactions that a portion tells."""
        return self.share.folder / "told-ends" / f"{portion}.parquet"


class Facts(Struct, frozen=True):
    """What was found in a portion; `usual` False: nothing of it may be used."""

    usual: bool
    #: rows of the snapshot, by table
    reads: Mapping[RelationName, int] = {}
    #: the first bucket of the log, and the last one
    first: int = -1
    last: int = -1
    #: how many messages each chunk has, and the files that tell where transactions begin or end
    counts: Sequence[int] = ()
    told: Collection[str] = ()
    #: as in Index.files and Index.numbered
    held: LastPlaces = {}
    numbered: Mapping[str, int] = {}
    #: the last bucket of a transaction that follows no commit: its changes have several
    beginning: int = -1
    #: the buckets of each table's snapshots, and the first one of changes that follow no commit
    snapshots: Mapping[RelationName, frozenset[int]] = {}
    early: int = -1
    #: the first bucket of each table
    firsts: Mapping[RelationName, int] = {}
    #: as in Index.ordered
    ordered: Mapping[RelationName, int] = {}
    #: equal in two processes that give a text the same number
    hashed: int = 0


def facts(placing: Placing, portion: Portion) -> Facts:
    """Write what decides the places of a portion's changes into a file."""
    mistakes: list[PlacedMistake] = []
    index, beginning = Index(), -1
    counts: list[int] = []
    rows = fact_file(placing.facts_of(portion.number))
    ends = RowFile.at(placing.ends_of(portion.number), END)
    try:
        for chunk in portion.chunks():
            changes: list[tuple[int, bytes, Event]] = []
            number = begun = sum(counts)
            for (_, _, line), found in messages_in(chunk, mistakes):
                if isinstance(found, Status):
                    index.end(found, chunk.shown)
                    # Where one begins no changes are counted.
                    at = found.bucket if found.status == "END" else -1
                    ends.add(number, found.tx, line, at)
                else:
                    changes.append((number, line, found.event))
                number += 1
            counts.append(number - begun)
            if changes:
                some = ChangeFacts.of(changes)
                write_facts(rows, some)
                index.take(some, chunk.shown, placing.share.catalog)
                beginning = max(beginning, some.beginning)
    except Mistakes:
        return Facts(usual=False)
    finally:
        rows.close(rows_only=True)
        ends.close()
    early = index.take_early()
    firsts = index.facts.firsts()
    return Facts(
        usual=not mistakes,
        reads=dict(index.reads),
        first=min(firsts.values(), default=-1),
        last=max((one.place for some in index.files.values() for one in some.values()), default=-1),
        counts=counts,
        told=index.told,
        held=index.files,
        numbered=index.numbered,
        beginning=beginning,
        snapshots={table: frozenset(some) for table, some in index.snapshots.items()},
        early=early,
        firsts=firsts,
        ordered=index.ordered,
        hashed=hash("facts"),
    )


def place(placing: Placing, among: Range) -> Placed:
    """Write the seqs of the changes of a range, into a file for each portion."""
    places = _placed(placing, among)
    return Placed(usual=False) if places is None else places.settle(placing.share, among)


def _placed(placing: Placing, among: Range) -> Places | None:
    """The places of all changes of a range; None where something is unusual."""
    share = placing.share
    index = Index(share.counted)
    read: dict[int, ChangeFacts] = {}
    for portion in among.portions:
        read[portion] = read_facts(placing.facts_of(portion), among.bounds(PLACE))
        index.take(read[portion], str(portion), share.catalog)
    index.finish()
    lasts = lasts_of(share.landings)
    if index.doubts or index.lacks_beginning(lasts) is not None:
        return None
    places = Places(SLOT_BITS)
    halves: dict[tuple[int, int, RelationName], dict[str, tuple[int, int, int]]] = {}
    for portion, some in read.items():
        seqs = index.seqs[str(portion)].to_pylist()
        every = zip(seqs, some.number, some.place, some.lsn, some.op, some.table, strict=True)
        for seq, number, bucket, lsn, op, table in every:
            if seq < 0:
                places.repeated.add(bucket)
            elif op == "r" and table in placing.covered:
                continue  # its leaves' rows are the same
            elif op not in "dc" or (lsn, table) not in index.halves:
                places.add(seq, bucket, table, (portion, number), op=op)
            else:
                both = halves.setdefault((bucket, lsn, table), {})
                if op in both:
                    return None
                both[op] = (seq, portion, number)
    for (bucket, _, table), both in halves.items():
        if len(both) != 2:
            return None
        (one, *_), (other, *_) = both["d"], both["c"]
        if is_parted(one, other, lasts.get(table, ())):
            return None
        places.add(max(one, other), bucket, table, both["d"][1:], both["c"][1:], op="c")
    places.ends = index.ends(placing.asked)
    if _lacks_whole(placing, among, index) or not _ended(placing, index, places):
        return None
    return places


def _ended(placing: Placing, index: Index, places: Places) -> bool:
    """Place the commits of transactions; False where one is told that is not all there."""
    if not index.newest:
        return True
    share = placing.share
    for portion in placing.ends:
        for number, _, line, _ in read_rows(
            placing.ends_of(portion), [(END_TX, "in", [*index.newest])]
        ):
            status = message(line)
            assert isinstance(status, Status)  # as when it was put there
            last = index.ended(status, -1 if share.start is None else share.start)
            if last is None:
                continue
            if last > share.lowest and any(index.lacking(status, share.catalog)):
                return False
            places.add(last + 1, last >> SLOT_BITS, None, (portion, number), op="commit")
    return True


def _lacks_whole(placing: Placing, among: Range, index: Index) -> bool:
    """Whether nothing is here of a transaction whose place is at or behind an end of the range."""
    if not placing.spans:
        return False
    files = [placing.ends_of(portion) for portion in placing.ends]
    first, stop = among.first if among.number else 0, among.stop
    for before, at, line in ends_behind(files, first, stop):
        status = message(line)
        assert isinstance(status, Status)  # as when it was put there
        if status.tx in index.newest or not any(lacks_whole(status, before, placing.spans)):
            continue
        if stop is None or not _is_between(placing, status.tx, stop, at):
            return True
    return False


def _is_between(placing: Placing, tx: str, first: int, last: int) -> bool:
    """Whether some portion has changes of a transaction at these places."""
    bounds: list[Bound] = [(PLACE, ">=", first), (PLACE, "<=", last), (TX, "=", tx)]
    folder = placing.facts_of(0).parent
    return any(any(read_rows(path, bounds)) for path in folder.glob("*.parquet"))
