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
from collections.abc import Callable
from decimal import Decimal

from filtersql.errors.filters import BadLiteral
from filtersql.filters.values.clock import Clock

__all__ = ["TYPES", "quoted"]

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
            "\t": "\\t"}  # fmt: skip
_MOST_DIGITS = 131072


def _read_jsonb(text: str, modifier: int, clock: Clock) -> str:
    """The canonical text."""
    try:
        value = json.loads(
            text, parse_float=Decimal, parse_int=Decimal, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        raise BadLiteral("invalid input syntax for type json") from None
    return _shown(value)


def _no_constant(word: str) -> object:
    raise ValueError(word)


def _shown(value: object) -> str:
    match value:
        case dict():
            keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
            return "{" + ", ".join(f"{quoted(key)}: {_shown(value[key])}" for key in keys) + "}"
        case list():
            return "[" + ", ".join(map(_shown, value)) + "]"
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case Decimal():
            return _number(value)
    return quoted(str(value))


def _number(value: Decimal) -> str:
    if value.adjusted() > _MOST_DIGITS:
        raise BadLiteral("value overflows numeric format")
    return format(abs(value) if value.is_zero() else value, "f")


def quoted(text: str) -> str:
    """A string of JSON; raises BadLiteral where jsonb cannot hold it."""
    if "\0" in text:
        message = "unsupported Unicode escape sequence"
        raise BadLiteral(message, "\\u0000 cannot be converted to text.")
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise BadLiteral(
            "invalid input syntax for type json",
            "Unicode low surrogate must follow a high surrogate.",
        )
    signs = (_ESCAPES.get(sign) or (f"\\u{ord(sign):04x}" if sign < " " else sign) for sign in text)
    return f'"{"".join(signs)}"'


TYPES: dict[str, tuple[Callable[[str, int, Clock], object], Callable[[object], str]]] = {
    "jsonb": (_read_jsonb, str)
}
