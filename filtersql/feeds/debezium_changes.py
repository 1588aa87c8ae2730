"""What one value of Debezium says, and the change that one or two of them are: `message(line)`.

Example
    found = message(b'{"op": "c", "source": {"lsn": 880, …}, "after": {"id": 1}, …}')
    list(Changes(feed, catalog).of(place, 17, found, found, mistakes))     the insert

    d and c of one table at one log position are the halves of an UPDATE that changed the key: its
    old row is that of the d, its new one that of the c.

Debezium
    PostgresChangeRecordEmitter.java of debezium-connector-postgres
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

import msgspec
from msgspec import Struct, field

from filtersql.catalog import Catalog, Table
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import AMBIGUOUS_VALUE, FILE_CHANGED, UNREADABLE_EVENT
from filtersql.feeds.debezium_messages import Event, Status, placed
from filtersql.feeds.debezium_times import Ambiguous
from filtersql.feeds.debezium_values import Decoder, Unsent
from filtersql.feeds.landings import Needed, is_needed
from filtersql.feeds.lines import Chunk, line_span, lines_in, unread
from filtersql.feeds.members import check_names
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Number, Record, relation_written
from filtersql.names import RelationName

__all__ = ["OPS", "Changes", "Read", "message", "messages_in", "numbered_chunks", "unwrapped"]

OPS = {"r": "read", "c": "insert", "u": "update", "d": "delete", "t": "truncate"}
_HINT = "A line is the value of one Kafka message, as Debezium's JSON converter writes it."


class _Message(msgspec.Struct, frozen=True, gc=False):
    """The parts of a value that all kinds share; with a schema all of them are in `payload`."""

    payload: msgspec.Raw = msgspec.Raw()
    schema: msgspec.Raw = msgspec.Raw()
    op: str | None = None
    status: str | None = None


#: as Debezium begins a change without a schema
_BARE = b'{"before":'
_messages = msgspec.json.Decoder(_Message | None)
_events = msgspec.json.Decoder(Event)
_statuses = msgspec.json.Decoder(Status)
_images = msgspec.json.Decoder(dict[str, Any] | None, float_hook=Number)


class Read(Struct, frozen=True):
    """A change with its image texts; `schema` is empty where the line has none."""

    event: Event
    schema: bytes


class Changes(Struct, frozen=True):
    """Makes changes of what values say. Values of columns that are not needed need not be told."""

    feed: Feed
    catalog: Catalog
    needed: Needed = None
    decoders: dict[tuple[RelationName, bytes], Decoder] = field(default_factory=dict)

    def of(
        self, place: Place, seq: int, old: Read, new: Read, mistakes: list[PlacedMistake]
    ) -> Iterator[tuple[Place, Record]]:
        """The change of a value, which is `old` and `new`, or of two halves."""
        op = OPS[new.event.op] if old is new else "update"
        name = new.event.relation
        written = relation_written(name.schema, name.name)
        change = Record(seq, op, written, tx=None if op == "read" else new.event.tx)
        table = self.catalog.tables.get(name)
        try:
            before = _image_of("before", old.event.before)
            after = _image_of("after", new.event.after)
            if table is not None:
                of_old, of_new = (self.decoder(table, each.schema) for each in (old, new))
        except (msgspec.DecodeError, UnicodeError) as error:  # neither was looked at before
            mistakes.append((place, _unreadable(place, str(error))))
            return
        if op == "truncate":
            yield place, change
            return
        if table is None:
            change.before, change.after = before, after
            yield place, change
            return
        unsent: list[str] = []
        known = len(mistakes)
        if before is not None:
            only = {each: value for each, value in before.items() if each in of_old.logged}
            change.before = self._image(place, table, only, of_old, mistakes, None)
        if after is not None:
            may_lack = unsent if op == "update" else None
            change.after = self._image(place, table, after, of_new, mistakes, may_lack)
        change.unchanged = unsent or None
        if len(mistakes) == known:
            yield place, change

    def _image(
        self,
        place: Place,
        table: Table,
        written: dict[str, Any],
        decoder: Decoder,
        mistakes: list[PlacedMistake],
        unsent: list[str] | None,
    ) -> dict[str, Any]:
        """The values that were sent; `unsent` takes the others, where an image may lack some."""
        image: dict[str, Any] = {}
        for name, value in written.items():
            try:
                image[name] = decoder.value(name, value, update=unsent is not None)
            except Unsent:
                assert unsent is not None  # it was asked for
                unsent.append(name)
            except (Ambiguous, ValueError) as why:
                if is_needed(self.needed, table.name, name):
                    mistakes.append((place, _untold(place, table, name, why)))
        return image

    def decoder(self, table: Table, schema: bytes) -> Decoder:
        """What reads the values of a table under a schema."""
        key = (table.name, schema)
        if key not in self.decoders:
            self.decoders[key] = Decoder.of(table, self.feed, schema)
        return self.decoders[key]


def _image_of(side: str, text: msgspec.Raw) -> dict[str, Any] | None:
    """The values of an old row or a new one. Raises DecodeError, UnicodeError."""
    image = _images.decode(text)
    check_names(bytes(text), image, side)
    return image


def _untold(place: Place, table: Table, name: str, why: Ambiguous | ValueError) -> Mistake:
    """What is said of a column whose value is not known."""
    if isinstance(why, ValueError):
        return _unreadable(place, f'column "{name}": {why}')
    span, means = line_span(*place), why.means
    return AMBIGUOUS_VALUE(
        span, column=name, table=table.name, form="Debezium", means=means, remedy=why.remedy
    )


def _unreadable(place: Place, reason: str) -> Mistake:
    return UNREADABLE_EVENT(line_span(*place), form="Debezium", reason=reason, hint=_HINT)


def messages_in(
    chunk: Chunk, mistakes: list[PlacedMistake]
) -> Iterator[tuple[Place, Read | Status]]:
    """What concerns rows, of some lines: changes, and ends of transactions."""
    for place in lines_in([chunk]):
        try:
            found = message(place[2])
        except (msgspec.DecodeError, UnicodeError, ValueError) as error:
            mistakes.append(unread(place, error, _unreadable(place, str(error))))
            continue
        if found is not None:
            yield place, found


def numbered_chunks(
    found: Iterable[Chunk], counts: Iterable[int], shown: str
) -> Iterator[tuple[Chunk, range]]:
    """Chunks that are read again, with the numbers of their messages, of which there were so many.

    Raises Mistakes where there are fewer chunks than before.
    """
    first = 0
    for chunk, count in zip_longest(found, counts, fillvalue=0):
        if not isinstance(chunk, Chunk):
            raise Mistakes([FILE_CHANGED(path=shown)])
        yield chunk, range(first, first + count)
        first += count


def message(line: bytes) -> Read | Status | None:
    """What a line says of rows; None: nothing. Raises DecodeError, UnicodeError, ValueError."""
    if line.startswith(_BARE):
        try:
            event = _events.decode(line)
        except msgspec.ValidationError:
            event = None
        if event is not None and event.op in OPS:
            return Read(placed(event), b"")
    message = _messages.decode(line)
    if message is None:
        return None
    body, schema = line, b""
    if message.payload:
        body, schema = bytes(message.payload), bytes(message.schema)
        message = _messages.decode(body)
        if message is None:
            return None
    if message.status is not None:
        return _statuses.decode(body)
    if message.op is None or message.op == "m":
        return None
    if message.op not in OPS:
        raise ValueError(f'op "{message.op}" is unknown')
    return Read(placed(_events.decode(body)), schema)


def unwrapped(text: bytes) -> tuple[bytes, bytes]:
    """Lines without their schema, where all of them say the same one.

    Raises msgspec.DecodeError.
    """
    first = text[: text.find(b"\n")]
    found = _messages.decode(first)
    payload = b"" if found is None else bytes(found.payload)
    before, behind = first[: -len(payload) - 1], first[-len(payload) - 1 :]
    lines = text.count(b"\n")
    if found is None or not payload or behind != payload + b"}" or not text.endswith(b"}\n"):
        return text, b""
    if text.count(b"}\n" + before) != lines - 1:
        return text, b""
    alone = text[len(before) : -2].replace(b"}\n" + before, b"\n")
    return alone + b"\n", bytes(found.schema)
