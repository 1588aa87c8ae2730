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

__all__ = ["Event", "Status", "placed", "table_named"]


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
    source = event.source
    if source.sequence is None:
        raise ValueError("source.sequence is missing")
    before = _sequences.decode(source.sequence)[0]
    place = bucket(source.lsn if before is None else int(before))
    # The first transaction behind a snapshot may have its log position.
    event.bucket, event.follows = place - (event.op == "r"), before is not None
    event.relation = table_named(source.schema, source.table)
    return event


@lru_cache(maxsize=4096)
def table_named(schema: str, table: str) -> RelationName:
    """The name of a table, made once."""
    return RelationName(schema, table)
