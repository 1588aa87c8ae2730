"""The feed format debezium: values that Debezium's PostgreSQL connector sends, one on a line.

Example
    `changes: {format: debezium, path: "topics/*.jsonl", decimal_handling_mode: string}`

    ========== ==================================================================
    op         becomes
    ========== ==================================================================
    r          read: a row of the snapshot
    c, u, d    a change; d and c of one table at one log position are one UPDATE
    t          truncate; whether a partitioned parent was named is not told
    m          nothing; so are tombstones, heartbeats and schema changes
    ========== ==================================================================

The order is that of commits: `source.sequence` holds the position behind the commit before. Where
transaction metadata come with the changes, a transaction is complete when its END says so.

Debezium
    SourceInfo.java and PostgresChangeRecordEmitter.java of debezium-connector-postgres
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from filtersql.catalog import Catalog, Table
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake
from filtersql.errors.feeds import (
    AMBIGUOUS_VALUE,
    INCOMPLETE_TRANSACTION,
    REPEATED_ROW,
    TORN_LINE,
    UNREADABLE_EVENT,
)
from filtersql.feeds.debezium_order import Cursor, Event, Index, Status, slot
from filtersql.feeds.debezium_values import Ambiguous, Decoder, Unsent
from filtersql.feeds.images import Needed, is_needed
from filtersql.feeds.lines import FeedFile, line_span, lines
from filtersql.feeds.records import Number, Record, relation_name
from filtersql.feeds.staging import Place
from filtersql.names import RelationName

__all__ = ["Debezium", "open_feed"]

_OPS = {"r": "read", "c": "insert", "u": "update", "d": "delete", "t": "truncate"}
_HINT = "A line is the value of one Kafka message, as Debezium's JSON converter writes it."


class _Message(msgspec.Struct, frozen=True, gc=False):
    """The parts of a value that all kinds share; with a schema all of them are in `payload`."""

    payload: msgspec.Raw = msgspec.Raw()
    schema: msgspec.Raw = msgspec.Raw()
    op: str | None = None
    status: str | None = None


_messages = msgspec.json.Decoder(_Message | None)
_events = msgspec.json.Decoder(Event)
_statuses = msgspec.json.Decoder(Status)
_images = msgspec.json.Decoder(dict[str, Any] | None, float_hook=Number)


class _Read(Struct, frozen=True):
    """A change with its image texts; `schema` is empty where the line has none."""

    event: Event
    schema: bytes


class Debezium(Struct, frozen=True):
    """Files of Debezium's values: their order is known, and they are ready to be read."""

    files: Sequence[FeedFile]
    feed: Feed
    catalog: Catalog
    index: Index
    #: where the target that is farthest behind stands
    lowest: int = -1
    needed: Needed = None
    #: partitioned tables whose rows the snapshot holds a second time, as those of their leaves
    covered: set[RelationName] = field(default_factory=set)
    decoders: dict[tuple[RelationName, bytes], Decoder] = field(default_factory=dict)

    @property
    def closed(self) -> bool:
        """Whether no message tells where transactions end."""
        return not self.index.ends

    def records(self, mistakes: list[tuple[Place, Mistake]]) -> Iterator[tuple[Place, Record]]:
        """The changes, file by file."""
        halves: dict[tuple[object, ...], tuple[int, _Read]] = {}
        cursor = Cursor(self.index)
        for place, found in self.messages(mistakes):
            if isinstance(found, Status):
                yield from self._end(place, found, mistakes)
                continue
            event = found.event
            seq = cursor.seq(event)
            if place[:2] in self.index.doubts:
                mistakes.append((place, REPEATED_ROW(line_span(*place), table=event.relation)))
            if seq is None or (event.op == "r" and event.relation in self.covered):
                continue  # it was read before
            if not self.index.is_half(event):
                yield from self._change(place, seq, _OPS[event.op], found, found, mistakes)
                continue
            key = (event.bucket, event.lsn, event.relation)
            if key not in halves:
                halves[key] = (seq, found)
            elif halves[key][1].event.op != event.op:
                first, other = halves.pop(key)
                old, new = (other, found) if event.op == "c" else (found, other)
                yield from self._change(place, min(first, seq), "update", old, new, mistakes)

    def _end(
        self, place: Place, status: Status, mistakes: list[tuple[Place, Mistake]]
    ) -> Iterator[tuple[Place, Record]]:
        """The commit record of a transaction whose changes are numbered, and are all there."""
        newest = self.index.newest.get(status.tx) if status.status == "END" else None
        if newest is None or newest < self.lowest:
            return  # it is applied, so the files of some of its changes need not be here
        for each in status.data_collections or []:
            name = relation_name(each.data_collection)
            here = len(self.index.counts.get((status.tx, each.data_collection), ()))
            if name in self.catalog.tables and here != each.event_count:
                span = line_span(*place)
                wrong = INCOMPLETE_TRANSACTION(
                    span, tx=status.tx, table=str(name), found=here, told=each.event_count
                )
                mistakes.append((place, wrong))
        yield place, Record(newest + 1, "commit", tx=status.tx)

    def messages(
        self, mistakes: list[tuple[Place, Mistake]]
    ) -> Iterator[tuple[Place, _Read | Status]]:
        """What concerns rows: changes, and where transactions end."""
        for file in self.files:
            for number, line in lines(file):
                place = (file.shown, number, line)
                try:
                    found = _message(line)
                except (msgspec.DecodeError, UnicodeError, ValueError) as error:
                    span = line_span(*place)
                    torn = not line.endswith(b"\n") and _is_syntax(error)
                    wrong = UNREADABLE_EVENT(span, form="Debezium", reason=str(error), hint=_HINT)
                    mistakes.append((place, TORN_LINE(span) if torn else wrong))
                    continue
                if found is not None:
                    yield place, found

    def _change(
        self,
        place: Place,
        seq: int,
        op: str,
        old: _Read,
        new: _Read,
        mistakes: list[tuple[Place, Mistake]],
    ) -> Iterator[tuple[Place, Record]]:
        name = new.event.relation
        parts = [name.schema, name.name]
        written = parts if any("." in part for part in parts) else ".".join(parts)
        change = Record(seq, op, written, tx=None if op == "read" else new.event.tx)
        table = self.catalog.tables.get(name)
        try:
            before, after = _images.decode(old.event.before), _images.decode(new.event.after)
            if table is not None:
                self._decoder(table, old.schema), self._decoder(table, new.schema)
        except (msgspec.DecodeError, UnicodeError) as error:  # neither was looked at before
            wrong = UNREADABLE_EVENT(
                line_span(*place), form="Debezium", reason=str(error), hint=_HINT
            )
            mistakes.append((place, wrong))
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
            kept = table.columns if self.feed.before_complete else ()
            logged = {column.name for column in kept} | set(table.identity_columns)
            only = {column: value for column, value in before.items() if column in logged}
            change.before = self._image(place, table, only, old, mistakes, [], False)
        if after is not None:
            change.after = self._image(place, table, after, new, mistakes, unsent, op == "update")
        change.unchanged = unsent or None
        if len(mistakes) == known:
            yield place, change

    def _image(
        self,
        place: Place,
        table: Table,
        written: dict[str, Any],
        read: _Read,
        mistakes: list[tuple[Place, Mistake]],
        unsent: list[str],
        update: bool,
    ) -> dict[str, Any]:
        decoder = self._decoder(table, read.schema)
        image: dict[str, Any] = {}
        for name, value in written.items():
            try:
                image[name] = decoder.value(name, value, update=update)
            except Unsent:
                unsent.append(name)
            except Ambiguous as why:
                if not is_needed(self.needed, table.name, name):
                    continue
                span = line_span(*place)
                wrong = AMBIGUOUS_VALUE(
                    span,
                    column=name,
                    table=table.name,
                    form="Debezium",
                    means=why.means,
                    remedy=why.remedy,
                )
                mistakes.append((place, wrong))
            except ValueError as error:
                reason = f'column "{name}": {error}'
                mistakes.append(
                    (
                        place,
                        UNREADABLE_EVENT(
                            line_span(*place), form="Debezium", reason=reason, hint=_HINT
                        ),
                    )
                )
        return image

    def _decoder(self, table: Table, schema: bytes) -> Decoder:
        key = (table.name, schema)
        if key not in self.decoders:
            self.decoders[key] = Decoder.of(table, self.feed, schema)
        return self.decoders[key]


def open_feed(
    files: Sequence[FeedFile], feed: Feed, catalog: Catalog, lowest: int, needed: Needed = None
) -> Debezium:
    """Read the files once, for the order of their changes."""
    opened = Debezium(files, feed, catalog, Index(), lowest, needed)
    reads: Counter[RelationName] = Counter()
    for place, found in opened.messages([]):
        if isinstance(found, Status):
            opened.index.ends[found.tx] = found
        else:
            table = catalog.tables.get(found.event.relation)
            keyed = table is None or bool(table.primary_key)
            opened.index.add(found.event, place, keyed=keyed)
            reads[found.event.relation] += found.event.op == "r"
    opened.index.finish()
    opened.covered.update(_covered(reads, catalog))
    return opened


def _covered(reads: Mapping[RelationName, int], catalog: Catalog) -> Iterator[RelationName]:
    """The partitioned tables that have as many rows as their leaves: a snapshot is one moment."""
    for name, count in reads.items():
        table = catalog.tables.get(name)
        if table is not None and table.partition_by is not None:
            below = (
                found
                for leaf, found in reads.items()
                if (known := catalog.tables.get(leaf)) is not None
                and known.partition_by is None
                and any(each.name == name for each in catalog.ancestors(leaf))
            )
            if sum(below) == count:
                yield name


def _message(line: bytes) -> _Read | Status | None:
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
    if message.op not in _OPS:
        raise ValueError(f'op "{message.op}" is unknown')
    event = _events.decode(body)
    event.bucket = slot(event)
    return _Read(event, schema)


def _is_syntax(error: Exception) -> bool:
    return not isinstance(error, msgspec.ValidationError) and isinstance(error, msgspec.DecodeError)
