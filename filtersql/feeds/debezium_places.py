"""Where the changes of a large feed of Debezium stand in the order of all: `facts`, `place`.

Example
    1. facts(placing, portion)   what the place of each change of a portion hangs on, into a file
    2. place(placing, range)     the seqs of all changes between two log positions, in whatever
                                 portions and files they are; for each of the portions into a file

    Both ask debezium_order.Index, as whoever reads the whole feed does. The messages that tell the
    ends of transactions are put into files of their own by 1, and asked for by 2. Where anything is
    unusual, nothing may be used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow
from msgspec import Struct

from filtersql.errors import Mistakes
from filtersql.feeds.debezium_changes import Changes, Read, message, messages_in
from filtersql.feeds.debezium_messages import Fact, Status
from filtersql.feeds.debezium_order import Index, is_keyed, is_parted
from filtersql.feeds.held import LastPlaces, take_place
from filtersql.feeds.landings import all_needed, lasts_of
from filtersql.feeds.lines import Chunk, chunks
from filtersql.feeds.placed import Placed, Places, Range
from filtersql.feeds.places import Place
from filtersql.feeds.portions import Portion, Share
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.row_files import RowFile, read_rows
from filtersql.feeds.table_feeds import Found
from filtersql.names import RelationName

__all__ = ["Facts", "Placing", "chunks_of", "facts", "place"]

_NUMBER, _TEXT, _FLAG = pyarrow.int64(), pyarrow.string(), pyarrow.bool_()
_FACT = (*[_NUMBER] * 3, *[_TEXT] * 4, *[_NUMBER] * 3, _FLAG, _FLAG)
_BUCKET = "c1"
_END, _TX = (_NUMBER, _TEXT, pyarrow.binary()), "c1"


class Placing(Struct, frozen=True):
    """What all who read are told."""

    share: Share
    #: partitioned tables whose rows the snapshot holds a second time, as those of their leaves
    covered: frozenset[RelationName] = frozenset()
    #: the portions that tell ends of transactions, and how many messages each portion's chunks hold
    ends: Sequence[int] = ()
    counts: Sequence[Sequence[int]] = ()

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
    """What was found in a portion; `usual` False: nothing that may be used."""

    usual: bool
    #: rows of the snapshot, by table
    reads: Mapping[RelationName, int] = {}
    #: the first bucket of the log, and the last one of each file
    first: int = -1
    newest: Mapping[str, int] = {}
    #: how many messages each chunk has; files that tell where transactions begin or end, and the
    #: last bucket that these name
    counts: Sequence[int] = ()
    ends: Mapping[str, int] = {}
    held: LastPlaces = {}
    #: the last bucket of a transaction that follows no commit: its changes have several
    beginning: int = -1
    #: the buckets of each table's snapshots, and the first one of changes that follow no commit
    snapshots: Mapping[RelationName, frozenset[int]] = {}
    early: int = -1
    #: the first bucket of each table
    firsts: Mapping[RelationName, int] = {}
    #: equal in two processes that give a text the same number
    hashed: int = 0


def facts(placing: Placing, portion: Portion) -> Facts:
    """What the places of a portion's changes hang on, into a file."""
    mistakes: list[Found] = []
    rows = RowFile.at(placing.facts_of(portion.number), _FACT)
    ends = RowFile.at(placing.ends_of(portion.number), _END)
    told, beginning, counts = dict[str, int](), -1, list[int]()
    firsts: dict[RelationName, int] = {}
    snapshots, early = dict[RelationName, frozenset[int]](), -1
    reads: Counter[RelationName] = Counter()
    first, newest = -1, dict[str, int]()
    held: LastPlaces = {}
    try:
        for number, (at, read) in enumerate(_messages(portion, mistakes, counts)):
            if isinstance(read, Status):
                told[at[0]] = max(read.bucket, told.get(at[0], -1))
                ends.add(number, read.tx, at[2])
                continue
            one = read.event.fact(at[2])
            named = (one.relation.schema, one.relation.name)
            rows.add(number, one.bucket, one.lsn, one.op, *named, one.tx, one.order, one.said,
                     one.line, one.timed, one.follows)  # fmt: skip
            reads[one.relation] += one.op == "r"
            firsts[one.relation] = min(one.bucket, firsts.get(one.relation, one.bucket))
            first = one.bucket if first < 0 else min(first, one.bucket)
            newest[at[0]] = max(one.bucket, newest.get(at[0], 0))
            take_place(held, at[0], one.relation, one.bucket, once=one.is_first)
            if one.is_first:
                known = snapshots.get(one.relation, frozenset())
                snapshots[one.relation] = known | {one.bucket}
            elif not one.follows:
                early = one.bucket if early < 0 else min(early, one.bucket)
            if one.order is not None and not read.event.follows:
                beginning = max(beginning, one.bucket)
    except Mistakes:
        return Facts(usual=False)
    finally:
        rows.close()
        ends.close()
    found = (first, newest, counts, told, held, beginning, snapshots, early, firsts)
    return Facts(not mistakes, dict(reads), *found, hash("facts"))


def _messages(
    portion: Portion, mistakes: list[Found], counts: list[int]
) -> Iterator[tuple[Place, Read | Status]]:
    """What concerns rows, of a portion; how much of that each chunk has is counted."""
    for chunk in chunks_of(portion):
        counts.append(0)
        for found in messages_in(chunk, mistakes):
            counts[-1] += 1
            yield found


def place(placing: Placing, among: Range) -> Placed:
    """The seqs of the changes of a range, for each portion into a file."""
    places = _placed(placing, among)
    return Placed(usual=False) if places is None else places.settle(placing.share, among)


def chunks_of(portion: Portion) -> Iterator[Chunk]:
    """The lines of a portion."""
    for piece in portion.pieces:
        yield from chunks(piece.file, piece.start, piece.stop)


def _placed(placing: Placing, among: Range) -> Places | None:
    """The places of all changes of a range; None where something is unusual."""
    index = Index(placing.share.counted)
    every = [
        (portion, number, Fact(bucket, lsn, op, RelationName(schema, name), *rest))
        for portion in among.portions
        for number, bucket, lsn, op, schema, name, *rest in read_rows(
            placing.facts_of(portion), among.bounds(_BUCKET)
        )
    ]
    for portion, number, one in every:
        keyed = is_keyed(placing.share.catalog, one.relation)
        index.add(one, (str(portion), number), keyed=keyed)
    index.finish()
    lasts = lasts_of(placing.share.landings)
    if index.doubts or index.lacks_beginning(lasts) is not None:
        return None
    places = Places(SLOT_BITS)
    seqs = {portion: iter(found.to_pylist()) for portion, found in index.seqs.items()}
    halves: dict[tuple[int, int, RelationName], list[tuple[int, tuple[int, int, Fact]]]] = {}
    for part in every:
        one = part[2]
        seq = next(seqs[str(part[0])])
        if seq < 0:
            places.repeated.add(one.bucket)
        if seq < 0 or (one.op == "r" and one.relation in placing.covered):
            continue  # it was read before
        if index.is_half(one):
            halves.setdefault((one.bucket, one.lsn, one.relation), []).append((seq, part))
        else:
            _add(places, seq, part)
    for both in halves.values():
        parts = {part[2].op: part for _, part in both}
        if len(both) != 2 or len(parts) != 2:
            return None
        (seq, part), (other, _) = both
        if is_parted(seq, other, lasts.get(part[2].relation, ())):
            return None
        _add(places, max(seq for seq, _ in both), parts["d"], parts["c"])
    return places if _ended(placing, among, index, places) else None


def _add(places: Places, seq: int, *parts: tuple[int, int, Fact]) -> None:
    one = parts[-1][2]
    places.add(seq, one.bucket, one.relation, *(part[:2] for part in parts), op=one.op)


def _ended(placing: Placing, among: Range, index: Index, places: Places) -> bool:
    """Place the commits of transactions; False where one is told that is not all there."""
    if not index.newest:
        return True
    share = placing.share
    for portion in placing.ends:
        for number, _, line in read_rows(placing.ends_of(portion), [(_TX, "in", [*index.newest])]):
            status = message(line)
            assert isinstance(status, Status)  # as when it was put there
            last = index.ended(status, -1 if share.start is None else share.start)
            if last is None:
                continue
            if last > share.lowest and any(index.lacking(status, share.catalog)):
                return False
            places.add(last + 1, last >> SLOT_BITS, None, (portion, number), op="commit")
    return True
