"""Transactions as records of the native feed: `Recorder(…).take(message)`.

Example
    ==== ======== =========================== =======================================
    seq  op       tx
    ==== ======== =========================== =======================================
    …32  insert   748@0/16B3748@305A40C6F29C1 the first change of transaction 748
    …33  update   748@0/16B3748@305A40C6F29C1 `before` is what was logged
    …34  commit   748@0/16B3748@305A40C6F29C1
    ==== ======== =========================== =======================================

    A seq is made of the position of the transaction's commit record and of the change's number
    within it (`feeds.positions`); where a huge transaction ran on into the numbers of the one
    behind, that one begins behind it. So it depends on the log alone, and grows with each commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from filtersql.feeds.positions import seq_at
from filtersql.feeds.records import Record, relation_written
from filtersql.postgres.pgoutput import Malformed
from filtersql.postgres.pgoutput_messages import (
    UNCHANGED,
    Begin,
    Change,
    Commit,
    Message,
    Relation,
    Truncate,
    Type,
    Value,
)

__all__ = ["Check", "Recorder", "position_text", "tx_of", "tx_position"]

#: asked of a table before its first change, and after each change of its definition: whether it is
#: a partition; with where its transaction was committed. It raises Mistakes where the table is not
#: what the project knows.
Check = Callable[[Relation, Mapping[int, Type], int], bool]

_BOOLEANS = {b"t": True, b"f": False}
_CONVERTERS: Mapping[int, Callable[[bytes], object]] = {
    16: _BOOLEANS.__getitem__,
    **dict.fromkeys((20, 21, 23), int),
}


#: a column's name, and what makes its JSON value
_Column: TypeAlias = tuple[str, Callable[[bytes], object]]


class _Table(Struct, frozen=True):
    """A relation, prepared for its changes. `key`: the columns of its replica identity."""

    relation: str | list[str]
    columns: tuple[_Column, ...]
    key: tuple[str, ...]
    is_partition: bool


class Recorder:
    """Makes records of messages in the order of commits; `types` are known, others are told."""

    def __init__(self, check: Check, types: Mapping[int, Type], last_seq: int) -> None:
        self.last_seq = last_seq
        #: the transaction that is open, None between two
        self.open: Begin | None = None
        self._check = check
        self._tx = ""
        #: the last seq before the transaction that is open, and where its own begin
        self._before = self._begun = last_seq
        self._types = dict(types)
        self._relations: dict[int, Relation] = {}
        self._tables: dict[int, _Table] = {}

    def take(self, message: Message) -> Sequence[Record]:
        """The records of a message; its seq follow `last_seq`. Raises Malformed, Mistakes."""
        match message:
            case Change():
                return (self._change(message),)
            case Commit():
                return self._commit(message)
            case Begin():
                return self._begin(message)
            case Relation():
                self._relations[message.oid] = message
                self._tables.pop(message.oid, None)
            case Type():
                self._types[message.oid] = message
            case Truncate():
                return self._truncate(message)
        return ()

    def _begin(self, begin: Begin) -> Sequence[Record]:
        if self.open is not None:
            raise Malformed("a transaction begins within another one")
        self.open = begin
        self._before = self.last_seq
        self._tx = tx_of(begin)
        self._begun = self.last_seq = max(seq_at(begin.position, 0) - 1, self.last_seq)
        return ()

    def _commit(self, commit: Commit) -> Sequence[Record]:
        if self.open is None or self.open.position != commit.position:
            raise Malformed("a transaction ends that did not begin")
        if self.last_seq == self._begun:
            # Streamed, and rolled back or of other tables: when asked again, it is not sent.
            self.open, self.last_seq = None, self._before
            return ()
        ended = Record(self._next(), "commit", tx=self._tx)
        self.open = None
        return (ended,)

    def _change(self, change: Change) -> Record:
        table = self._tables.get(change.oid) or self._table(change.oid)
        columns, old, new = table.columns, change.old, change.new
        before = after = unchanged = None
        try:
            if old is not None:
                before = _image(columns, old)
                if change.old_is_key:
                    before = {name: before[name] for name in table.key}
            if new is not None:
                after = _image(columns, new)
                if UNCHANGED in new:
                    unchanged = [
                        name
                        for (name, _), value in zip(columns, new, strict=True)
                        if value is UNCHANGED
                    ]
        except (ValueError, KeyError) as error:
            raise Malformed(f"a row of {table.relation}: {error}") from None
        return Record(self._next(), change.kind, table.relation, before, after, unchanged, self._tx)

    def _truncate(self, truncate: Truncate) -> Sequence[Record]:
        tables = [self._tables.get(oid) or self._table(oid) for oid in truncate.oids]
        # Whether a parent was named or all of its partitions looks the same here.
        told = not any(table.is_partition for table in tables)
        return [
            Record(
                self._next(),
                "truncate",
                table.relation,
                tx=self._tx,
                relations=[each.relation for each in tables] if told else None,
                cascade=truncate.cascade or None,
                restart_identity=truncate.restart_identity or None,
            )
            for table in tables
        ]

    def _table(self, oid: int) -> _Table:
        relation = self._relations.get(oid)
        if relation is None:
            raise Malformed(f"a change of relation {oid}, which was not described")
        made = _Table(
            relation_written(relation.schema, relation.name),
            tuple(
                (column.name, _CONVERTERS.get(column.type_oid, bytes.decode))
                for column in relation.columns
            ),
            tuple(column.name for column in relation.columns if column.is_key),
            self._check(relation, self._types, 0 if self.open is None else self.open.position),
        )
        self._tables[oid] = made
        return made

    def _next(self) -> int:
        if self.open is None:
            raise Malformed("a change outside of a transaction")
        self.last_seq += 1
        return self.last_seq


def _image(columns: Sequence[_Column], values: Sequence[Value]) -> dict[str, object]:
    return {
        name: None if value is None else convert(value)
        for (name, convert), value in zip(columns, values, strict=True)
        if value is not UNCHANGED
    }


def position_text(position: int) -> str:
    """A position in the log as PostgreSQL prints it.

    >>> position_text(22784792)
    '0/15BAB18'
    """
    return f"{position >> 32:X}/{position & 0xFFFFFFFF:X}"


def tx_of(begin: Begin) -> str:
    """What a transaction is called in the feed: its number, where and when it was committed.

    The number comes again after four billion; on a restored server the other two may, too.
    """
    return f"{begin.xid}@{position_text(begin.position)}@{begin.at:X}"


def tx_position(tx: str) -> str:
    """The position of the commit record, as it is printed, out of a record's tx."""
    return tx.split("@")[1]
