"""Feeds whose messages stand in a column of a table: `message_table(engine, feed)`.

Example
    changes: {format: debezium, table: lake.bronze, column: value,
              order: [topic, partition, offset]}

    1. the engine counts the rows of each range of offsets: these are the feed's files
    2. those that are to be opened are written as lines, by the engine's own processes
    3. from there on it is a feed of files
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feed_tables import MESSAGE_COLUMN, PARTED_MESSAGE, PARTED_TABLE, TWO_MESSAGES
from filtersql.errors.feeds import FILE_CHANGED
from filtersql.feeds.held import Seen
from filtersql.feeds.lines import FeedFile
from filtersql.feeds.message_files import Written, write_ranges
from filtersql.names import RelationName
from filtersql.run.engine_tables import changes_table
from filtersql.run.message_ranges import MessageRange, chosen, listed, message_rows, order_of
from filtersql.run.spread_parts import new_folder
from filtersql.targets.model import Engine

__all__ = ["MessageTable", "message_table"]

_NUMBERS = ("tinyint", "smallint", "int", "integer", "bigint")
_TEXTS = ("string", "varchar", "json", "binary", "blob")
#: rows that a task of the engine writes
_ROWS = 100_000


class MessageTable(Struct, frozen=True):
    """The ranges of a table that holds messages, by the names of their files."""

    engine: Engine
    feed: Feed
    #: as in `message_rows`
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

        Even where the ends of transactions are told: one of which nothing is here is passed while
        nothing later of its table is here, and may then come by halves.
        """
        known = {shown: seen[shown] for shown in self.ranges.keys() & seen.keys()}
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
        query, order = chosen(self.feed, self.rows, ranges), order_of(self.feed)
        cluster, inside = self.engine.cluster, new_folder(folder)
        if cluster is not None and cluster.sees(inside):
            parts = 1 + sum(each.file.size for each in ranges) // _ROWS
            work = partial(write_ranges, inside, numbers)
            told = cluster.answers_of_rows(work, query.sql(self.engine.dialect), order, parts)
            if told is not None:
                return inside, [one for some in told for one in some]
            inside = new_folder(folder)
        ordered = query.order_by(*(exp.column(name, quoted=True) for name in order))
        rows = self.engine.stream(ordered.sql(self.engine.dialect))
        return inside, write_ranges(inside, numbers, 0, rows)

    def _check(self, files: Sequence[FeedFile], told: Mapping[int, Written]) -> None:
        """Raises Mistakes where a message is no line, or rows came or went meanwhile."""
        span, table, order = self.feed.span, str(self.feed.table), self.feed.order[-1]
        mistakes = []
        for each in told.values():
            if each.parted is not None:
                mistakes.append(PARTED_MESSAGE(span, table=table, order=order, place=each.parted))
            if each.twice is not None:
                mistakes.append(TWO_MESSAGES(span, table=table, order=order, place=each.twice))
        if mistakes:
            raise Mistakes(mistakes)
        for number, file in enumerate(files):
            if number not in told or told[number].rows != file.size:
                raise Mistakes([FILE_CHANGED(path=file.shown)])


def message_table(engine: Engine, feed: Feed) -> MessageTable:
    """The table that holds the messages of a feed. Raises Mistakes."""
    name, kinds = changes_table(engine, feed)
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
    rows = message_rows(name, feed, engine.dialect, kinds[str(feed.column).lower()])
    ranges = listed(engine, feed, rows)
    return MessageTable(engine, feed, rows, {one.file.shown: one for one in ranges})
