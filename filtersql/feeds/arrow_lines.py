r"""Lines of JSON as columns, where each holds one object: `read_lines(text, count, fields)`.

Example
    >>> fields = [pyarrow.field("a", pyarrow.int64())]
    >>> read_lines(b'{"a": 1}\n{"a": null}\n', 2, fields)["a"].to_pylist()
    [1, None]
    >>> read_lines(b'{"a": 1, "a": 2}', 1, fields), read_lines(b'{"a": 1}{"a": 2}', 1, fields)
    (None, None)

    `None` says that some line may be anything else. Arrow's reader refuses what is not JSON, a
    member that is not among the fields or that stands twice, and a value that its type does not
    hold as it is written; what it is silent about is asked here. It does not tell a member that
    is null from one that is absent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pyarrow
from pyarrow import json

from filtersql.catalog import Column, PgType
from filtersql.feeds.readers import family
from filtersql.feeds.records import Number

__all__ = ["ahead", "count_lines", "line_at", "read_lines", "sampled", "written_fields"]

_Item = TypeVar("_Item")

#: what is behind an object on its line: Arrow's reader does not survive a null there
_NULL_BEHIND = re.compile(rb"\}[ \t\r]*n")
#: how a number may be written that is no zero, but too small for a double
_TINY = re.compile(rb"[eE]-[0-9]{3}")
_ZEROS = b"0" * 99
_BLOCK_BYTES = 2**20
_SAMPLES = 64
_MOST_DECIMAL_DIGITS = 38
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
    if table.num_rows != count or (_has_doubles(fields) and _may_be_tiny(text)):
        return None
    return table.combine_chunks()


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


def sampled(text: bytes) -> list[bytes]:
    """Some lines of a text, from its beginning to its end."""
    step = 1 + len(text) // _SAMPLES
    starts = {text.rfind(b"\n", 0, place) + 1 for place in range(0, len(text), step)}
    return [line_at(text, start) for start in sorted(starts)]


def line_at(text: bytes, start: int) -> bytes:
    """The line that begins at a place."""
    end = text.find(b"\n", start)
    return text[start:] if end < 0 else text[start:end]


def _written(pg_type: PgType, kinds: set[type]) -> pyarrow.DataType | None:
    """How Arrow reads values of which some were of these kinds of JSON values, and keeps them."""
    of = family(pg_type)
    usual, number = _USUAL.get(of.holds, (str, None))
    if kinds <= {usual} and number is not None and of.holds != "float":
        return number
    if kinds <= {int, Number} and kinds and of.holds == "float":
        return _DOUBLE
    if kinds <= {int, Number} and kinds and of.holds == "numeric":
        return _decimal((pg_type.base or pg_type).numeric_precision_scale)
    return pyarrow.string() if kinds <= {str} else None


_USUAL: Mapping[str, tuple[type, pyarrow.DataType | None]] = {
    "integer": (int, pyarrow.int64()),
    "boolean": (bool, pyarrow.bool_()),
}


def _decimal(digits: tuple[int, int] | None) -> pyarrow.DataType | None:
    """What keeps all digits of a number; without a declared scale these are as written."""
    if digits is None or not 0 <= digits[1] <= digits[0] <= _MOST_DECIMAL_DIGITS:
        return None
    return pyarrow.decimal128(*digits)


def _has_doubles(fields: Iterable[pyarrow.Field]) -> bool:
    return any(
        field.type == _DOUBLE or (pyarrow.types.is_struct(field.type) and _has_doubles(field.type))
        for field in fields
    )


def _may_be_tiny(text: bytes) -> bool:
    exponents = (b"e-" in text or b"E-" in text) and _TINY.search(text) is not None
    return exponents or _ZEROS in text
