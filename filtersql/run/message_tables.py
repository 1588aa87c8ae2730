"""Feeds whose messages stand in a column of a table: `message_table(engine, feed)`.

Example
    changes: {format: debezium, table: lake.bronze, column: value,
              order: [topic, partition, offset]}

    1. the engine counts the rows of each range of offsets: these are the feed's files
    2. those that are to be opened are written as lines, by the engine's own processes
    3. from there on it is a feed of files
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp, select

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feed_tables import (
    MESSAGE_COLUMN,
    PARTED_MESSAGE,
    PARTED_TABLE,
    TWO_MESSAGES,
    UNPLACED_MESSAGE,
)
from filtersql.errors.feeds import FILE_CHANGED
from filtersql.feeds.held import Seen
from filtersql.feeds.lines import FeedFile
from filtersql.feeds.message_files import Written, write_ranges
from filtersql.feeds.staged_files import as_open
from filtersql.names import RelationName
from filtersql.run.engine_tables import changes_table
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine

__all__ = ["MessageTable", "message_table"]

_NUMBERS = ("tinyint", "smallint", "int", "integer", "bigint")
_TEXTS = ("string", "varchar", "json", "binary", "blob")
#: so many positions have a file together
RANGE = 2**16
#: as Kafka's topics are called
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")
_RANGE, _POSITION, _MESSAGE = "range", "position", "message"
#: rows that a task of the engine writes
_ROWS = 100_000


class MessageRange(Struct, frozen=True):
    """Rows of a table that are read together: those whose position has one ordinal.

    `file` is what a reader knows of them: their number is its size, and what their places add up
    to is when it was modified.
    """

    file: FeedFile
    ordinal: int
    #: the position of the last one
    last: int
    #: what tells ranges of one ordinal apart, such as a topic and a partition
    group: tuple[str | None, ...]


class MessageTable(Struct, frozen=True):
    """The ranges of a table that holds messages, by the names of their files."""

    engine: Engine
    feed: Feed
    #: its rows: the ordinal of a range, the group, the position and the message
    rows: exp.Select
    ranges: Mapping[str, MessageRange]

    @property
    def files(self) -> tuple[FeedFile, ...]:
        """The ranges as files, in their order."""
        return tuple(each.file for each in self.ranges.values())

    def fetched(self, files: Sequence[FeedFile], folder: Path) -> tuple[FeedFile, ...]:
        """Some of these with what they hold, as files of lines in the folder. Raises Mistakes."""
        if not files:
            return ()
        inside, told = self._written([self.ranges[file.shown] for file in files], folder)
        self._check(files, {each.number: each for each in told})
        paths = [inside / f"{number}.jsonl" for number in range(len(files))]
        return tuple(
            replace(file, path=path, size=path.stat().st_size)
            for file, path in zip(files, paths, strict=True)
        )

    def check_parted(self, seen: Seen, relations: Collection[RelationName]) -> None:
        """Raises Mistakes where changes of one of these relations stand in several groups.

        Unless a file, of which nobody keeps what it holds, tells the ends of transactions: then no
        run goes beyond one that is incomplete.
        """
        known = {shown: seen[shown] for shown in self.ranges.keys() & seen.keys()}
        if any(held is None and last >= 0 for *_, last, held in known.values()):
            return
        groups: dict[RelationName, set[tuple[str | None, ...]]] = {}
        for shown, (*_, held) in known.items():
            for each in held or ():
                groups.setdefault(each.table, set()).add(self.ranges[shown].group)
        parted = sorted(each for each in relations if len(groups.get(each, ())) > 1)
        span, table = self.feed.span, str(self.feed.table)
        if parted:
            raise Mistakes(PARTED_TABLE(span, relation=each, table=table) for each in parted)

    def _written(
        self, ranges: Sequence[MessageRange], folder: Path
    ) -> tuple[Path, Sequence[Written]]:
        """Where the messages of the ranges stand, each in the file of its number."""
        numbers: dict[tuple[object, ...], int]
        numbers = {(each.ordinal, *each.group): number for number, each in enumerate(ranges)}
        names = _groups(self.feed)
        query = select("*").from_(self.rows.subquery("rows"))
        query = query.where(exp.or_(*(_between(names, *each) for each in _spans(ranges))))
        cluster, inside = self.engine.cluster, _new_folder(folder)
        if cluster is not None and cluster.sees(inside):
            parts = 1 + sum(each.file.size for each in ranges) // _ROWS
            order = [_RANGE, *names, _POSITION]
            work = partial(write_ranges, inside, numbers)
            told = cluster.answers_of_rows(work, query.sql(self.engine.dialect), order, parts)
            if told is not None:
                return inside, [one for some in told for one in some]
            inside = _new_folder(folder)
        ordered = query.order_by(*map(_column, (_RANGE, *names, _POSITION)))
        rows = self.engine.stream(ordered.sql(self.engine.dialect))
        return inside, write_ranges(inside, numbers, 0, rows)

    def _check(self, files: Sequence[FeedFile], told: Mapping[int, Written]) -> None:
        """Raises Mistakes where a message is no line, or rows came or went meanwhile."""
        span, table, order = self.feed.span, str(self.feed.table), self.feed.order[-1]
        mistakes = []
        for each in told.values():
            if each.parted is not None:
                place = each.parted
                mistakes.append(PARTED_MESSAGE(span, table=table, order=order, place=place))
            if each.twice is not None:
                mistakes.append(TWO_MESSAGES(span, table=table, order=order, place=each.twice))
        if mistakes:
            raise Mistakes(mistakes)
        for number, file in enumerate(files):
            if number not in told or told[number].rows != file.size:
                raise Mistakes([FILE_CHANGED(path=file.shown)])


def message_table(engine: Engine, feed: Feed) -> MessageTable:
    """The table that holds the messages of a feed. Raises Mistakes."""
    name, names = changes_table(engine, feed), _groups(feed)
    described = engine.rows(exp.Describe(this=name).sql(engine.dialect))
    kinds = {str(row[0]).lower(): str(row[1]).lower() for row in described}
    *groups, position = feed.order
    wanted = {**dict.fromkeys(groups, _TEXTS + _NUMBERS), position: _NUMBERS}
    wanted[str(feed.column)] = _TEXTS
    mistakes = [
        MESSAGE_COLUMN(feed.span, table=str(feed.table), column=column, known=known)
        for column, known in wanted.items()
        if kinds.get(column.lower()) not in known
    ]
    if mistakes:
        raise Mistakes(mistakes)
    rows = _rows(name, feed, _bytes(feed, engine.dialect, kinds[str(feed.column).lower()]))
    grouped = [_column(each) for each in (_RANGE, *names)]
    place = _column(_POSITION)
    inside = place.copy() - _column(_RANGE) * RANGE
    told = (exp.Count(this=exp.Star()), exp.Min(this=place), exp.Max(this=place.copy()))
    listing = select(*grouped, *told, exp.Sum(this=inside)).from_(rows.subquery("rows"))
    listing = listing.group_by(*(each.copy() for each in grouped))
    found = [_range(feed, *row) for row in engine.rows(listing.sql(engine.dialect))]
    ordered = sorted(found, key=lambda one: ([text or "" for text in one.group], one.ordinal))
    return MessageTable(engine, feed, rows, {one.file.shown: one for one in ordered})


def _range(feed: Feed, ordinal: object, *told: object) -> MessageRange:
    """A range of which the engine told the group, rows, first and last position, and their sum."""
    *group, count, first, last, places = told
    if ordinal is None or int(str(first)) < 0:
        raise Mistakes([UNPLACED_MESSAGE(feed.span, table=str(feed.table), order=feed.order[-1])])
    number, texts = int(str(ordinal)), tuple(None if one is None else str(one) for one in group)
    # Without its first messages it has another name: as if these were a file that is gone.
    names = ",".join([*map(_shown, texts), str(first)])
    file = FeedFile(Path(), f"{feed.table}[{names}]", int(str(count)), int(str(places)))
    return MessageRange(file, number, int(str(last)), texts)


def _shown(text: str | None) -> str:
    """A topic or the like in the name of a range, which no other one has."""
    if text is None or (_PLAIN.fullmatch(text) and text != "null"):
        return text or "null"
    return json.dumps(text, ensure_ascii=False)


def _bytes(feed: Feed, dialect: Dialect, kind: str) -> exp.Expr:
    """The bytes of a message, of a column of some type."""
    message = _column(str(feed.column))
    if dialect == "spark" or kind == "blob":
        return exp.cast(message, "BINARY")
    charset = exp.Literal.string("utf-8")
    return exp.Encode(this=exp.cast(message, "TEXT"), charset=charset)


def _rows(table: exp.Table, feed: Feed, message: exp.Expr) -> exp.Select:
    """The rows of a table; messages in base64, which no way out of an engine changes."""
    *groups, order = map(_column, feed.order)
    position = exp.cast(order, "BIGINT")
    ordinal = exp.IntDiv(this=position, expression=exp.convert(RANGE))
    return select(
        ordinal.as_(_RANGE, quoted=True),
        *(
            exp.cast(each, "TEXT").as_(name, quoted=True)
            for each, name in zip(groups, _groups(feed), strict=True)
        ),
        position.copy().as_(_POSITION, quoted=True),
        exp.ToBase64(this=message).as_(_MESSAGE, quoted=True),
    ).from_(table)


def _spans(ranges: Sequence[MessageRange]) -> Iterator[tuple[MessageRange, MessageRange]]:
    """The first and the last one of ranges that follow each other."""
    groups: dict[tuple[str | None, ...], list[MessageRange]] = {}
    for each in sorted(ranges, key=lambda one: one.ordinal):
        groups.setdefault(each.group, []).append(each)
    for some in groups.values():
        for _, pairs in groupby(enumerate(some), key=lambda pair: pair[1].ordinal - pair[0]):
            following = [each for _, each in pairs]
            yield following[0], following[-1]


def _between(names: Sequence[str], first: MessageRange, last: MessageRange) -> exp.Expr:
    """Whether a row is of one of these ranges, and was there when they were looked at."""
    same = (
        exp.NullSafeEQ(this=_column(name), expression=exp.convert(text))
        for name, text in zip(names, first.group, strict=True)
    )
    position = _column(_POSITION)
    inside = exp.Between(
        this=position,
        low=exp.convert(first.ordinal * RANGE),
        high=exp.convert(last.last),
    )
    return exp.and_(*same, inside)


def _groups(feed: Feed) -> list[str]:
    """The names of the columns that tell ranges apart."""
    return [f"group{number}" for number in range(len(feed.order) - 1)]


def _new_folder(folder: Path) -> Path:
    return as_open(folder / f"messages-{uuid.uuid4().hex}")


def _column(name: str) -> exp.Column:
    return exp.column(name, quoted=True)
