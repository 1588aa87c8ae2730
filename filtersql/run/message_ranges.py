"""Ranges of the rows of a table of messages, and what an engine is asked of them: `listed(…)`.

Example
    lake.bronze[orders,0,131075]    topic orders, partition 0: what there is from offset 131,075 to
                                    196,607, beyond which another range begins

    Such a range is to a reader what a file is that grows at its end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from msgspec import Struct
from sqlglot import exp, select

from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feed_tables import UNPLACED_MESSAGE
from filtersql.feeds.lines import FeedFile
from filtersql.storage import Engine as Dialect
from filtersql.targets.model import Engine
from filtersql.targets.statements import named_column

__all__ = ["MessageRange", "chosen", "listed", "message_rows", "order_of"]

#: so many positions have a file together
RANGE = 2**16
#: as Kafka's topics are called
_PLAIN = re.compile(r"[A-Za-z0-9._-]+")
_RANGE, _POSITION, _MESSAGE = "range", "position", "message"


class MessageRange(Struct, frozen=True):
    """Rows of a table that are read together: those whose position has one ordinal.

    To a reader of feeds they are a `file`: its size is the number of the rows, the time at which it
    was modified the sum of their places.
    """

    file: FeedFile
    ordinal: int
    #: the position of the last one
    last: int
    #: what tells ranges of one ordinal apart, such as a topic and a partition
    group: tuple[str | None, ...]


def message_rows(table: exp.Table, feed: Feed, dialect: Dialect, kind: str) -> exp.Select:
    """The rows of a table whose messages are of some type.

    The columns of `order_of`, and messages in base64, which no way out of an engine changes.
    """
    *groups, order = map(named_column, feed.order)
    position = exp.cast(order, "BIGINT")
    ordinal = exp.IntDiv(this=position, expression=exp.convert(RANGE))
    return select(
        ordinal.as_(_RANGE, quoted=True),
        *(
            exp.cast(each, "TEXT").as_(name, quoted=True)
            for each, name in zip(groups, _groups(feed), strict=True)
        ),
        position.copy().as_(_POSITION, quoted=True),
        exp.ToBase64(this=_bytes(feed, dialect, kind)).as_(_MESSAGE, quoted=True),
    ).from_(table)


def order_of(feed: Feed) -> list[str]:
    """The columns that order the rows: the ordinal of a range, what tells some apart, position."""
    return [_RANGE, *_groups(feed), _POSITION]


def listed(engine: Engine, feed: Feed, rows: exp.Select) -> list[MessageRange]:
    """All ranges, in their order. Raises Mistakes where a row has no position."""
    grouped = [named_column(each) for each in (_RANGE, *_groups(feed))]
    place = named_column(_POSITION)
    inside = place.copy() - named_column(_RANGE) * RANGE
    told = (exp.Count(this=exp.Star()), exp.Min(this=place), exp.Max(this=place.copy()))
    query = select(*grouped, *told, exp.Sum(this=inside)).from_(rows.subquery("rows"))
    query = query.group_by(*(each.copy() for each in grouped))
    found = [_range(feed, *row) for row in engine.rows(query.sql(engine.dialect))]
    return sorted(found, key=lambda one: ([text or "" for text in one.group], one.ordinal))


def chosen(feed: Feed, rows: exp.Select, ranges: Sequence[MessageRange]) -> exp.Select:
    """The rows of some ranges, as they were listed."""
    names = _groups(feed)
    query = select("*").from_(rows.subquery("rows"))
    return query.where(exp.or_(*(_between(names, *each) for each in _spans(ranges))))


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
    message = named_column(str(feed.column))
    if dialect == "spark" or kind == "blob":
        return exp.cast(message, "BINARY")
    charset = exp.Literal.string("utf-8")
    return exp.Encode(this=exp.cast(message, "TEXT"), charset=charset)


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
        exp.NullSafeEQ(this=named_column(name), expression=exp.convert(text))
        for name, text in zip(names, first.group, strict=True)
    )
    position = named_column(_POSITION)
    inside = exp.Between(
        this=position, low=exp.convert(first.ordinal * RANGE), high=exp.convert(last.last)
    )
    return exp.and_(*same, inside)


def _groups(feed: Feed) -> list[str]:
    """The names of the columns that tell ranges apart."""
    return [f"group{number}" for number in range(len(feed.order) - 1)]
