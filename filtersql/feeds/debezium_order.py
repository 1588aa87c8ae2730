"""Where each of Debezium's changes stands in the order of all: `Index`.

Example
    ======================= ========== =====================================
    source.sequence         lsn        seq
    ======================= ========== =====================================
    [null,"880"]            880        snapshot: its rows, right before 880
    ["1040","1040"]         1040       the first behind the commit at 1040
    ["1040","1100"]         1100       the second
    ======================= ========== =====================================

A transaction stands at the commit before it. The first one behind a snapshot may have begun to log
before the snapshot was taken, so it stands behind the snapshot. Inside of a transaction the changes
of each table are in the order of their log positions, or of `transaction.total_order` where sent.
So neither the order of files nor a change that is sent twice matters, and what is read of one table
gives no number to the changes of another. Two changes share a position where a key changes (d and
c), a TRUNCATE names several tables, or COPY wrote them; only in a table without key can such two be
alike, and then they look like one that is sent twice: that is refused.

Debezium
    SourceInfo.java, sequence(); WalPositionLocator.java; TransactionContext.java
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import pyarrow
from msgspec import Struct, field
from pyarrow import compute

from filtersql.catalog import Catalog
from filtersql.feeds.debezium_facts import ChangeFacts, FactColumns
from filtersql.feeds.debezium_messages import Event, Status
from filtersql.feeds.held import Counted, Held, LastPlaces, held_by, take_place
from filtersql.feeds.landings import Lasts, lost_beginning, newest_of
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.records import relation_name
from filtersql.names import RelationName

__all__ = ["Index", "is_keyed", "is_parted", "last_seqs"]


class Index(Struct):
    """All changes of a feed: `take` some, `finish`, then `seqs` are those of each file's changes.

    `counted` are changes of files that are not read again.
    """

    counted: Counted = field(default_factory=dict)
    facts: FactColumns = field(default_factory=FactColumns)
    #: the number of the first change of each file
    begins: dict[str, int] = field(default_factory=dict)
    #: the last seq of each transaction whose changes are numbered, and those that each table has
    newest: dict[str, int] = field(default_factory=dict)
    counts: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    #: the last place of each file and table, and the last seq of each file that is numbered
    files: LastPlaces = field(default_factory=dict)
    numbered: dict[str, int] = field(default_factory=dict)
    #: the last place of each table at which its changes are numbered
    ordered: dict[RelationName, int] = field(default_factory=dict)
    #: files that tell where transactions begin or end
    told: set[str] = field(default_factory=set)
    #: the places of each table's snapshots; the changes of the first transaction behind one, with
    #: table, file, number and transaction
    snapshots: dict[RelationName, set[int]] = field(default_factory=dict)
    early: list[tuple[int, RelationName, str, int | None, str | None]] = field(default_factory=list)
    #: how many rows of snapshots each table has, and whether no two of its rows can be alike
    reads: Counter[RelationName] = field(default_factory=Counter)
    keyed: dict[RelationName, bool] = field(default_factory=dict)
    # What follows is known when it is finished.
    #: the seqs of a file's changes, in the order in which they were read; -1: one read before
    seqs: dict[str, pyarrow.Int64Array] = field(default_factory=dict)
    #: changes without a number: place, table, and which of the table's changes there it is
    ranks: pyarrow.Table | None = None
    #: the first place of each table
    firsts: dict[RelationName, int] = field(default_factory=dict)
    #: places at which something was read before
    repeated: frozenset[int] = frozenset()
    #: lines that may be another's repetition or a change of their own
    doubts: frozenset[tuple[str, int]] = frozenset()
    #: log positions and tables at which a d and a c are halves of an UPDATE
    halves: frozenset[tuple[int, RelationName]] = frozenset()
    #: whether no two changes of a table share a seq
    is_unique: bool = False

    def take(self, facts: ChangeFacts, file: str, catalog: Catalog) -> None:
        """Take changes of a file."""
        first = len(self.facts.place)
        self.begins.setdefault(file, first)
        for name in {*facts.table} - self.keyed.keys():
            self.keyed[name] = is_keyed(catalog, name)
        self.facts.extend(facts, self.keyed)
        rows = zip(facts.table, facts.place, facts.op, facts.follows, strict=True)
        for (table, place, op, follows), count in Counter(rows).items():
            if op == "r":
                self.reads[table] += count
                if not follows:
                    self.snapshots.setdefault(table, set()).add(place)
            if follows or op == "r":
                once = op == "r" and not follows
                take_place(self.files, file, table, place, count, once=once)
        named = zip(facts.table, facts.op, facts.follows, facts.order, facts.tx, strict=True)
        if all(facts.follows) and not {*facts.order} - {None}:
            return
        for change, (table, op, follows, order, tx) in enumerate(named, first):
            if not follows and op != "r":
                self.early.append((change, table, file, order, tx))
            elif order is not None:
                self._number(change, table, file, order, tx)

    def _snapshot(self, table: RelationName) -> int:
        """The place of a table's snapshot, as far as is known; -1: nothing is."""
        counted = (place for place, name in self.counted if name == table)
        return max(self.snapshots.get(table) or counted, default=-1)

    def end(self, status: Status, shown: str) -> None:
        """Take a message of a file that tells where a transaction begins or ends."""
        self.told.add(shown)
        # Changes that it counts may land later: until then it has to be read again.
        seq = (status.bucket + 1 << SLOT_BITS) - 1
        self.numbered[shown] = max(seq, self.numbered.get(shown, -1))

    def _number(
        self, change: int, table: RelationName, file: str, order: int, tx: str | None
    ) -> None:
        """Take the number of a change whose place is known."""
        place = self.facts.place[change]
        seq = self.facts.seq[change] = (place << SLOT_BITS) + order - 1
        self.numbered[file] = max(seq, self.numbered.get(file, -1))
        self.ordered[table] = max(place, self.ordered.get(table, -1))
        if tx is not None:
            self.newest[tx] = max(seq, self.newest.get(tx, -1))
            name = f"{table.schema}.{table.name}"
            self.counts.setdefault((tx, name), set()).add(seq)

    def take_early(self) -> int:
        """Place what follows no commit behind the snapshot of its table, as far as that is known.

        Returns the first place that such a change had; -1: there is none.
        """
        first = min((self.facts.place[change] for change, *_ in self.early), default=-1)
        for change, table, file, order, tx in self.early:
            place = max(self.facts.place[change], self._snapshot(table) + 1)
            self.facts.place[change] = place
            take_place(self.files, file, table, place, once=False)
            if order is not None:
                self._number(change, table, file, order, tx)
        return first

    def finish(self) -> None:
        """All changes were taken."""
        facts = self.facts
        self.take_early()
        again, doubtful = facts.repetitions()
        self.repeated = frozenset(facts.place[number] for number in again)
        self.doubts = frozenset((self._file(one), facts.number[one]) for one in doubtful)
        self.halves = frozenset(facts.halves())
        self.ranks = facts.ranks(again, self.counted)
        self.firsts = facts.firsts()
        every = facts.seqs(self.ranks)
        stops = [*self.begins.values(), len(every)][1:]
        for (file, first), stop in zip(self.begins.items(), stops, strict=True):
            self.seqs[file] = every[first:stop]
        self.is_unique = facts.are_unique(every)

    def _file(self, number: int) -> str:
        """The file of a change."""
        return [file for file, first in self.begins.items() if first <= number][-1]

    def _counts(self, places: Collection[int]) -> dict[int, dict[RelationName, int]]:
        """How many changes without a number each table has at some places."""
        assert self.ranks is not None  # it is finished
        asked = pyarrow.array([*places], pyarrow.int64())
        some = self.ranks.filter(compute.is_in(self.ranks["place"], value_set=asked))
        found: dict[int, dict[RelationName, int]] = {}
        names = [*self.facts.tables]
        most = some.group_by(["place", "table"]).aggregate([("rank", "max")])
        for row in most.to_pylist():
            found.setdefault(row["place"], {})[names[row["table"]]] = row["rank_max"] + 1
        return found

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

    def is_half(self, event: Event) -> bool:
        """Whether a d or c is one half of an UPDATE that changed the key."""
        return event.op in ("d", "c") and (event.lsn, event.relation) in self.halves

    def ends(self, places: Collection[int]) -> dict[int, int]:
        """The last seq of those places that have changes without a number."""
        counts = self._counts(places).items()
        return {place: (place << SLOT_BITS) + max(some.values()) - 1 for place, some in counts}

    def last(self) -> dict[str, int]:
        """As in `last_seqs`."""
        held = self.files.items()
        places = {file: {last.place for last in tables.values()} for file, tables in held}
        return last_seqs(places, self.ends(set[int]().union(*places.values())), self.numbered)

    def held(self) -> dict[str, tuple[Held, ...]]:
        """What files hold that tell no ends of transactions."""
        told = {name: tables for name, tables in self.files.items() if name not in self.told}
        return held_by([told], self.repeated)

    def lacks_beginning(self, lasts: Lasts) -> int | None:
        """As in `lost_beginning`."""
        places = {seq >> SLOT_BITS for seqs in lasts.values() for seq in seqs}
        every = self._counts(places)

        def count_at(place: int, table: RelationName) -> int:
            # Where its numbers are sent there is nothing to count.
            return 0 if self.ordered.get(table) == place else every.get(place, {}).get(table, 0)

        return lost_beginning(lasts, SLOT_BITS, count_at)


def last_seqs(
    places: Mapping[str, Collection[int]], ends: Mapping[int, int], numbered: Mapping[str, int]
) -> dict[str, int]:
    """The last seq of each file, to the end of its last transaction.

    `ends` tells it of the last `places` of its tables, `numbered` of changes that have numbers.
    """
    reached = ({file: ends[at]} for file, some in places.items() for at in some if at in ends)
    return newest_of([numbered, *reached])


def is_parted(one: int, other: int, lasts: Collection[int]) -> bool:
    """Whether a run has read one half of a change of a key, and not the other."""
    return any(min(one, other) <= last < max(one, other) for last in lasts)


def is_keyed(catalog: Catalog, relation: RelationName) -> bool:
    """Whether no two rows of a table can be alike."""
    table = catalog.tables.get(relation)
    return table is None or bool(table.primary_key)
