"""The feed format dms: CSV and Parquet files that AWS DMS writes to S3, with column names.

Example
    `changes: {format: dms, path: "dms/*/*/*.csv", sequence: AR_H_CHANGE_SEQ, before_image: true}`

    ================================== =============================================
    file                               holds
    ================================== =============================================
    public/t1/LOAD00000001.csv         rows of the full load, with or without `Op`
    public/t1/20260102-030405678.csv   changes: `Op` is I, U or D
    ================================== =============================================

The last two folders name the table. `sequence` is the column that a transformation rule
(AR_H_CHANGE_SEQ) or TimestampColumnName adds; changes of one hundredth of a second are in the order
of that column, then of their files. `BI_` columns hold old rows.

AWS
    Using Amazon S3 as a target: AddColumnName, CsvNullValue, BeforeImageSettings
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any

import msgspec
import pyarrow
from msgspec import Struct, field
from pyarrow import parquet

from filtersql.catalog import Catalog, Table
from filtersql.changes import may_be_out_of_line
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import (
    AMBIGUOUS_VALUE,
    DISORDERED_FILES,
    LATE_LOAD,
    LOST_BEGINNING,
    UNREADABLE_EVENT,
    UNREADABLE_FEED_FILE,
)
from filtersql.feeds.datetimes import python_values
from filtersql.feeds.landings import Needed, is_needed
from filtersql.feeds.lines import FeedFile, line_span, opened
from filtersql.feeds.places import Place
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["Dms"]

_RANK_BITS = 24
_OPS = {"I": "insert", "U": "update", "D": "delete"}
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_CHANGE_SEQ = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{19})", re.ASCII)
_ZONE = re.compile(r"(?:[+-]\d\d(?::?\d\d)*|Z)$", re.ASCII)
_HINT = "Write files with AddColumnName, below folders of the schema and the table."
_BEFORE = "BI_"

Row = Mapping[str, object]
#: the place of a change, and what orders those that share it
Key = tuple[int, int]


class Dms(Struct):
    """Files of DMS: `index` gives each change its seq, then `records` reads them again."""

    files: Sequence[FeedFile]
    feed: Feed
    catalog: Catalog
    lowest: int
    needed: Needed = None
    seqs: list[int] = field(default_factory=list)
    last: dict[str, int] = field(default_factory=dict)
    wrong: list[tuple[Place, Mistake]] = field(default_factory=list)

    def index(self) -> Dms:
        """Read the files once, for the order of their changes. Raises Mistakes."""
        keys: list[tuple[Key, str]] = []
        newest: dict[tuple[RelationName, bool], Key] = {}
        for place, name, row in self._rows():
            key, load = self._key(place, row), _is_load(place)
            if load and self.lowest >= 0:
                raise Mistakes([LATE_LOAD(shown=place[0])])
            if not load and key < newest.get((name, load), (0, 0)):
                self.wrong.append((place, DISORDERED_FILES(line_span(*place), table=name)))
            newest[name, load] = key
            keys.append((key, place[0]))
        order = sorted(range(len(keys)), key=lambda number: keys[number][0])
        self.seqs = [0] * len(keys)
        ranks: dict[int, int] = {}
        for number in order:
            bucket = keys[number][0][0]
            self.seqs[number] = (bucket << _RANK_BITS) + ranks.get(bucket, 0)
            ranks[bucket] = ranks.get(bucket, 0) + 1
        at = self.lowest >> _RANK_BITS
        if self.lowest >= 0 and 0 < ranks.get(at, 0) <= self.lowest - (at << _RANK_BITS):
            raise Mistakes([LOST_BEGINNING(seq=self.lowest, hint=_KEEP)])
        for (bucket, _), shown in (each for each in keys):
            end = (bucket << _RANK_BITS) + ranks[bucket] - 1
            # The file of a full load need not be read again to number what comes behind it.
            end -= bucket == 0
            self.last[shown] = max(end, self.last.get(shown, -1))
        return self

    def records(self, mistakes: list[tuple[Place, Mistake]]) -> Iterator[tuple[Place, Record]]:
        """The changes, file by file."""
        mistakes += self.wrong
        for seq, (place, name, row) in zip(self.seqs, self._rows(), strict=True):
            known = len(mistakes)
            change = self._change(seq, place, name, row, mistakes)
            if len(mistakes) == known and change is not None:
                yield place, change

    def _rows(self) -> Iterator[tuple[Place, RelationName, Row]]:
        for file in self.files:
            folders = PurePath(file.shown).parent.parts
            name = RelationName(*folders[-2:]) if len(folders) > 1 else RelationName("", "")
            reader = _parquet if ".parquet" in file.path.suffixes else _csv
            for number, row in reader(file):
                shown = msgspec.json.encode(row, enc_hook=str)
                yield (file.shown, number, shown), name, row

    def _key(self, place: Place, row: Row) -> Key:
        if _is_load(place):
            return 0, 0
        written = row.get(self.feed.options.get("sequence", ""))
        try:
            return _number(written)
        except ValueError:
            reason = f"its sequence column holds {written}"
            if "sequence" not in self.feed.options:
                reason = "`sequence` does not say which column orders changes"
            wrong = UNREADABLE_EVENT(line_span(*place), form="DMS", reason=reason, hint=_HINT)
            self.wrong.append((place, wrong))
            return 1, 0

    def _change(
        self,
        seq: int,
        place: Place,
        name: RelationName,
        row: Row,
        mistakes: list[tuple[Place, Mistake]],
    ) -> Record | None:
        written = str(row.get("Op", "I"))
        op = "read" if _is_load(place) else _OPS.get(written)
        if op is None or (not _is_load(place) and "Op" not in row):
            reason = f'op "{written}" is unknown' if "Op" in row else "it has no column Op"
            mistakes.append(
                (place, UNREADABLE_EVENT(line_span(*place), form="DMS", reason=reason, hint=_HINT))
            )
            return None
        table = self.catalog.tables.get(name)
        relation = [name.schema, name.name]
        own = {"Op", self.feed.options.get("sequence", "Op")}
        after = {key: value for key, value in row.items() if key not in own}
        old = {key: after.pop(key) for key in list(after) if _is_old(key, table)}
        if table is None:
            return Record(seq, op, relation, None, after)
        after = self._values(place, table, after, mistakes)
        before = self._before(place, table, op, after, old, mistakes)
        return Record(seq, op, relation, before, None if op == "delete" else after)

    def _before(
        self,
        place: Place,
        table: Table,
        op: str,
        after: dict[str, Any],
        old: Row,
        mistakes: list[tuple[Place, Mistake]],
    ) -> dict[str, Any] | None:
        """What is known of the old row: its identity, unless the feed says that it is whole."""
        if op in ("insert", "read"):
            return None
        logged = set(table.identity_columns)
        if self.feed.before_complete:
            logged = {column.name for column in table.columns}
        if self.feed.options.get("before_image") == "true":
            plain = {key.removeprefix(_BEFORE): value for key, value in old.items()}
            known = {key: value for key, value in plain.items() if key in logged}
            return self._values(place, table, known, mistakes) if known else None
        if op == "update":
            return None
        return {key: value for key, value in after.items() if key in logged}

    def _values(
        self, place: Place, table: Table, row: Row, mistakes: list[tuple[Place, Mistake]]
    ) -> dict[str, Any]:
        """The values of an image; NULL, where CSV has its own word for it."""
        null = self.feed.options.get("csv_null_value")
        found: dict[str, Any] = {}
        for name, value in row.items():
            column = table.column(name)
            if not isinstance(value, str) or column is None:
                found[name] = value
            elif value == (null if null is not None else "NULL"):
                found[name] = None
                told = null is not None or not may_be_out_of_line(column)
                if not told and is_needed(self.needed, table.name, name):
                    means = "NULL and the text that stands for it"
                    remedy = "Say `csv_null_value`, a text that no column has (DMS: CsvNullValue)."
                    span = line_span(*place)
                    wrong = AMBIGUOUS_VALUE(
                        span, column=name, table=table.name, form="DMS", means=means, remedy=remedy
                    )
                    mistakes.append((place, wrong))
            else:
                found[name] = _written(value, column.type.name)
        return found


_KEEP = "Keep the files of a target's last hundredth of a second."


def _is_load(place: Place) -> bool:
    return PurePath(place[0]).name.startswith("LOAD")


def _is_old(key: str, table: Table | None) -> bool:
    return key.startswith(_BEFORE) and (table is None or table.column(key) is None)


def _number(written: object) -> Key:
    """A sequence value as hundredths of a second and a number inside. Raises ValueError."""
    text = str(written)
    if match := _CHANGE_SEQ.fullmatch(text):
        *when, hundredth, number = map(int, match.groups())
        year, month, day, hour, minute, second = when
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        return _hundredths(moment) + hundredth, number
    if isinstance(written, int) or text.isdigit():
        if int(text) >> (63 - _RANK_BITS):
            raise ValueError(text)
        return int(text) + 1, 0
    moment = datetime.fromisoformat(text)
    moment = moment.replace(tzinfo=moment.tzinfo or UTC)
    hundredths = _hundredths(moment) + moment.microsecond // 10_000
    return hundredths, moment.microsecond % 10_000


def _hundredths(moment: datetime) -> int:
    since = moment.replace(microsecond=0) - _EPOCH
    if since.days < 0:
        raise ValueError(moment)
    return (since.days * 86_400 + since.seconds) * 100 + 1


def _written(value: str, type_name: str) -> str:
    """A value as PostgreSQL writes it: DMS gives moments in UTC without saying so, bytes in hex."""
    if type_name == "timestamptz" and not _ZONE.search(value):
        return f"{value}+00"
    if type_name == "bytea" and not value.startswith("\\x"):
        return f"\\x{value.removeprefix('0x')}"
    return value


def _csv(file: FeedFile) -> Iterator[tuple[int, Row]]:
    """The rows with their lines; the first line names the columns."""
    with opened(file) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, strict=True)
        try:
            header = next(reader, [])
            for values in reader:
                if len(values) != len(header):
                    raise csv.Error(f"line {reader.line_num} has {len(values)} values")
                yield reader.line_num, dict(zip(header, values, strict=True))
        except (csv.Error, UnicodeError, OSError, EOFError) as error:
            raise Mistakes([UNREADABLE_FEED_FILE(path=file.shown, reason=str(error))]) from None


def _parquet(file: FeedFile) -> Iterator[tuple[int, Row]]:
    """The rows with their numbers, values as PostgreSQL's text."""
    try:
        source = parquet.ParquetFile(file.path)
        number = 0
        for batch in source.iter_batches():
            names = batch.schema.names
            for row in zip(*map(python_values, batch.columns), strict=True):
                number += 1
                yield number, dict(zip(names, map(_plain, row), strict=True))
    except (pyarrow.ArrowException, OSError) as error:
        raise Mistakes([UNREADABLE_FEED_FILE(path=file.shown, reason=str(error))]) from None


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value if value is None or isinstance(value, bool | int | str) else str(value)
