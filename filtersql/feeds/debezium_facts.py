"""What decides the places of Debezium's changes: `ChangeFacts` of some, `FactColumns` of all.

Example
    some = ChangeFacts.of([(17, b'{"before": …', event), …])
    write_facts(file, some)               as a portion leaves them
    read_facts(path, [("c0", ">=", 30)])  those of some places

    facts.extend(some, keyed)             changes as they are read
    facts.repetitions()                   {3}, {}: the fourth says what another one said
    facts.ranks({3}, {})                  the place of each other one, and its number there
    facts.halves()                        {(1040, public.t)}: a d and a c

    Texts are kept as numbers, which are equal where the texts are.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pyarrow
from msgspec import Struct, field
from pyarrow import compute, parquet

from filtersql.feeds.debezium_messages import Event, table_named
from filtersql.feeds.held import Counted
from filtersql.feeds.positions import SLOT_BITS
from filtersql.feeds.staged_files import Bound, StagedFile, as_open
from filtersql.names import RelationName

__all__ = ["PLACE", "TX", "ChangeFacts", "FactColumns", "fact_file", "read_facts", "write_facts"]

#: the columns of places and of transactions in a file of facts
PLACE, TX = "c0", "c9"
_NUMBER, _TEXT, _FLAG = pyarrow.int64(), pyarrow.string(), pyarrow.bool_()
_KINDS = (*[_NUMBER] * 5, _TEXT, _FLAG, _FLAG, _NUMBER, _TEXT)


class ChangeFacts(Struct, frozen=True):
    """Changes in the order in which they were read."""

    #: the bucket of the log at which the transaction stands
    place: Sequence[int]
    lsn: Sequence[int]
    #: `said` is equal where op and images are the same, `line` where the whole lines are
    said: Sequence[int]
    line: Sequence[int]
    #: the number of the line, or of the message
    number: Sequence[int]
    op: Sequence[str]
    #: whether it holds the nanosecond in which it was made, and whether it follows a commit
    timed: Sequence[bool]
    follows: Sequence[bool]
    #: its number in its transaction, from 1, and the transaction's name, where these are sent
    order: Sequence[int | None]
    tx: Sequence[str | None]
    table: Sequence[RelationName]

    @classmethod
    def of(cls, changes: Sequence[tuple[int, bytes, Event]]) -> ChangeFacts:
        """The facts of changes, each with its number and its line."""
        events = [event for *_, event in changes]
        orders = [one.order for one in events]
        return cls(
            [one.bucket for one in events],
            [one.source.lsn for one in events],
            [hash((one.op, one.relation, bytes(one.before), bytes(one.after))) for one in events],
            [hash(line) for _, line, _ in changes],
            [number for number, *_ in changes],
            [one.op for one in events],
            [one.ts_ns is not None for one in events],
            [one.follows for one in events],
            orders,
            [None if order is None else one.tx for one, order in zip(events, orders, strict=True)],
            [one.relation for one in events],
        )

    @property
    def beginning(self) -> int:
        """The last place of a change that has a number and follows no commit; -1: there is none."""
        told = zip(self.place, self.order, self.follows, strict=True)
        numbered = (at for at, order, follows in told if order is not None and not follows)
        return max(numbered, default=-1)


def fact_file(path: Path) -> StagedFile:
    """A file for facts, in a folder that may not exist yet."""
    as_open(path.parent)
    return StagedFile(path, [*_KINDS, _TEXT, _TEXT])


def write_facts(file: StagedFile, facts: ChangeFacts) -> None:
    """Add facts to a file."""
    *columns, table = (getattr(facts, name) for name in facts.__struct_fields__)
    schemas, names = [one.schema for one in table], [one.name for one in table]
    values = zip([*columns, schemas, names], file.types, strict=True)
    file.write([pyarrow.array(some, kind) for some, kind in values])


def read_facts(path: Path, bounds: list[Bound]) -> ChangeFacts:
    """The facts of a file within bounds of places, `c0`; none where there is no file."""
    if not path.exists():
        return ChangeFacts.of([])
    columns = [one.to_pylist() for one in parquet.read_table(path, filters=bounds).columns]
    names = [*map(table_named, columns.pop(-2), columns.pop())]
    return ChangeFacts(**dict(zip(ChangeFacts.__struct_fields__, [*columns, names], strict=True)))


def _column() -> array[int]:
    return array("q")


class FactColumns(Struct, frozen=True):
    """Changes in the order in which they were read."""

    place: array[int] = field(default_factory=_column)
    table: array[int] = field(default_factory=_column)
    lsn: array[int] = field(default_factory=_column)
    op: bytearray = field(default_factory=bytearray)
    #: equal where changes, and where their whole lines, say the same
    said: array[int] = field(default_factory=_column)
    line: array[int] = field(default_factory=_column)
    #: the number of the line or message
    number: array[int] = field(default_factory=_column)
    #: whether one that says the same was sent again: 1 where the line is the same, 2 in any case
    again: bytearray = field(default_factory=bytearray)
    #: what is told of the order; -1: nothing
    seq: array[int] = field(default_factory=_column)
    #: all tables, numbered from 0
    tables: dict[RelationName, int] = field(default_factory=dict)

    def extend(self, facts: ChangeFacts, keyed: Mapping[RelationName, bool]) -> None:
        """Take changes. `keyed`: no two rows of a table can be alike."""
        numbers = {name: self.tables.setdefault(name, len(self.tables)) for name in keyed}
        self.place.extend(facts.place)
        self.table.extend([numbers[name] for name in facts.table])
        self.lsn.extend(facts.lsn)
        self.op.extend("".join(facts.op).encode("ascii"))
        self.said.extend(facts.said)
        self.line.extend(facts.line)
        self.number.extend(facts.number)
        again = zip(facts.table, facts.timed, strict=True)
        self.again.extend([2 if keyed[name] else timed for name, timed in again])
        self.seq.extend([-1] * len(facts.place))

    def repetitions(self) -> tuple[set[int], set[int]]:
        """Of changes without a number: those that were read before, those that may have been."""
        known: dict[tuple[int, int, int], set[int]] = {}
        again, doubtful = set[int](), set[int]()
        for number in self._alike():
            if self.seq[number] >= 0:
                continue
            content = (self.place[number], self.lsn[number], self.said[number])
            lines, line = known.setdefault(content, set()), self.line[number]
            if lines and (self.again[number] == 2 or (self.again[number] and line in lines)):
                again.add(number)
            elif lines and (self.op[number] != ord("r") or line in lines):
                doubtful.add(number)
            lines.add(line)
        return again, doubtful

    def _alike(self) -> list[int]:
        """The changes that say what others say, at whatever place."""
        said = _numbers(self.said)
        counted = said.value_counts()
        values, counts = counted.flatten()
        often = values.filter(compute.greater(counts, 1))
        if not len(often):
            return []
        found: list[int] = compute.indices_nonzero(compute.is_in(said, value_set=often)).to_pylist()
        return found

    def halves(self) -> set[tuple[int, RelationName]]:
        """Log positions and tables that have a d and a c."""
        op, lsn = pyarrow.array(self.op, pyarrow.uint8()), _numbers(self.lsn)
        deleted = lsn.filter(compute.equal(op, ord("d")))
        among = compute.is_in(lsn, value_set=deleted)
        names = [*self.tables]
        found: dict[str, set[tuple[int, RelationName]]] = {"d": set(), "c": set()}
        for number in compute.indices_nonzero(among).to_pylist():
            at = (self.lsn[number], names[self.table[number]])
            found.get(chr(self.op[number]), set()).add(at)
        return found["d"] & found["c"]

    def ranks(self, repeated: Collection[int], counted: Counted) -> pyarrow.Table:
        """Place, table, rank and number of each change that is told no order, but `repeated` ones.

        The rank is that among the table's changes at the place, behind those `counted` before.
        """
        columns = {
            "place": _numbers(self.place),
            "table": _numbers(self.table),
            "logged": compute.not_equal(pyarrow.array(self.op, pyarrow.uint8()), ord("r")),
            "lsn": _numbers(self.lsn),
            "change": pyarrow.array(range(len(self.place)), pyarrow.int64()),
        }
        left = compute.equal(_numbers(self.seq), -1)
        if repeated:
            known = pyarrow.array([*repeated], pyarrow.int64())
            left = compute.and_not(left, compute.is_in(columns["change"], value_set=known))
        facts = pyarrow.table([one.filter(left) for one in columns.values()], [*columns])
        facts = facts.sort_by([(name, "ascending") for name in columns])
        place, table, change = (
            facts[name].combine_chunks() for name in ("place", "table", "change")
        )
        at = pyarrow.array(range(len(place)), pyarrow.int64())
        begins = compute.or_(_differs(place), _differs(table))
        rank = compute.subtract(at, compute.cumulative_max(compute.if_else(begins, at, 0)))
        if counted:
            names = [*self.tables]
            pairs = zip(place.to_pylist(), table.to_pylist(), strict=True)
            before = [counted.get((one, names[other]), 0) for one, other in pairs]
            rank = compute.add(rank, pyarrow.array(before, pyarrow.int64()))
        return pyarrow.table([place, table, rank, change], ["place", "table", "rank", "change"])

    def firsts(self) -> dict[RelationName, int]:
        """The first place of each table."""
        every = pyarrow.table([_numbers(self.table), _numbers(self.place)], ["table", "place"])
        found = every.group_by("table").aggregate([("place", "min")]).to_pylist()
        names = [*self.tables]
        return {names[one["table"]]: one["place_min"] for one in found}

    def seqs(self, ranks: pyarrow.Table) -> pyarrow.Int64Array:
        """The seq of each change; -1: of one that was read before."""
        found = array("q", self.seq)
        seqs = compute.add(compute.shift_left(ranks["place"], SLOT_BITS), ranks["rank"])
        for change, seq in zip(ranks["change"].to_pylist(), seqs.to_pylist(), strict=True):
            found[change] = seq
        return _numbers(found)

    def are_unique(self, seqs: pyarrow.Int64Array) -> bool:
        """Whether no two changes of a table share a seq."""
        numbered = pyarrow.table([_numbers(self.table), seqs], ["table", "seq"])
        some = numbered.filter(compute.greater_equal(seqs, 0))
        return bool(some.group_by(["table", "seq"]).aggregate([]).num_rows == some.num_rows)


def _differs(values: pyarrow.Array) -> pyarrow.BooleanArray:
    """Whether each value differs from the one before it."""
    if not len(values):
        return pyarrow.array([], pyarrow.bool_())
    differs = compute.not_equal(values[1:], values[:-1])
    return pyarrow.concat_arrays([pyarrow.array([True]), differs])


def _numbers(values: array[int]) -> pyarrow.Int64Array:
    return pyarrow.array(values, pyarrow.int64())
