"""PostgreSQL's logical replication messages, decoded (`pgoutput`, protocol version 1).

Example
    >>> decoder = Decoder()
    >>> decoder.decode(b"B" + bytes(8) + bytes(8) + (741).to_bytes(4, "big"))
    Begin(xid=741)

PostgreSQL
    "Logical Replication Message Formats" in protocol.sgml; src/backend/replication/logical/proto.c.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

__all__ = [
    "Begin",
    "Commit",
    "Decoder",
    "Delete",
    "Insert",
    "Message",
    "Relation",
    "Truncate",
    "Unchanged",
    "Update",
]


class Unchanged(Enum):
    """The mark of an out-of-line (TOAST) value that was not sent because it did not change."""

    UNCHANGED = "unchanged"


Tuple = Mapping[str, str | Unchanged | None]


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column as the Relation message tells it; `identity`: it is part of the replica identity."""

    name: str
    type_oid: int
    identity: bool


@dataclass(frozen=True, slots=True)
class Relation:
    """A published table. It is sent before its first change, and again when it was altered."""

    oid: int
    schema: str
    name: str
    columns: tuple[RelationColumn, ...]


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message of a transaction."""

    xid: int


@dataclass(frozen=True, slots=True)
class Commit:
    """The last message of a transaction."""


@dataclass(frozen=True, slots=True)
class Insert:
    """A new row."""

    relation: Relation
    new: Tuple


@dataclass(frozen=True, slots=True)
class Update:
    """A changed row. `old`: its identity columns (all, under FULL); None: they did not change."""

    relation: Relation
    old: Tuple | None
    new: Tuple


@dataclass(frozen=True, slots=True)
class Delete:
    """A removed row: its identity columns, or all of them under FULL."""

    relation: Relation
    old: Tuple


@dataclass(frozen=True, slots=True)
class Truncate:
    """TRUNCATE of the relations that this publication sends."""

    relations: tuple[Relation, ...]
    cascade: bool
    restart_identity: bool


Message = Relation | Begin | Commit | Insert | Update | Delete | Truncate


class Decoder:
    """Decodes the messages of one slot in order; it remembers the relations that were sent."""

    def __init__(self) -> None:
        self._relations: dict[int, Relation] = {}

    def decode(self, message: bytes) -> Message | None:
        """The message; None for one that changes no row (Origin, Type, Message)."""
        read = _Reader(message)
        match read.character():
            case "B":
                read.skip(16)  # the commit's LSN and time
                return Begin(read.number("I"))
            case "C":
                return Commit()
            case "R":
                relation = read.relation()
                self._relations[relation.oid] = relation
                return relation
            case "I":
                relation = self._relations[read.number("I")]
                read.skip(1)  # always N
                return Insert(relation, read.row(relation))
            case "U":
                relation = self._relations[read.number("I")]
                old = self._old(read, relation) if read.peek() in ("K", "O") else None
                read.skip(1)  # N
                return Update(relation, old, read.row(relation))
            case "D":
                relation = self._relations[read.number("I")]
                return Delete(relation, self._old(read, relation))
            case "T":
                count, options = read.number("I"), read.number("B")
                relations = tuple(self._relations[read.number("I")] for _ in range(count))
                return Truncate(relations, bool(options & 1), bool(options & 2))
            case "O" | "Y" | "M":
                return None
            case other:
                raise ValueError(f"pgoutput sent a message of unknown kind {other!r}")

    def _old(self, read: _Reader, relation: Relation) -> Tuple:
        kind, row = read.character(), read.row(relation)
        if kind == "O":
            return row
        # A key tuple has a NULL in the place of every column that was not logged.
        return {column.name: row[column.name] for column in relation.columns if column.identity}


class _Reader:
    def __init__(self, message: bytes) -> None:
        self._message = message
        self._at = 0

    def skip(self, count: int) -> None:
        self._at += count

    def peek(self) -> str:
        return chr(self._message[self._at])

    def character(self) -> str:
        self._at += 1
        return chr(self._message[self._at - 1])

    def number(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self._message, self._at)
        self._at += struct.calcsize(form)
        return int(value)

    def string(self) -> str:
        end = self._message.index(b"\0", self._at)
        begin, self._at = self._at, end + 1
        return self._message[begin:end].decode()

    def text(self) -> str:
        length = self.number("I")
        self._at += length
        return self._message[self._at - length : self._at].decode()

    def relation(self) -> Relation:
        oid, schema, name = self.number("I"), self.string(), self.string()
        self.skip(1)  # relreplident: the columns' flags say the same
        return Relation(oid, schema, name, tuple(self.column() for _ in range(self.number("H"))))

    def column(self) -> RelationColumn:
        flags, name, type_oid = self.number("B"), self.string(), self.number("I")
        self.skip(4)  # the type modifier
        return RelationColumn(name, type_oid, bool(flags & 1))

    def row(self, relation: Relation) -> dict[str, str | Unchanged | None]:
        count = self.number("H")
        assert count == len(relation.columns), f"a row of {relation.name} has {count} columns"
        return {column.name: self.value() for column in relation.columns}

    def value(self) -> str | Unchanged | None:
        match self.character():
            case "n":
                return None
            case "u":
                return Unchanged.UNCHANGED
            case "t":
                return self.text()
            case other:
                raise ValueError(f"pgoutput sent a value of unknown kind {other!r}")
