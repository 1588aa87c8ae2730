"""The rows of files of DMS, and what orders them: `rows_of(files)`, `key_of(place, row, column)`.

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
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import PurePath

import msgspec
import pyarrow
from pyarrow import parquet

from filtersql.errors import Mistakes
from filtersql.errors.feeds import UNREADABLE_FEED_FILE
from filtersql.feeds.datetimes import python_values
from filtersql.feeds.lines import FeedFile, check_read, opened
from filtersql.feeds.places import Place
from filtersql.names import RelationName

__all__ = ["RANK_BITS", "Key", "Row", "is_load", "is_load_file", "key_of", "rows_of", "table_of"]

#: numbers of the changes that share a hundredth of a second
RANK_BITS = 24
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
_CHANGE_SEQ = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{19})", re.ASCII)

Row = Mapping[str, object]
#: the hundredth of a second of a change, and what orders those that share it
Key = tuple[int, int]


def rows_of(files: Sequence[FeedFile]) -> Iterator[tuple[Place, RelationName, Row]]:
    """All rows, with their places and tables. Raises Mistakes."""
    for file in files:
        name = table_of(file.shown)
        reader = _parquet if ".parquet" in file.path.suffixes else _csv
        for number, row in reader(file):
            shown = msgspec.json.encode(row, enc_hook=str)
            yield (file.shown, number, shown), name, row


def table_of(shown: str) -> RelationName:
    """The table that the last two folders of a file name."""
    folders = PurePath(shown).parent.parts
    return RelationName(*folders[-2:]) if len(folders) > 1 else RelationName("", "")


def key_of(place: Place, row: Row, column: str) -> Key:
    """What orders a row: the value of a column; (0, 0) in the full load. Raises ValueError."""
    return (0, 0) if is_load(place) else _number(row.get(column))


def is_load(place: Place) -> bool:
    """Whether it is in a file of the full load."""
    return is_load_file(place[0])


@lru_cache(maxsize=64)
def is_load_file(shown: str) -> bool:
    """Whether a file is one of the full load."""
    return PurePath(shown).name.startswith("LOAD")


def _number(written: object) -> Key:
    """A sequence value as hundredths of a second and a number inside. Raises ValueError."""
    text = str(written)
    if match := _CHANGE_SEQ.fullmatch(text):
        *when, hundredth, number = map(int, match.groups())
        year, month, day, hour, minute, second = when
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        return _hundredths(moment) + hundredth, number
    if isinstance(written, int) or text.isdigit():
        if int(text) >> (63 - RANK_BITS):
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
            check_read(file, stream.tell(), file.size)
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
