"""Where each of Debezium's changes stands in the order of all: `Index`.

Example
    ======================= ========== =====================================
    source.sequence         lsn        seq
    ======================= ========== =====================================
    [null,"880"]            880        snapshot: its rows, right before 880
    ["1040","1040"]         1040       the first behind the commit at 1040
    ["1040","1100"]         1100       the second
    ======================= ========== =====================================

A transaction stands at the commit before it; inside, the changes of each table are in the
order of their log positions, or of `transaction.total_order` where that is sent.
So neither the order of files nor a change that is sent twice matters, and what is read of one table
gives no number to the changes of another. Two changes share a position where a key changes (d and
c), a TRUNCATE names several tables, or COPY wrote them; only in a table without key can such two be
alike, and then they look like one that is sent twice: that is refused.

Debezium
    SourceInfo.java, sequence(); WalPositionLocator.java; TransactionContext.java
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.feeds.debezium_messages import Event, Fact, Status
from filtersql.feeds.held import Counted, Held, LastPlaces, held_by, take_place
from filtersql.feeds.landings import Lasts
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.records import relation_name
from filtersql.names import RelationName

__all__ = ["Cursor", "Index"]


class _Group(Struct):
    """The changes at one place that have no number, in the order in which they were read."""

    #: the table; whether it is no row of the snapshot; the log position
    keys: list[tuple[RelationName, bool, int]] = field(default_factory=list)
    repeated: set[int] = field(default_factory=set)
    contents: set[tuple[int, int]] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    ranks: array[int] = field(default_factory=lambda: array("q"))
    #: how many of each table have a rank
    counts: dict[RelationName, int] = field(default_factory=dict)


class Index(Struct, frozen=True):
    """All changes of a feed: `add` each, `finish`, then ask a `Cursor` as they are read again.

    `counted` are changes of files that are not read again.
    """

    counted: Counted = field(default_factory=dict)
    groups: dict[int, _Group] = field(default_factory=dict)
    #: positions at which a table has a d, and those at which it has a c
    deleted: set[tuple[int, int, RelationName]] = field(default_factory=set)
    created: set[tuple[int, int, RelationName]] = field(default_factory=set)
    #: the last seq of each transaction whose changes are numbered
    newest: dict[str, int] = field(default_factory=dict)
    counts: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    #: the last message of each transaction of which one tells where it begins or ends
    ends: dict[str, Status] = field(default_factory=dict)
    #: lines that may be another's repetition or a change of their own
    doubts: set[tuple[str, int]] = field(default_factory=set)
    #: the last place of each file and table
    files: LastPlaces = field(default_factory=dict)
    numbered: dict[str, int] = field(default_factory=dict)
    #: the last place of each table at which its changes are numbered
    ordered: dict[RelationName, int] = field(default_factory=dict)
    #: files that tell where transactions begin or end
    told: set[str] = field(default_factory=set)

    def add(self, fact: Fact, place: tuple[str, int], *, keyed: bool) -> None:
        """Take a change of a file and line. `keyed`: no two rows of its table can be alike."""
        at = (fact.bucket, fact.lsn, fact.relation)
        take_place(self.files, place[0], fact.relation, fact.bucket, once=fact.op == "r")
        if fact.op == "d":
            self.deleted.add(at)
        elif fact.op == "c":
            self.created.add(at)
        if fact.order is not None:
            self._number(fact, place, fact.order)
            return
        group = self.groups.setdefault(fact.bucket, _Group())
        content = (fact.lsn, fact.said)
        if content in group.contents and (keyed or (fact.line in group.lines and fact.timed)):
            group.repeated.add(len(group.keys))
        elif content in group.contents and (fact.op != "r" or fact.line in group.lines):
            self.doubts.add(place)
        group.contents.add(content)
        group.lines.add(fact.line)
        group.keys.append((fact.relation, fact.op != "r", fact.lsn))

    def end(self, status: Status, shown: str) -> None:
        """Take a message of a file that tells where a transaction begins or ends."""
        self.ends[status.tx] = status
        self.told.add(shown)
        # Changes that it counts may land later: until then it has to be read again.
        seq = (status.bucket + 1 << SLOT_BITS) - 1
        self.numbered[shown] = max(seq, self.numbered.get(shown, -1))

    def _number(self, fact: Fact, place: tuple[str, int], order: int) -> None:
        seq = (fact.bucket << SLOT_BITS) + order - 1
        self.numbered[place[0]] = max(seq, self.numbered.get(place[0], -1))
        self.ordered[fact.relation] = max(fact.bucket, self.ordered.get(fact.relation, -1))
        if fact.tx is not None:
            self.newest[fact.tx] = max(seq, self.newest.get(fact.tx, -1))
            name = f"{fact.relation.schema}.{fact.relation.name}"
            self.counts.setdefault((fact.tx, name), set()).add(seq)

    def finish(self) -> None:
        """All changes were added."""
        for at, group in self.groups.items():
            group.ranks = array("q", bytes(8 * len(group.keys)))
            kept = (number for number in range(len(group.keys)) if number not in group.repeated)
            for number in sorted(kept, key=group.keys.__getitem__):
                table = group.keys[number][0]
                rank = group.counts.get(table, self.counted.get((at, table), 0))
                group.ranks[number], group.counts[table] = rank, rank + 1

    def ended(self, status: Status, start: int) -> int | None:
        """The last seq of a transaction that ends; None where it has none behind the start."""
        newest = self.newest.get(status.tx) if status.status == "END" else None
        return None if newest is None or newest <= start else newest

    def lacking(self, status: Status, catalog: Catalog) -> Iterator[tuple[RelationName, int, int]]:
        """Tables of which other changes are here than the end counts: how many, and the count."""
        for each in status.data_collections or []:
            name = relation_name(each.data_collection)
            here = len(self.counts.get((status.tx, each.data_collection), ()))
            if name is not None and name in catalog.tables and here != each.event_count:
                yield name, here, each.event_count

    def is_half(self, event: Event | Fact) -> bool:
        """Whether a d or c is one half of an UPDATE that changed the key."""
        if event.op not in ("d", "c"):
            return False
        at = (event.bucket, event.lsn, event.relation)
        return at in self.deleted and at in self.created

    def last(self) -> dict[str, int]:
        """The last seq of each file, of its last transaction's whole length."""
        found = dict(self.numbered)
        for name, tables in self.files.items():
            for place in {last.place for last in tables.values()} & self.groups.keys():
                end = (place << SLOT_BITS) + max(self.groups[place].ranks)
                found[name] = max(end, found.get(name, -1))
        return found

    def held(self) -> dict[str, tuple[Held, ...]]:
        """What files hold that tell no ends of transactions."""
        repeated = [place for place, group in self.groups.items() if group.repeated]
        told = {name: tables for name, tables in self.files.items() if name not in self.told}
        return held_by([told], repeated)

    def lacks_beginning(self, lasts: Lasts) -> int | None:
        """The last change of a table whose place goes on, while its beginning was not read."""
        for table, seqs in lasts.items():
            for seq in seqs:
                place, slot = divmod(seq, 1 << SLOT_BITS)
                counts = self.groups[place].counts if place in self.groups else {}
                # Where its numbers are sent, or all was read, there is nothing to count.
                counted = self.ordered.get(table) != place and slot < (1 << SLOT_BITS) - 1
                if counted and 0 < counts.get(table, 0) <= slot:
                    return seq
        return None


class Cursor(Struct, frozen=True):
    """Gives the seqs of changes as they are read again, in the same order."""

    index: Index
    read: dict[int, int] = field(default_factory=dict)

    def seq(self, event: Event | Fact) -> int | None:
        """The change's seq; None where it was read before."""
        base = event.bucket << SLOT_BITS
        if event.order is not None:
            return base + event.order - 1
        group = self.index.groups[event.bucket]
        number = self.read.get(event.bucket, 0)
        self.read[event.bucket] = number + 1
        return None if number in group.repeated else base + group.ranks[number]
