"""Debezium's messages: a change, and the beginning or end of a transaction.

Example
    event = placed(msgspec.json.decode(line, type=Event))
    event.bucket, event.follows    # (32, True): right behind the commit at 1040
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from filtersql.feeds.positions import bucket
from filtersql.names import RelationName

__all__ = ["Event", "Fact", "Status", "placed"]


class _Source(msgspec.Struct, frozen=True, gc=False):
    table: str
    lsn: int
    schema: str = "public"
    sequence: str | None = None
    txId: int | None = None  # noqa: N815 (Debezium's name)


class _Transaction(msgspec.Struct, frozen=True, gc=False):
    id: str
    total_order: int | None = None


class Event(msgspec.Struct, gc=False):
    """One change. `before` and `after` are JSON's text."""

    op: str
    source: _Source
    before: msgspec.Raw = msgspec.Raw(b"null")
    after: msgspec.Raw = msgspec.Raw(b"null")
    transaction: _Transaction | None = None
    ts_ns: int | None = None
    bucket: int = 0
    #: whether it follows a commit, of which all changes of its transaction have their place
    follows: bool = True
    #: the table
    relation: RelationName = RelationName("", "")

    @property
    def lsn(self) -> int:
        """The log position of the change; of a snapshot's row: where the snapshot was taken."""
        return self.source.lsn

    @property
    def tx(self) -> str | None:
        """The transaction."""
        return None if self.source.txId is None else str(self.source.txId)

    @property
    def order(self) -> int | None:
        """The number of the change in its transaction, from 1, where it is sent."""
        return None if self.transaction is None else self.transaction.total_order

    def fact(self, line: bytes) -> Fact:
        """What its place hangs on."""
        said = hash((self.op, self.relation, bytes(self.before), bytes(self.after)))
        at = (self.bucket, self.lsn, self.op, self.relation, self.tx, self.order)
        return Fact(*at, said, hash(line), self.ts_ns is not None, self.follows)


class Fact(msgspec.Struct, frozen=True, gc=False):
    """What the place of a change hangs on. Equal texts have equal numbers `said` and `line`."""

    bucket: int
    lsn: int
    op: str
    relation: RelationName
    tx: str | None
    order: int | None
    #: the op and the images; the whole line
    said: int
    line: int
    #: whether it holds the nanosecond in which it was made
    timed: bool
    #: as of Event
    follows: bool

    @property
    def is_first(self) -> bool:
        """Whether it is a row of the snapshot that comes before all changes."""
        return self.op == "r" and not self.follows


class _Collection(msgspec.Struct, frozen=True, gc=False):
    data_collection: str
    event_count: int


class Status(msgspec.Struct, frozen=True, gc=False):
    """The message that begins or ends a transaction."""

    status: str
    id: str
    event_count: int | None = None
    data_collections: list[_Collection] | None = None

    @property
    def tx(self) -> str:
        """The transaction, as its changes name it."""
        return self.id.partition(":")[0]

    @property
    def bucket(self) -> int:
        """The place that its name tells; -1 where it tells none. The changes stand before it."""
        _, _, position = self.id.partition(":")
        return bucket(int(position)) if position.isdecimal() else -1


_sequences = msgspec.json.Decoder(tuple[str | None, str | None])


def placed(event: Event) -> Event:
    """A change with its table, and the place of its transaction.

    Raises ValueError, msgspec.DecodeError.
    """
    event.bucket, event.follows = _slot(event)
    event.relation = _relation(event.source.schema, event.source.table)
    return event


@lru_cache(maxsize=4096)
def _relation(schema: str, table: str) -> RelationName:
    return RelationName(schema, table)


def _slot(event: Event) -> tuple[int, bool]:
    """The place of a change's transaction, and whether a commit before it gave it that."""
    if event.source.sequence is None:
        raise ValueError("source.sequence is missing")
    before = _sequences.decode(event.source.sequence)[0]
    place = bucket(event.lsn if before is None else int(before))
    # The first transaction behind a snapshot may have its log position.
    return place - (event.op == "r"), before is not None
