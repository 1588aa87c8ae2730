"""jsonb literals, as their own text, in which one value has one text.

Example
    `{"bb": 1E2, "a": 1, "a": 2}` is read as `{"a": 2, "bb": 100}`: the last of equal keys stays,
    shorter keys come first, and numbers are written out.

PostgreSQL
    jsonb.c: jsonb_in(), JsonbToCString(); jsonb_util.c, lengthCompareJsonbStringValue();
    json.c, escape_json().
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import partial

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock, Types
from filtersql.filters.values.numbers import read_numeric

__all__ = ["TYPES", "printed", "quoted"]

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
            "\t": "\\t"}  # fmt: skip
#: a number of no more signs, without an exponent, fits
_ORDINARY = 1_000
_SPECIAL = re.compile(r'["\\\x00-\x1f]')


def _read_jsonb(text: str, modifier: int, clock: Clock) -> str:
    """The canonical text."""
    number = partial(_number, clock)
    try:
        return printed(
            json.loads(text, parse_float=number, parse_int=number, parse_constant=_no_constant)
        )
    except (ValueError, RecursionError):
        raise BadLiteral("invalid input syntax for type json") from None


def _number(clock: Clock, written: str) -> Decimal:
    """As numeric reads it, which costs as much as all the rest of an ordinary document."""
    if len(written) <= _ORDINARY and "e" not in written.lower():
        number = Decimal(written)
        return number if number else number.copy_abs()  # there is no -0
    return read_numeric(written, -1, clock)


def _no_constant(word: str) -> object:
    raise ValueError(word)


def printed(value: object) -> str:
    """A value as jsonb prints it."""
    match value:
        case dict():
            keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
            return "{" + ", ".join(f"{quoted(key)}: {printed(value[key])}" for key in keys) + "}"
        case list():
            return "[" + ", ".join(map(printed, value)) + "]"
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case Decimal():
            return format(value, "f")
    return quoted(str(value))


def quoted(text: str) -> str:
    """A string of JSON; raises BadLiteral where jsonb cannot hold it."""
    if "\0" in text:
        message = "unsupported Unicode escape sequence"
        raise BadLiteral(message, "\\u0000 cannot be converted to text.")
    try:
        text.encode()
    except UnicodeError:
        raise BadLiteral(
            "invalid input syntax for type json",
            "Unicode low surrogate must follow a high surrogate.",
        ) from None
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"


TYPES: Types = {"jsonb": (_read_jsonb, str)}
