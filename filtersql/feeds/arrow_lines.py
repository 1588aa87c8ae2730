r"""Lines of JSON as columns, where each holds one object: `read_lines(text, count, fields)`.

Example
    >>> fields = [pyarrow.field("a", pyarrow.int64())]
    >>> read_lines(b'{"a": 1}\n{"a": null}\n', 2, fields)["a"].to_pylist()
    [1, None]
    >>> read_lines(b'{"a": 1, "a": 2}', 1, fields), read_lines(b'{"a": 1}{"a": 2}', 1, fields)
    (None, None)

    `None` says that some line may be anything else. Arrow's reader refuses what is not JSON, a
    member that is not among the fields or that stands twice, and a value of another type. What it
    is silent about is asked here: other objects on a line, bytes that are no UTF-8, and numbers
    that a double does not hold. Decimals are not read by it: a tiny exponent gives another number,
    or ends the process. It does not tell a member that is null from one that is absent. Lines that
    end in a carriage return are left to others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import msgspec
import pyarrow
from pyarrow import compute, json

from filtersql.catalog import Column, PgType
from filtersql.feeds.readers import family
from filtersql.feeds.records import Number

__all__ = ["ahead", "count_lines", "read_lines", "samples_of", "written_fields"]

_Item = TypeVar("_Item")

#: what is behind an object on its line: Arrow's reader does not survive a null there
_NULL_BEHIND = re.compile(rb"\}[ \t\r]*n")
#: how a number may be written that is no zero, but too small for a double
_TINY = re.compile(rb"[eE]-[0-9]{3}")
_ZEROS = b"0" * 99
_BLOCK_BYTES = 2**20
_SAMPLES = 64
_DOUBLE = pyarrow.float64()


def count_lines(text: bytes) -> int | None:
    """How many lines a text has, if each of them may be an object by itself."""
    inner = text.count(b"\n") - text.endswith(b"\n")
    if not text.startswith(b"{") or inner != text.count(b"}\n{") or _NULL_BEHIND.search(text):
        return None
    try:
        text.isascii() or text.decode()
    except UnicodeDecodeError:
        return None
    return inner + 1


def read_lines(text: bytes, count: int, fields: Sequence[pyarrow.Field]) -> pyarrow.Table | None:
    """The members of all lines, a row for each of those that `count_lines` counted."""
    schema = pyarrow.schema(fields)
    try:
        table = json.read_json(
            pyarrow.BufferReader(text),
            read_options=json.ReadOptions(block_size=_BLOCK_BYTES),
            parse_options=json.ParseOptions(
                explicit_schema=schema, unexpected_field_behavior="error"
            ),
        )
    except pyarrow.ArrowException:
        return None
    if table.num_rows != count:
        return None
    table = table.combine_chunks()
    doubles = list(_doubles(table.columns))
    if not all(compute.all(compute.is_finite(one)).as_py() is not False for one in doubles):
        return None
    return None if doubles and _may_be_tiny(text) else table


def ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """The items, each of which is made while the one before is dealt with."""
    with ThreadPoolExecutor(1, "filtersql-reader") as pool:
        following = pool.submit(next, items, None)
        while (item := following.result()) is not None:
            following = pool.submit(next, items, None)
            yield item


def written_fields(
    columns: Iterable[Column], images: Sequence[Mapping[str, object]]
) -> list[pyarrow.Field] | None:
    """The fields of a table's rows, as some of its rows are written; None: in no usual way."""
    fields = []
    for column in columns:
        kinds = {type(image[column.name]) for image in images if column.name in image}
        kind = _written(column.type, kinds - {type(None)})
        if kind is None:
            return None
        fields.append(pyarrow.field(column.name, kind))
    return fields


def samples_of(text: bytes, decode: Callable[[bytes], _Item]) -> list[_Item] | None:
    """Some lines of a text, from its beginning to its end; None: one of them cannot be read."""
    step = 1 + len(text) // _SAMPLES
    starts = {text.rfind(b"\n", 0, place) + 1 for place in range(0, len(text), step)}
    try:
        return [decode(_line_at(text, start)) for start in sorted(starts)]
    except (msgspec.DecodeError, UnicodeError):
        return None


def _line_at(text: bytes, start: int) -> bytes:
    end = text.find(b"\n", start)
    return text[start:] if end < 0 else text[start:end]


def _written(pg_type: PgType, kinds: set[type]) -> pyarrow.DataType | None:
    """How Arrow reads values of which some were of these kinds of JSON values, and keeps them."""
    of = family(pg_type)
    if of.holds == "integer" and kinds <= {int}:
        return pyarrow.int64()
    if of.holds == "boolean" and kinds <= {bool}:
        return pyarrow.bool_()
    if of.holds == "float" and kinds and kinds <= {int, Number}:
        return _DOUBLE
    return pyarrow.string() if kinds <= {str} else None


def _doubles(columns: Iterable[pyarrow.ChunkedArray]) -> Iterator[pyarrow.ChunkedArray]:
    for column in columns:
        if column.type == _DOUBLE:
            yield column
        elif pyarrow.types.is_struct(column.type):
            yield from _doubles(column.flatten())
        elif pyarrow.types.is_list(column.type):
            yield from _doubles([compute.list_flatten(column)])


def _may_be_tiny(text: bytes) -> bool:
    exponents = (b"e-" in text or b"E-" in text) and _TINY.search(text) is not None
    return exponents or _ZEROS in text
