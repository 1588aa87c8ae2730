"""The feed format debezium: values that Debezium's PostgreSQL connector sends, one on a line.

Example
    `changes: {format: debezium, path: "topics/*.jsonl", decimal_handling_mode: string}`

    ========== ==================================================================
    op         becomes
    ========== ==================================================================
    r          read: a row of the snapshot
    c, u, d    a change; d and c of one table at one log position are one UPDATE
    t          truncate; whether a partitioned parent was named is not told
    m          nothing; so are tombstones, heartbeats and schema changes
    ========== ==================================================================

The order is that of commits: `source.sequence` holds the position behind the commit before. Where
transaction metadata come with the changes, a transaction is complete when its END says so.

Debezium
    SourceInfo.java and PostgresChangeRecordEmitter.java of debezium-connector-postgres
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow
from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feeds import (
    FILE_CHANGED,
    INCOMPLETE_TRANSACTION,
    PARTED_KEY_CHANGE,
    REPEATED_ROW,
    SECOND_SNAPSHOT,
)
from filtersql.feeds.arrow_lines import ahead
from filtersql.feeds.blocks import Block, in_blocks
from filtersql.feeds.column_blocks import ColumnBlock
from filtersql.feeds.debezium_changes import Changes, Read, message, messages_in, numbered_chunks
from filtersql.feeds.debezium_columns import ColumnReader, InColumns
from filtersql.feeds.debezium_ends import Ends, spans_of
from filtersql.feeds.debezium_facts import ChangeFacts
from filtersql.feeds.debezium_messages import Status
from filtersql.feeds.debezium_order import Index, is_parted
from filtersql.feeds.debezium_snapshots import covered, second_snapshots
from filtersql.feeds.held import Counted
from filtersql.feeds.landings import (
    Landing,
    Lasts,
    Needed,
    all_needed,
    lasts_of,
    lowest_position,
    lowest_reached,
)
from filtersql.feeds.lines import Chunk, FeedFile, chunks, line_span
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["Debezium", "open_feed"]

_NONE = pyarrow.nulls(0, pyarrow.int64())


class Debezium(Struct, frozen=True):
    """Files of Debezium's values: their order is known, and they are ready to be read."""

    files: Sequence[FeedFile]
    feed: Feed
    catalog: Catalog
    index: Index
    needed: Needed
    #: how far the feed was read for all targets, and where all of them stand
    lowest: int
    start: int
    lasts: Lasts
    #: partitioned tables whose rows the snapshot holds a second time, as those of their leaves
    covered: set[RelationName] = field(default_factory=set)
    #: how many changes each chunk of a file tells, and what the first reading found wrong
    counts: dict[str, list[int]] = field(default_factory=dict)
    unreadable: list[PlacedMistake] = field(default_factory=list)
    #: the places of the ends of transactions, in their order
    ends: list[int] = field(default_factory=list)

    @property
    def closed(self) -> bool:
        """Whether no message tells where transactions end."""
        return not self.index.told

    def records(self, mistakes: list[PlacedMistake]) -> Iterator[tuple[Place, Record]]:
        """The changes, file by file."""
        again = self._again(mistakes)
        for chunk, seqs in self._chunks():
            yield from again.changes_of(chunk, seqs)

    def blocks(self, mistakes: list[PlacedMistake]) -> Iterator[Block | ColumnBlock]:
        """The same some thousand at a time, in columns where they can be read so."""
        again = self._again(mistakes)
        for chunk, seqs, columns in ahead(self._columns()):
            if columns is None:
                yield from in_blocks(again.changes_of(chunk, seqs))
                continue
            yield columns.block
            if columns.apart:
                yield from in_blocks(again.changes_apart(columns.apart))

    def _again(self, mistakes: list[PlacedMistake]) -> _Again:
        ends = Ends(self.ends, spans_of(self.lasts, self.index.snapshots, self.index.ordered))
        return _Again(self, self._changes(), mistakes, self._second(), ends)

    def _second(self) -> Mapping[RelationName, int]:
        """Tables of which a second snapshot was taken, and its place."""
        return second_snapshots(self.index.snapshots, self.index.firsts, self.lasts)

    def _changes(self) -> Changes:
        return Changes(self.feed, self.catalog, self.needed)

    def _chunks(self) -> Iterator[tuple[Chunk, pyarrow.Int64Array]]:
        """The lines, and the seqs of the changes that they tell."""
        for file in self.files:
            seqs, counts = self.index.seqs.get(file.shown, _NONE), self.counts[file.shown]
            for chunk, numbers in numbered_chunks(chunks(file), counts, file.shown):
                yield chunk, seqs[numbers.start : numbers.stop]

    def _columns(self) -> Iterator[tuple[Chunk, pyarrow.Int64Array, InColumns | None]]:
        usual = self.index.is_unique and not (
            self.index.doubts or self.unreadable or self._second()
        )
        halves = {lsn for lsn, _ in self.index.halves}
        reader = ColumnReader(self._changes(), halves, self.covered)
        for chunk, seqs in self._chunks():
            yield chunk, seqs, reader.read(chunk, seqs) if usual else None


class _Again(Struct, frozen=True):
    """The changes as they are read again, one by one."""

    feed: Debezium
    changes: Changes
    mistakes: list[PlacedMistake]
    #: tables of which a second snapshot was taken, and its place; those that were reported
    second: Mapping[RelationName, int]
    ends: Ends
    told: set[RelationName] = field(default_factory=set)
    halves: dict[tuple[object, ...], tuple[int, Read]] = field(default_factory=dict)

    def changes_of(self, chunk: Chunk, seqs: pyarrow.Int64Array) -> Iterator[tuple[Place, Record]]:
        """Those of a chunk."""
        numbers = iter(seqs.to_pylist())
        for place, found in messages_in(chunk, self.mistakes):
            if isinstance(found, Status):
                yield from self._end(place, found)
            elif (seq := next(numbers, None)) is None:
                raise Mistakes([FILE_CHANGED(path=chunk.shown)])
            else:
                yield from self._change(place, found, seq)

    def changes_apart(self, lines: Iterable[tuple[Place, int]]) -> Iterator[tuple[Place, Record]]:
        """Those of some lines, which could be read before, with their seqs."""
        for place, seq in lines:
            found = message(place[2])
            if isinstance(found, Status):
                yield from self._end(place, found)
            elif found is not None:
                yield from self._change(place, found, seq)

    def _change(self, place: Place, found: Read, seq: int) -> Iterator[tuple[Place, Record]]:
        event, index = found.event, self.feed.index
        if event.op == "r" and self.second.get(event.relation) == event.bucket:
            if event.relation not in self.told:
                self.told.add(event.relation)
                wrong = SECOND_SNAPSHOT(line_span(*place), table=event.relation)
                self.mistakes.append((place, wrong))
            return
        if place[:2] in index.doubts:
            self.mistakes.append((place, REPEATED_ROW(line_span(*place), table=event.relation)))
        if seq < 0 or (event.op == "r" and event.relation in self.feed.covered):
            return  # it was read before
        if not index.is_half(event):
            yield from self.changes.of(place, seq, found, found, self.mistakes)
            return
        key = (event.bucket, event.lsn, event.relation)
        if key not in self.halves:
            self.halves[key] = (seq, found)
        elif self.halves[key][1].event.op != event.op:
            first, other = self.halves.pop(key)
            old, new = (other, found) if event.op == "c" else (found, other)
            if is_parted(first, seq, self.feed.lasts.get(event.relation, ())):
                wrong = PARTED_KEY_CHANGE(line_span(*place), table=event.relation)
                self.mistakes.append((place, wrong))
            yield from self.changes.of(place, max(first, seq), old, new, self.mistakes)

    def _end(self, place: Place, status: Status) -> Iterator[tuple[Place, Record]]:
        """The commit record of a transaction whose changes are numbered, and are all there."""
        index = self.feed.index
        newest = index.ended(status, self.feed.start)
        lacking: Iterable[tuple[RelationName, int, int]] = ()
        if newest is not None:
            # Of a transaction that came late some files may be gone, or passed over.
            if newest > self.feed.lowest:
                lacking = index.lacking(status, self.feed.catalog)
        elif status.status == "END" and status.tx not in index.newest:
            lacking = self.ends.missing(status)
        for name, found, told in lacking:
            span = line_span(*place)
            wrong = INCOMPLETE_TRANSACTION(
                span, tx=status.tx, table=str(name), found=found, told=told
            )
            self.mistakes.append((place, wrong))
        if newest is not None:
            yield place, Record(newest + 1, "commit", tx=status.tx)


def open_feed(
    files: Sequence[FeedFile],
    feed: Feed,
    catalog: Catalog,
    landings: Sequence[Landing],
    counted: Counted,
) -> Debezium:
    """Read the files once, for the order of their changes."""
    start, lasts = lowest_position(landings), lasts_of(landings)
    stands = (lowest_reached(landings), -1 if start is None else start, lasts)
    index = Index(counted)
    opened = Debezium(files, feed, catalog, index, all_needed(landings), *stands)
    for file in files:
        counts = opened.counts.setdefault(file.shown, [])
        for chunk in chunks(file):
            changes = []
            for (shown, number, line), found in messages_in(chunk, opened.unreadable):
                if isinstance(found, Status):
                    index.end(found, shown)
                    if found.status == "END":
                        opened.ends.append(found.bucket)
                else:
                    changes.append((number, line, found.event))
            index.take(ChangeFacts.of(changes), file.shown, catalog)
            counts.append(len(changes))
    index.finish()
    opened.ends.sort()
    opened.covered.update(covered(index.reads, catalog))
    return opened
