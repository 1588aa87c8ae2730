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

from collections.abc import Callable, Mapping
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import PgType
from filtersql.feeds.arrays import array_text
from filtersql.feeds.datetimes import days_text, micros_text
from filtersql.feeds.declared_types import DECLARED, Value, input_of, plain_text
from filtersql.feeds.json_texts import check_json, json_text
from filtersql.feeds.numbers import float_value, integer_value, numeric_text
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
        return Family("text", partial(_array, _array_element(pg_type), separator))
    if pg_type.name in ("varchar", "bpchar") and pg_type.length is not None:
        return Family("text", partial(_sized, pg_type.length, pg_type.name == "bpchar"))
    if pg_type.name == "numeric":
        return Family("numeric", partial(_numeric, pg_type.numeric_precision_scale))
    if pg_type.name in DECLARED:
        holds, read = DECLARED[pg_type.name]
        return replace(_PRINTED.get(holds, _TEXT), holds=holds, read=partial(read, pg_type))
    return _FAMILIES.get(pg_type.name, _TEXT)


def is_plain(pg_type: PgType) -> bool:
    """Whether every text without NUL characters is a value, kept as it is."""
    return family(pg_type).read is plain_text


def _array_element(pg_type: PgType) -> Callable[[object], str]:
    return family(PgType(pg_type.name[1:], pg_type.typmod)).printed


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


def _as_literal(name: str, written: object) -> object:
    return input_of(name, plain_text(written))


def _integer(type_name: str, written: object) -> int:
    return integer_value(plain_text(written), type_name)


def _float(size: int, written: object) -> float:
    return float_value(plain_text(written), size)


def _numeric(precision_scale: tuple[int, int] | None, written: object) -> str:
    return numeric_text(plain_text(written), precision_scale)


def _json(written: object) -> str:
    text = written if isinstance(written, str) else json_text(written)
    check_json(text)
    return text


def _jsonb(written: object) -> object:
    return input_of("jsonb", written if isinstance(written, str) else json_text(written))


_TEXT = Family("text", plain_text)
_PRINTED: Mapping[Value, Family] = {
    "date": Family("date", plain_text, days_text),
    "timestamp": Family("timestamp", plain_text, micros_text),
    "timestamptz": Family("timestamptz", plain_text, partial(micros_text, offset="+00")),
}
#: types without digits of their own
_FAMILIES: Mapping[str, Family] = {
    "bool": Family("boolean", partial(_as_literal, "bool"), partial(show, "bool")),
    "int2": Family("integer", partial(_integer, "int2")),
    "int4": Family("integer", partial(_integer, "int4")),
    "int8": Family("integer", partial(_integer, "int8")),
    "float4": Family("float", partial(_float, 4), partial(show, "float4")),
    "float8": Family("float", partial(_float, 8), partial(show, "float8")),
    "bytea": Family("bytes", partial(_as_literal, "bytea"), partial(show, "bytea")),
    "uuid": Family("text", partial(_as_literal, "uuid")),
    "json": Family("text", _json),
    "jsonb": Family("text", _jsonb),
}
