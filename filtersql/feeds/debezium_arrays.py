"""The images of Debezium's values that Arrow read: `event_fields(…)`, `image_rows(…)`.

Example
    ============= ========================= ====================== ===========================
    PostgreSQL    written                   read as                becomes
    ============= ========================= ====================== ===========================
    integer       7                         int64                  7
    text          "a"                       string                 a
    timestamp     1709210096789012          int64                  2024-02-29 12:34:56.789012
    date          19782                     int64, each once       2024-02-29
    integer[]     [1, null]                 list of int64          {1,NULL}
    ============= ========================= ====================== ===========================

    Where `Decoder` would refuse a value, or says that it was not sent, the row is `odd`, or all of
    it is Unusual: then it is read line by line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any

import pyarrow
from pyarrow import compute

from filtersql.catalog import Column, PgType, Table
from filtersql.definitions.model import Feed
from filtersql.feeds.column_blocks import Rows
from filtersql.feeds.debezium_encodings import as_text
from filtersql.feeds.debezium_times import Ambiguous
from filtersql.feeds.debezium_values import Decoder
from filtersql.feeds.landings import Needed, is_needed
from filtersql.feeds.readers import family

__all__ = ["Unusual", "event_fields", "image_rows"]

_IMAGES = ("before", "after")
_NUMBER, _TEXT, _DOUBLE = pyarrow.int64(), pyarrow.string(), pyarrow.float64()
_KINDS = {str: _TEXT, int: _NUMBER, bool: pyarrow.bool_(), float: _DOUBLE}
#: what is read where no sample says how a column is written; of others a text
_GUESSES = {"integer": _NUMBER, "boolean": pyarrow.bool_(), "float": _DOUBLE}
_NUMBERED = ("date", "time", "timestamp")
#: moments of which each text is one of PostgreSQL's, but for two letters
_MOMENT = r"^[2-8][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]*[1-9])?Z$"
#: Arrow's names of so many microseconds
_ARROWS = {1: "us", 1000: "ms"}
#: the microseconds from 1600 to 9000
_MOMENTS = (-11_676_096_000_000_000, 221_845_392_000_000_000)


class Unusual(Exception):
    """The lines have to be read one by one."""


def event_fields(
    table: Table, samples: Sequence[Mapping[str, Any]], feed: Feed, needed: Needed
) -> list[pyarrow.Field]:
    """What values of a table may say, as some of them do. Raises Unusual."""
    images = [one[image] for one in samples for image in _IMAGES if one.get(image)]
    columns: list[tuple[str, pyarrow.DataType]] = []
    for column in table.columns:
        some = [one.get(column.name) for one in images]
        wanted = is_needed(needed, table.name, column.name)
        kind = _column_type(column, some, feed) if wanted else _type(some)
        columns.append((column.name, kind))
    row = pyarrow.struct(columns)
    names = {name: None for one in samples for name in one if name not in _IMAGES}
    fields = [pyarrow.field(name, _type([one.get(name) for one in samples])) for name in names]
    source = next((one.type for one in fields if one.name == "source"), None)
    if source is None or not {("op", _TEXT)} <= {(one.name, one.type) for one in fields}:
        raise Unusual
    told = {(one.name, one.type) for one in source}
    if not {("schema", _TEXT), ("table", _TEXT), ("lsn", _NUMBER)} <= told:
        raise Unusual
    return [*fields, *(pyarrow.field(image, row) for image in _IMAGES)]


def image_rows(
    events: pyarrow.Table,
    text: bytes,
    table: Table,
    decoder: Decoder,
    needed: Needed,
    updates: pyarrow.BooleanArray,
) -> tuple[dict[str, Rows], pyarrow.BooleanArray]:
    """The images in the native format, and the changes that have to be read by themselves.

    `updates` are the changes that may leave values out. Raises Unusual.
    """
    wanted = [each for each in table.columns if is_needed(needed, table.name, each.name)]
    read = {image: Rows.of(events[image].chunk(0)) for image in _IMAGES}
    told = _told(text, [each.name for each in wanted], [*read.values()], events.schema)
    odd = [pyarrow.array([False] * len(updates))]
    images = {}
    for image, rows in read.items():
        columns = {each.name: pyarrow.nulls(len(updates)) for each in wanted}
        logged = [each for each in wanted if image == "after" or each.name in decoder.logged]
        for column in logged:
            values = rows.columns[column.name]
            may_lack = updates if image == "after" else None
            odd += _odd(rows.there, values, column.name, decoder, may_lack)
            columns[column.name] = _native(column, values, decoder)
        untold = columns.keys() - {each.name for each in logged}
        images[image] = Rows(rows.there, columns, told, untold)
    return images, reduce(compute.or_, odd)


def _type(values: Sequence[object]) -> pyarrow.DataType:
    """How Arrow reads a member of which these are some values. Raises Unusual."""
    some = [one for one in values if one is not None]
    kinds = {type(one) for one in some}
    if kinds == {dict}:
        names = {name: None for one in some for name in one}  # type: ignore[attr-defined]
        members = [(name, _type([one.get(name) for one in some])) for name in names]  # type: ignore[attr-defined]
        return pyarrow.struct(members)
    if kinds == {list}:
        return pyarrow.list_(_type([item for one in some for item in one]))  # type: ignore[attr-defined]
    if not kinds:
        return pyarrow.null()
    if len(kinds) == 1 and (found := _KINDS.get(kinds.pop())) is not None:
        return found
    raise Unusual


def _column_type(column: Column, values: Sequence[object], feed: Feed) -> pyarrow.DataType:
    kinds = {type(one) for one in values if one is not None}
    pg_type = column.type
    holds = family(pg_type).holds
    if holds == "float" and kinds <= {int, float}:
        return _DOUBLE
    if not kinds:
        return _guess(pg_type, feed)
    found = _type(values)
    if found == _DOUBLE or pyarrow.types.is_struct(found):
        raise Unusual
    return found


def _guess(pg_type: PgType, feed: Feed) -> pyarrow.DataType:
    """How values are written of which no sample has one."""
    if pg_type.is_array:
        return pyarrow.list_(_TEXT)
    if pg_type.name in _NUMBERED and feed.options.get("time_precision_mode") != "isostring":
        return _NUMBER
    return _GUESSES.get(family(pg_type).holds, _TEXT)


def _told(
    text: bytes, names: Sequence[str], rows: Sequence[Rows], schema: pyarrow.Schema
) -> frozenset[str]:
    """The columns that every image names: what is null there was sent as null.

    An image names a column once, or Arrow would not have read it; so it is enough to count.
    """
    members = (one for one in schema if one.name not in _IMAGES)
    others = {*_IMAGES, *_names(members), *_names(schema.field("after").type, inside=True)}
    if any(mark in name for mark in ('"', "\\") for name in (*names, *others)):
        return frozenset()
    images = sum(int(compute.sum(one.there).as_py() or 0) for one in rows)
    lacking = {
        name
        for name in names
        for one in rows
        if one.columns[name].null_count > one.there.false_count
    }
    return frozenset(
        name for name in lacking - others if text.count(b'"%s":' % name.encode()) == images
    )


def _names(fields: Iterable[pyarrow.Field], *, inside: bool = False) -> Iterator[str]:
    """The names of members, and of the members of these; or of the latter alone."""
    for one in fields:
        if not inside:
            yield one.name
        kind = one.type
        while pyarrow.types.is_list(kind):
            kind = kind.value_type
        if pyarrow.types.is_struct(kind):
            yield from _names(kind)


def _odd(
    there: pyarrow.BooleanArray,
    values: pyarrow.Array,
    name: str,
    decoder: Decoder,
    updates: pyarrow.BooleanArray | None,
) -> Iterator[pyarrow.BooleanArray]:
    """The rows that have to be read by themselves, because of a column; `updates`: of new rows."""
    lacking = compute.and_(values.is_null(), there)
    if name in decoder.null_if_special:
        yield lacking
    if updates is None:
        return
    if name in decoder.null_if_unsent:
        yield compute.and_(lacking, updates)
    if values.type == _TEXT:
        unsent = pyarrow.array(decoder.unsent_texts, _TEXT)
        yield compute.and_(compute.is_in(values, value_set=unsent), updates)
    elif pyarrow.types.is_list(values.type):
        unsent = pyarrow.array([one in decoder.unsent_lists for one in values.to_pylist()])
        yield compute.and_(unsent, updates)


def _native(column: Column, values: pyarrow.Array, decoder: Decoder) -> pyarrow.Array:
    """A column in the native format. Raises Unusual."""
    decode = decoder.columns.get(column.name)
    if decode is None or values.null_count == len(values):
        return values
    if decode is as_text and values.type == _TEXT:
        return values
    if (texts := _moments(column.type, values, decoder.moments.get(column.name))) is not None:
        return texts
    try:
        if pyarrow.types.is_list(values.type):
            read = family(column.type).read
            some = [None if one is None else read(decode(one)) for one in values.to_pylist()]
            return pyarrow.array(some, _TEXT)
        encoded = values.dictionary_encode()
        some = [decode(one) for one in encoded.dictionary.to_pylist()]
        return pyarrow.array(some, _TEXT).take(encoded.indices)
    except (Ambiguous, ValueError, OverflowError, pyarrow.ArrowException):
        raise Unusual from None


def _moments(
    pg_type: PgType, values: pyarrow.Array, unit: int | None
) -> pyarrow.StringArray | None:
    """Moments of our age, written as usual; None: they are read one by one."""
    if pg_type.name == "timestamptz" and values.type == _TEXT:
        if compute.all(compute.match_substring_regex(values, _MOMENT)).as_py() is False:
            return None
        texts = compute.replace_substring(values, "T", " ")
        return compute.replace_substring(texts, "Z", "+00")
    if unit is None or values.type != _NUMBER:
        return None
    first, last = (bound // unit for bound in _MOMENTS)
    if compute.min(values).as_py() < first or compute.max(values).as_py() > last:
        return None
    return values.view(pyarrow.timestamp(_ARROWS[unit])).cast(_TEXT)
