"""Reading a value of each PostgreSQL type, and printing it as PostgreSQL does: `family(pg_type)`.

Example
    >>> boolean = family(PgType("bool"))
    >>> boolean.read("yes"), boolean.text(True)
    (True, 't')
    >>> family(PgType("bpchar", 4 + 3)).read("ab")
    'ab '

A type that is not in the table is kept as the text that was recorded: PostgreSQL's own output.

PostgreSQL
    The input and output functions of src/backend/utils/adt/.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import PgType
from filtersql.feeds.arrays import array_text
from filtersql.feeds.datetimes import days_text, micros_text
from filtersql.feeds.declared_types import DECLARED, Value, input_of, plain_text
from filtersql.feeds.numbers import float_value, integer_value, numeric_text
from filtersql.feeds.records import Number
from filtersql.filters.values import show
from filtersql.filters.values.arrays import SEPARATORS

__all__ = ["Family", "family", "is_plain", "text_of"]


class Family(Struct, frozen=True):
    """How values of a type are read from text, and printed. `holds` is what `read` gives.

    Dates and times are read into days and microseconds since 1970; a moment is printed in UTC, so
    that it has one text.
    """

    holds: Value
    read: Callable[[object], object]
    text: Callable[[object], str] = str

    def printed(self, written: object) -> str:
        """The text as PostgreSQL prints it. Raises as `read`."""
        return self.text(self.read(written))


def text_of(written: object) -> object:
    """A JSON scalar as the text that PostgreSQL's input function reads; arrays stay as they are."""
    if isinstance(written, str):
        return written
    if isinstance(written, bool):
        return "true" if written else "false"
    return str(written) if isinstance(written, int) else written


def family(pg_type: PgType) -> Family:
    """The family of a type; a domain's is that of its base."""
    if pg_type.base is not None:
        return family(pg_type.base)
    if pg_type.schema != "pg_catalog":
        return Family("text", plain_text)
    if pg_type.is_array:
        separator = SEPARATORS.get(pg_type.name[1:], ",")
        element = family(PgType(pg_type.name[1:], pg_type.typmod))
        return Family("text", partial(_array, element.printed, separator))
    if pg_type.name in ("varchar", "bpchar") and pg_type.length is not None:
        return Family("text", partial(_sized, pg_type.length, pg_type.name == "bpchar"))
    if pg_type.name == "numeric":
        digits = pg_type.numeric_precision_scale
        return Family("numeric", _of_text(partial(numeric_text, precision_scale=digits)))
    if pg_type.name in DECLARED:
        holds, read = DECLARED[pg_type.name]
        return replace(_PRINTED.get(holds, _TEXT), holds=holds, read=partial(read, pg_type))
    return _FAMILIES.get(pg_type.name, _TEXT)


def is_plain(pg_type: PgType) -> bool:
    """Whether every text without NUL characters is a value, kept as it is."""
    return family(pg_type).read is plain_text


def _array(element: Callable[[object], str], separator: str, written: object) -> str:
    if not isinstance(written, str | list):
        raise ValueError
    return plain_text(array_text(written, element, separator))


def _sized(length: int, padded: bool, written: object) -> str:
    text = plain_text(written)
    if len(text) > length:
        # Only blanks may be cut, as PostgreSQL does.
        if text[length:].strip(" "):
            raise OverflowError
        text = text[:length]
    return text.ljust(length) if padded else text


def _of_text(read: Callable[[str], object]) -> Callable[[object], object]:
    """What reads a value that is written as a text."""
    return lambda written: read(plain_text(written))


def _json(written: object) -> str:
    """JSON that Python's reader takes; that is more than jsonb: `"\\u0000"`, `1e999999`."""
    text = _json_text(written)
    text.encode()
    json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    return text


def _refuse(name: str) -> object:
    raise ValueError(name)


def _json_text(written: object) -> str:
    """A document as it was written, or a JSON value as compact text, numbers as they were."""
    return written if isinstance(written, str) else _compact(written)


def _compact(value: object) -> str:
    match value:
        case Number():
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            members = (f"{_compact(key)}: {_compact(item)}" for key, item in value.items())
            return "{" + ", ".join(members) + "}"
        case list():
            return "[" + ", ".join(map(_compact, value)) + "]"
        case _:
            return json.dumps(value)


_TEXT = Family("text", plain_text)
_PRINTED: Mapping[Value, Family] = {
    "date": Family("date", plain_text, days_text),
    "timestamp": Family("timestamp", plain_text, micros_text),
    "timestamptz": Family("timestamptz", plain_text, partial(micros_text, offset="+00")),
}
#: types without digits of their own
_FAMILIES: Mapping[str, Family] = {
    "bool": Family("boolean", _of_text(partial(input_of, "bool")), partial(show, "bool")),
    "int2": Family("integer", _of_text(partial(integer_value, type_name="int2"))),
    "int4": Family("integer", _of_text(partial(integer_value, type_name="int4"))),
    "int8": Family("integer", _of_text(partial(integer_value, type_name="int8"))),
    "float4": Family("float", _of_text(partial(float_value, size=4)), partial(show, "float4")),
    "float8": Family("float", _of_text(partial(float_value, size=8)), partial(show, "float8")),
    "bytea": Family("bytes", _of_text(partial(input_of, "bytea")), partial(show, "bytea")),
    "uuid": Family("text", _of_text(partial(input_of, "uuid"))),
    "json": Family("text", _json),
    "jsonb": Family("text", lambda written: input_of("jsonb", _json_text(written))),
}
