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

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake
from filtersql.errors.feeds import (
    INCOMPLETE_TRANSACTION,
    PARTED_KEY_CHANGE,
    REPEATED_ROW,
)
from filtersql.feeds.debezium_changes import Changes, Read, messages
from filtersql.feeds.debezium_messages import Status
from filtersql.feeds.debezium_order import Cursor, Index
from filtersql.feeds.held import Counted
from filtersql.feeds.landings import Lasts, Needed
from filtersql.feeds.lines import FeedFile, line_span
from filtersql.feeds.places import Place
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["Debezium", "covered", "is_keyed", "is_parted", "open_feed"]


class Debezium(Struct, frozen=True):
    """Files of Debezium's values: their order is known, and they are ready to be read."""

    files: Sequence[FeedFile]
    feed: Feed
    catalog: Catalog
    index: Index
    #: how far the feed was read for all targets, and where all of them stand
    lowest: int = -1
    needed: Needed = None
    start: int = -1
    lasts: Lasts = {}
    #: partitioned tables whose rows the snapshot holds a second time, as those of their leaves
    covered: set[RelationName] = field(default_factory=set)

    @property
    def closed(self) -> bool:
        """Whether no message tells where transactions end."""
        return not self.index.ends

    def records(self, mistakes: list[tuple[Place, Mistake]]) -> Iterator[tuple[Place, Record]]:
        """The changes, file by file."""
        halves: dict[tuple[object, ...], tuple[int, Read]] = {}
        cursor = Cursor(self.index)
        changes = Changes(self.feed, self.catalog, self.needed)
        for place, found in self.messages(mistakes):
            if isinstance(found, Status):
                yield from self._end(place, found, mistakes)
                continue
            event = found.event
            seq = cursor.seq(event)
            if place[:2] in self.index.doubts:
                mistakes.append((place, REPEATED_ROW(line_span(*place), table=event.relation)))
            if seq is None or (event.op == "r" and event.relation in self.covered):
                continue  # it was read before
            if not self.index.is_half(event):
                yield from changes.of(place, seq, found, found, mistakes)
                continue
            key = (event.bucket, event.lsn, event.relation)
            if key not in halves:
                halves[key] = (seq, found)
            elif halves[key][1].event.op != event.op:
                first, other = halves.pop(key)
                old, new = (other, found) if event.op == "c" else (found, other)
                if is_parted(first, seq, self.lasts.get(event.relation, ())):
                    mistakes.append(
                        (place, PARTED_KEY_CHANGE(line_span(*place), table=event.relation))
                    )
                yield from changes.of(place, max(first, seq), old, new, mistakes)

    def _end(
        self, place: Place, status: Status, mistakes: list[tuple[Place, Mistake]]
    ) -> Iterator[tuple[Place, Record]]:
        """The commit record of a transaction whose changes are numbered, and are all there."""
        newest = self.index.ended(status, self.start)
        if newest is None:
            return
        # Of one that came late some files may be gone, or passed over.
        counted = self.index.lacking(status, self.catalog) if newest > self.lowest else ()
        for name, found, told in counted:
            span = line_span(*place)
            wrong = INCOMPLETE_TRANSACTION(
                span, tx=status.tx, table=str(name), found=found, told=told
            )
            mistakes.append((place, wrong))
        yield place, Record(newest + 1, "commit", tx=status.tx)

    def messages(
        self, mistakes: list[tuple[Place, Mistake]]
    ) -> Iterator[tuple[Place, Read | Status]]:
        """What concerns rows: changes, and where transactions end."""
        for file in self.files:
            yield from messages(file, mistakes)


def open_feed(
    files: Sequence[FeedFile],
    feed: Feed,
    catalog: Catalog,
    lowest: int,
    needed: Needed,
    start: int,
    lasts: Lasts,
    counted: Counted,
) -> Debezium:
    """Read the files once, for the order of their changes."""
    opened = Debezium(files, feed, catalog, Index(counted), lowest, needed, start, lasts)
    reads: Counter[RelationName] = Counter()
    for place, found in opened.messages([]):
        if isinstance(found, Status):
            opened.index.end(found, place[0])
        else:
            fact = found.event.fact(place[2])
            opened.index.add(fact, place[:2], keyed=is_keyed(catalog, fact.relation))
            reads[fact.relation] += fact.op == "r"
    opened.index.finish()
    opened.covered.update(covered(reads, catalog))
    return opened


def is_parted(one: int, other: int, lasts: Collection[int]) -> bool:
    """Whether a run has read one half of a change of a key, and not the other."""
    return any(min(one, other) <= last < max(one, other) for last in lasts)


def is_keyed(catalog: Catalog, relation: RelationName) -> bool:
    """Whether no two rows of a table can be alike."""
    table = catalog.tables.get(relation)
    return table is None or bool(table.primary_key)


def covered(reads: Mapping[RelationName, int], catalog: Catalog) -> Iterator[RelationName]:
    """The partitioned tables that have as many rows as their leaves: a snapshot is one moment."""
    for name, count in reads.items():
        table = catalog.tables.get(name)
        if table is not None and table.partition_by is not None:
            below = (
                found
                for leaf, found in reads.items()
                if (known := catalog.tables.get(leaf)) is not None
                and known.partition_by is None
                and any(each.name == name for each in catalog.ancestors(leaf))
            )
            if sum(below) == count:
                yield name
