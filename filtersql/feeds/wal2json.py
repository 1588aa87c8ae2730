"""The feed format wal2json: what the output plugin writes with `format-version` 2.

Example
    `pg_recvlogical --plugin wal2json -o format-version=2 -o include-lsn=1 --start -f changes.json`

    ========== ==================================================================
    action     becomes
    ========== ==================================================================
    B, C       where a transaction begins, and the commit record that ends it
    I, U, D    a change; U: a column that `columns` lacks was not sent
    T          truncates: those at one LSN are one statement's, parents included
    M          nothing
    ========== ==================================================================

NaN and infinity are written as null, unless `numeric-data-types-as-string` is set.

wal2json
    wal2json.c, pg_decode_write_tuple() and pg_decode_truncate_v2()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from filtersql.catalog import Catalog, Table
from filtersql.changes import may_be_out_of_line
from filtersql.definitions.model import Feed
from filtersql.errors.feeds import AMBIGUOUS_VALUE, UNREADABLE_EVENT
from filtersql.feeds.landings import Needed, is_needed
from filtersql.feeds.lines import FeedFile, chunks, line_span, lines_in
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.positions import is_lsn, lsn, seq_at
from filtersql.feeds.records import Number, Record, relation_written
from filtersql.feeds.wal2json_events import HINT, Column, Event, OpenTransaction, read_event
from filtersql.names import RelationName

__all__ = ["Reader", "Wal2json"]

_NUMBERS = frozenset({"float4", "float8", "numeric"})
_OPS = {"I": "insert", "U": "update", "D": "delete"}
_AS_TEXT = "numeric_data_types_as_string"
#: a sign and the digits of an int8
_LONGEST = 20
_text = msgspec.json.Decoder(str)


class Reader(Struct):
    """Makes changes of events, one after the other."""

    catalog: Catalog
    feed: Feed
    mistakes: list[PlacedMistake]
    lowest: int
    needed: Needed = None
    open: OpenTransaction | None = None
    #: one that was open when an earlier one began again: it has to come again, too
    broken: OpenTransaction | None = None
    #: changes of a transaction that began before the first file; where those that are applied
    #: commit, by file
    orphans: list[Place] = field(default_factory=list)
    applied: dict[str, int] = field(default_factory=dict)
    #: the events of a TRUNCATE, which end where another log position begins: it, and the changes
    truncates: list[tuple[Place, str | None, Record]] = field(default_factory=list)

    def take(self, place: Place, event: Event) -> Iterator[tuple[Place, Record]]:
        """The changes that are known with an event."""
        if self.truncates and not (event.action == "T" and event.lsn == self.truncates[0][1]):
            yield from self.flush()
        if event.action == "M":
            return
        if event.action == "B":
            self.lose()
            self.open = self._begin(place, event)
            return
        if self.open is None:
            self._orphan(place, event)
            return
        if event.action == "C":
            if event.lsn not in (None, self.open.tx):
                # Lines between them are missing, or files come in another order.
                self._refuse(place, f"it ends another transaction than {self.open.tx}")
            yield place, Record(self.open.next(), "commit", tx=self.open.tx)
            self.open = None
        elif event.action == "T":
            change = Record(self.open.next(), "truncate", _relation(event), tx=self.open.tx)
            self.truncates.append((place, event.lsn, change))
        elif event.action in _OPS:
            yield from self._change(place, event, self.open)
        else:
            self._refuse(place, f'action "{event.action}" is unknown')

    def lose(self) -> None:
        """Changes whose transaction did not begin are mistakes."""
        for place in self.orphans:
            self._refuse(place, "it stands outside of a transaction")
        self.orphans = []

    def _orphan(self, place: Place, event: Event) -> None:
        """A change of a transaction that began in a file that is not read any more."""
        self.orphans.append(place)
        ends = event.lsn if event.action == "C" and is_lsn(event.lsn or "") else None
        if ends is not None and (seq := seq_at(lsn(ends), 0)) <= self.lowest:
            self.applied.update((shown, seq) for shown, *_ in self.orphans)
            self.orphans = []

    def flush(self) -> Iterator[tuple[Place, Record]]:
        """The changes of one TRUNCATE: each names all tables of the statement."""
        names = [one.relation for *_, one in self.truncates if one.relation is not None]
        for place, _, change in self.truncates:
            change.relations = names
            yield place, change
        self.truncates = []

    def _begin(self, place: Place, event: Event) -> OpenTransaction | None:
        try:
            position = lsn(event.lsn or "")
        except ValueError:
            self._refuse(place, "the transaction has no log position", "Record with include-lsn=1.")
            return None
        unfinished = self.broken or self.open
        if unfinished is not None and position > unfinished.commit:
            self._refuse(place, f"the transaction before it, {unfinished.tx}, has no end")
        # Behind a connection that was lost all is sent again, from an earlier transaction on.
        earlier = unfinished is not None and position < unfinished.commit
        self.broken = unfinished if earlier else None
        return OpenTransaction(position, event.lsn or "")

    def _change(
        self, place: Place, event: Event, transaction: OpenTransaction
    ) -> Iterator[tuple[Place, Record]]:
        seq, op = transaction.next(), _OPS[event.action]
        table = self.catalog.tables.get(RelationName(event.schema or "", event.table or ""))
        before = self._image(place, event.identity, table)
        after = self._image(place, event.columns, table)
        change = Record(seq, op, _relation(event), before, after, tx=transaction.tx)
        if table is not None and after is not None and event.action == "U":
            change.unchanged = [
                column.name
                for column in table.columns
                if column.name not in after
                and column.generated is None
                and may_be_out_of_line(column)
            ] or None
        yield place, change

    def _image(
        self, place: Place, columns: list[Column] | None, table: Table | None
    ) -> dict[str, Any] | None:
        if columns is None:
            return None
        image: dict[str, Any] = {}
        for each in columns:
            known = None if table is None else table.column(each.name)
            type_name = None if known is None else known.type.name
            value = image[each.name] = self._value(place, bytes(each.value), type_name)
            if (
                table is not None
                and value is None
                and type_name in _NUMBERS
                and not self._numbers_are_told()
                and is_needed(self.needed, table.name, each.name)
            ):
                mistake = AMBIGUOUS_VALUE(
                    line_span(*place),
                    column=each.name,
                    table=table.name,
                    form="wal2json",
                    means="NULL, NaN and infinity",
                    remedy="Record with numeric-data-types-as-string=1 and say"
                    f" `{_AS_TEXT}: true`; or say `assume: [finite_numbers]`.",
                )
                self.mistakes.append((place, mistake))
        if len(image) < len(columns):
            self._refuse(place, "a column stands twice")
        return image

    def _value(self, place: Place, raw: bytes, type_name: str | None) -> object:
        """JSON's scalar; a number that is not a plain integer stays as it is written."""
        try:
            text = _text.decode(raw) if raw[:1] == b'"' else raw.decode()
        except (msgspec.DecodeError, UnicodeError) as error:  # a value is not looked at before
            self._refuse(place, str(error))
            return None
        match raw[:1]:
            case b'"':
                return f"\\x{text}" if type_name == "bytea" else text
            case b"n":
                return None
            case b"t" | b"f":
                return raw == b"true"
        if self.feed.options.get(_AS_TEXT) == "true":
            self._refuse(place, f"it holds a number, and `{_AS_TEXT}` is said")
        plain = text.removeprefix("-").isdigit() and text != "-0" and len(text) <= _LONGEST
        return int(text) if plain else Number(text)

    def _numbers_are_told(self) -> bool:
        return self.feed.options.get(_AS_TEXT) == "true" or "finite_numbers" in self.feed.assume

    def _refuse(self, place: Place, reason: str, hint: str | None = None) -> None:
        mistake = UNREADABLE_EVENT(
            line_span(*place), form="wal2json", reason=reason, hint=hint or HINT
        )
        self.mistakes.append((place, mistake))


def _relation(event: Event) -> str | list[str]:
    """The table of an event, as a change names it."""
    return relation_written(event.schema or "", event.table or "")


class Wal2json(Struct, frozen=True):
    """Files in the order of their names; a transaction may go on in the next one.

    `last` is the last seq of each file after a read, of its open transaction's too. Some target
    stands at `lowest`: a transaction up to there need not have its beginning any more.
    """

    files: Sequence[FeedFile]
    feed: Feed
    catalog: Catalog
    lowest: int = -1
    needed: Needed = None
    last: dict[str, int] = field(default_factory=dict)

    def records(self, mistakes: list[PlacedMistake]) -> Iterator[tuple[Place, Record]]:
        """The changes, file by file."""
        reader = Reader(self.catalog, self.feed, mistakes, self.lowest, self.needed)
        for file in self.files:
            for place in lines_in(chunks(file)):
                if (event := read_event(place, mistakes)) is not None:
                    for found in reader.take(place, event):
                        self._count(found[0][0], found[1].seq)
                        yield found
            if reader.open is not None:
                self._count(file.shown, seq_at(reader.open.commit, reader.open.count))
        # A TRUNCATE at the end of the feed may go on: its transaction is not complete yet.
        yield from reader.flush()
        reader.lose()
        for applied in reader.applied.items():
            self._count(*applied)

    def _count(self, shown: str, seq: int) -> None:
        self.last[shown] = max(seq, self.last.get(shown, -1))
