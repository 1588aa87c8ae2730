"""The lines of wal2json's format 2 as events, and the transaction that they stand in.

Example
    {"action": "U", "schema": "public", "table": "t1", "columns": [{"name": "a", "value": 5}], …}

    A value stays the text that it is in JSON, so that no digit of a number is lost.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from filtersql.errors.feeds import UNREADABLE_EVENT
from filtersql.feeds.lines import line_span, unread
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.positions import seq_at

__all__ = ["HINT", "Column", "Event", "OpenTransaction", "read_event"]


class Column(msgspec.Struct, frozen=True, gc=False):
    """A column of a row, and what is written in it."""

    name: str
    value: msgspec.Raw


class Event(msgspec.Struct, frozen=True, gc=False):
    """What a line says."""

    action: str
    lsn: str | None = None
    xid: int | None = None
    schema: str | None = None
    table: str | None = None
    columns: list[Column] | None = None
    identity: list[Column] | None = None


_decoder = msgspec.json.Decoder(Event)
#: how to record what can be read
HINT = "Record with format-version=2 and include-lsn=1, one object on each line."


def read_event(place: Place, mistakes: list[PlacedMistake]) -> Event | None:
    """What a line says; None where that is a mistake."""
    try:
        return _decoder.decode(place[2])
    except (msgspec.DecodeError, UnicodeError) as error:
        span = line_span(*place)
        wrong = UNREADABLE_EVENT(span, form="wal2json", reason=str(error), hint=HINT)
        mistakes.append(unread(place, error, wrong))
        return None


class OpenTransaction(Struct):
    """The transaction that is being read: where it commits, and how many changes it has so far."""

    commit: int
    tx: str
    count: int = 0

    def next(self) -> int:
        """The seq of one more change."""
        self.count += 1
        return seq_at(self.commit, self.count - 1)
