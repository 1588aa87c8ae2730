"""The rows of files of DMS, and what orders them: `batch.keys(column)` of `batches_of(files)`.

Example
    ================================== ================ =========================
    file                               sequence         key
    ================================== ================ =========================
    public/t1/LOAD00000001.csv                          0, 0
    public/t1/20260102-030405678.csv   2026010203040567 82063824568, 17
                                       0000000000000000
                                       017
    ================================== ================ =========================

AWS
    Using Amazon S3 as a target: AddColumnName; AR_H_CHANGE_SEQ, TimestampColumnName
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import repeat
from pathlib import PurePath

import msgspec
import pyarrow
from msgspec import Struct
from pyarrow import parquet

from filtersql.errors import Mistakes
from filtersql.errors.feeds import UNREADABLE_FEED_FILE
from filtersql.feeds.datetimes import python_values
from filtersql.feeds.lines import FeedFile, check_read, opened
from filtersql.feeds.places import Place
from filtersql.names import RelationName

__all__ = ["HINT", "RANK_BITS", "Batch", "Key", "Row", "batches_of", "is_load_file", "table_of"]

HINT = "Write files with AddColumnName, below folders of the schema and the table."
#: numbers of the changes that share a hundredth of a second
RANK_BITS = 24
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_CHANGE_SEQ = re.compile(r"(\d{14})(\d\d)(\d{19})", re.ASCII)

#: rows that are read at a time: so many, or so many bytes of CSV
_MOST_ROWS = 20_000
_MOST_SIZE = 4 * 2**20

#: a value may be as long as PostgreSQL's are
csv.field_size_limit(2**31 - 1)

Row = Mapping[str, object]
#: the hundredth of a second of a change, and what orders those that share it
Key = tuple[int, int]


class Batch(Struct, frozen=True):
    """Some rows of a file, each with its number; values stand as the header has their columns."""

    shown: str
    header: Sequence[str]
    numbers: Sequence[int]
    rows: Sequence[Sequence[object]]
    size: int

    @property
    def table(self) -> RelationName:
        """The table whose rows they are."""
        return table_of(self.shown)

    @property
    def is_csv(self) -> bool:
        """Whether a text stands for NULL in it."""
        return not _is_parquet(PurePath(self.shown))

    @property
    def is_load(self) -> bool:
        """Whether they are rows of the full load."""
        return is_load_file(self.shown)

    def row(self, number: int) -> Row:
        """One of them."""
        return dict(zip(self.header, self.rows[number], strict=True))

    def place(self, number: int) -> Place:
        """Where one of them stands, and what it says."""
        text = msgspec.json.encode(self.row(number), enc_hook=str)
        return self.shown, self.numbers[number], text

    def column(self, name: str) -> Sequence[object]:
        """What each of them has in a column; None where there is no such column."""
        if name not in self.header:
            return [None] * len(self.rows)
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def keys(self, column: str) -> Iterator[Key | None]:
        """What orders each of them, by its value in a column; None where that cannot be read.

        Rows of the full load have (0, 0).
        """
        return repeat((0, 0), len(self.rows)) if self.is_load else map(_key, self.column(column))


def batches_of(files: Sequence[FeedFile]) -> Iterator[Batch]:
    """All rows, some thousand at a time. Raises Mistakes."""
    for file in files:
        yield from (_parquet if _is_parquet(file.path) else _csv)(file)


def _is_parquet(path: PurePath) -> bool:
    return ".parquet" in path.suffixes


@lru_cache(maxsize=64)
def table_of(shown: str) -> RelationName:
    """The table that the last two folders of a file name."""
    folders = PurePath(shown).parent.parts
    return RelationName(*folders[-2:]) if len(folders) > 1 else RelationName("", "")


@lru_cache(maxsize=64)
def is_load_file(shown: str) -> bool:
    """Whether a file is one of the full load."""
    return PurePath(shown).name.startswith("LOAD")


def _key(written: object) -> Key | None:
    """A sequence value as hundredths of a second and a number inside."""
    text = str(written)
    try:
        if match := _CHANGE_SEQ.fullmatch(text):
            return _moment(match[1]) + int(match[2]), int(match[3])
        if isinstance(written, int) or text.isdigit():
            return None if int(text) >> (63 - RANK_BITS) else (int(text) + 1, 0)
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=moment.tzinfo or UTC)
        return _hundredths(moment) + moment.microsecond // 10_000, moment.microsecond % 10_000
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _moment(digits: str) -> int:
    """Year, month, day, hour, minute and second. Raises ValueError."""
    return _hundredths(datetime.strptime(f"{digits}+0000", "%Y%m%d%H%M%S%z"))


def _hundredths(moment: datetime) -> int:
    since = moment.replace(microsecond=0) - _EPOCH
    if since.days < 0:
        raise ValueError(moment)
    return (since.days * 86_400 + since.seconds) * 100 + 1


def _csv(file: FeedFile) -> Iterator[Batch]:
    """The rows with their lines; the first line names the columns."""
    with opened(file) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
        reader = csv.reader(text, strict=True)
        try:
            header = _once(file, next(reader, []))
            numbers: list[int] = []
            rows: list[list[str]] = []
            begin = 0
            for values in reader:
                if len(values) != len(header):
                    raise csv.Error(f"line {reader.line_num} has {len(values)} values")
                numbers.append(reader.line_num)
                rows.append(values)
                if (size := stream.tell() - begin) >= _MOST_SIZE or len(rows) >= _MOST_ROWS:
                    yield Batch(file.shown, header, numbers, rows, size)
                    numbers, rows, begin = [], [], begin + size
            check_read(file, stream.tell(), file.size)
            if rows or not begin:
                yield Batch(file.shown, header, numbers, rows, stream.tell() - begin)
        except (csv.Error, UnicodeError, OSError, EOFError) as error:
            raise Mistakes([UNREADABLE_FEED_FILE(path=file.shown, reason=str(error))]) from None


def _parquet(file: FeedFile) -> Iterator[Batch]:
    """The rows with their numbers, values as PostgreSQL's text."""
    try:
        source = parquet.ParquetFile(file.path)
        header = _once(file, source.schema_arrow.names)
        number = 1
        for batch in source.iter_batches(_MOST_ROWS):
            values = [[*map(_plain, python_values(column))] for column in batch.columns]
            numbers = range(number, number + batch.num_rows)
            rows = [*zip(*values, strict=True)]
            yield Batch(file.shown, header, numbers, rows, batch.nbytes)
            number += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise Mistakes([UNREADABLE_FEED_FILE(path=file.shown, reason=str(error))]) from None


def _once(file: FeedFile, header: Sequence[str]) -> Sequence[str]:
    """The names of columns. Raises Mistakes: readers differ in which of two they take."""
    for name, count in Counter(header).items():
        if count > 1:
            reason = f'column "{name}" stands twice in its header'
            raise Mistakes([UNREADABLE_FEED_FILE(path=file.shown, reason=reason, hint=HINT)])
    return header


def _plain(value: object) -> object:
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value if value is None or isinstance(value, bool | int | str) else str(value)
