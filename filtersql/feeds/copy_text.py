r"""Rows as COPY prints them, behind a line with the names and types of the columns.

Example
    [["id", "int4"], ["note", "text"]]
    1\ta line\nand another
    2\t\N

    A capture writes its initial rows so: as they arrive, with nothing to be done for each of them.

PostgreSQL
    src/backend/commands/copyto.c, CopyAttributeOutText().
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from filtersql.feeds.lines import FeedFile, lines

__all__ = ["COPY_SUFFIX", "Convert", "copied_rows", "copy_header", "value_reader"]

COPY_SUFFIX = ".copy"
#: from a value's text to what JSON would hold
Convert = Callable[[bytes], object]

_BOOLEANS = {b"t": True, b"f": False}
_READERS: dict[str, Convert] = {
    "bool": _BOOLEANS.__getitem__,
    **dict.fromkeys(("int2", "int4", "int8"), int),
}
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPED = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_NULL = rb"\N"
_columns = msgspec.json.Decoder(list[tuple[str, str]])


def value_reader(type_name: str) -> Convert:
    """What reads a value's text: integers and booleans are JSON's own, all else stays text.

    >>> value_reader("int4")(b"-1"), value_reader("bool")(b"t"), value_reader("numeric")(b"1.50")
    (-1, True, '1.50')
    """
    return _READERS.get(type_name, bytes.decode)


def copy_header(columns: Sequence[tuple[str, str]]) -> bytes:
    """The first line of a file."""
    return msgspec.json.encode(columns) + b"\n"


def copied_rows(file: FeedFile) -> Iterator[tuple[int, bytes, dict[str, Any] | str]]:
    """The rows of a file, each with its line; or what is wrong with it, in words."""
    numbered = lines(file)
    _, first = next(numbered)
    columns = [(name, value_reader(kind)) for name, kind in _columns.decode(first)]
    for number, line in numbered:
        try:
            yield number, line, _row(line, columns)
        except (ValueError, KeyError) as error:
            yield number, line, str(error)


def _row(line: bytes, columns: Sequence[tuple[str, Convert]]) -> dict[str, Any]:
    fields = line[:-1].split(b"\t")
    if b"\\" in line:
        return {
            name: None if value == _NULL else read(_ESCAPE.sub(_unescaped, value))
            for (name, read), value in zip(columns, fields, strict=True)
        }
    return {name: read(value) for (name, read), value in zip(columns, fields, strict=True)}


def _unescaped(found: re.Match[bytes]) -> bytes:
    return _ESCAPED.get(found[1], found[1])
