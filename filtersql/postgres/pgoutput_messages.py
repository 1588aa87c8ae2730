"""What messages of the plug-in pgoutput say, one class for each kind.

Example
    Begin, Relation, Change, Change, Commit                      a transaction
    StreamStart, Change, StreamStop, …, StreamCommit             one that is sent before it ends

PostgreSQL
    src/backend/replication/logical/proto.c; "Logical Replication Message Formats".
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = [
    "UNCHANGED",
    "Begin",
    "Change",
    "Commit",
    "Ignored",
    "Message",
    "Relation",
    "RelationColumn",
    "StreamAbort",
    "StreamCommit",
    "StreamStart",
    "StreamStop",
    "Truncate",
    "Type",
    "Value",
    "Values",
]

#: what stands in place of an out-of-line value that an UPDATE left as it was
UNCHANGED: Literal[False] = False
Value: TypeAlias = bytes | Literal[False] | None
Values: TypeAlias = list[Value]


class Begin(Struct, frozen=True):
    """A transaction begins; `position` is that of its commit record, `at` in µs since 2000."""

    position: int
    at: int
    xid: int


class Commit(Struct, frozen=True):
    """The transaction that began is complete; `end` is behind its commit record."""

    position: int
    end: int


class RelationColumn(Struct, frozen=True):
    """A column as it is sent; `is_key`: it is part of the replica identity."""

    name: str
    type_oid: int
    typmod: int
    is_key: bool


class Relation(Struct, frozen=True):
    """A table, before its first change and after each change of its definition."""

    oid: int
    schema: str
    name: str
    #: pg_class.relreplident: d, n, f, i
    identity: str
    columns: tuple[RelationColumn, ...]


class Type(Struct, frozen=True):
    """The name of a type that is not built in; of a domain that of its base."""

    oid: int
    schema: str
    name: str


class Change(Struct, frozen=True, gc=False):
    """A row of the table `oid`. `old_is_key`: `old` holds the columns of the identity alone."""

    kind: Literal["insert", "update", "delete"]
    oid: int
    old: Values | None
    new: Values | None
    old_is_key: bool
    xid: int


class Truncate(Struct, frozen=True):
    """Tables that one statement emptied."""

    oids: tuple[int, ...]
    cascade: bool
    restart_identity: bool
    xid: int


class StreamStart(Struct, frozen=True):
    """Messages of a transaction follow that is not decided yet."""

    xid: int


class StreamStop(Struct, frozen=True):
    """The end of such a block."""


class StreamCommit(Struct, frozen=True):
    """A streamed transaction is complete."""

    xid: int
    position: int
    end: int
    at: int


class StreamAbort(Struct, frozen=True):
    """A streamed transaction, or a part of it, never happened."""

    xid: int
    sub_xid: int


class Ignored(Struct, frozen=True):
    """An origin, or a message of pg_logical_emit_message(): no change of a row."""


Message: TypeAlias = (
    Begin
    | Commit
    | Relation
    | Type
    | Change
    | Truncate
    | StreamStart
    | StreamStop
    | StreamCommit
    | StreamAbort
    | Ignored
)
