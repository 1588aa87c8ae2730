"""jsonb as PostgreSQL prints it: keys sorted, the last of equal keys, numbers as numeric.

Example
    >>> jsonb_text('{"bb": 1.0, "a":[1e2,null], "a": "x"}')
    '{"a": "x", "bb": 1.0}'

PostgreSQL
    src/backend/utils/adt/jsonb.c, JsonbToCString(); jsonb_util.c, lengthCompareJsonbStringValue():
    shorter keys come first, equally long ones in the order of their bytes.
"""

from __future__ import annotations

import json
import re

from filtersql.feeds.numbers import numeric_text
from filtersql.feeds.records import Number

__all__ = ["check_json", "json_text", "jsonb_text"]

_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
}
_SPECIAL = re.compile(r'["\\\x00-\x1f]')


class _Literal(str):
    """A JSON number as it was written."""

    __slots__ = ()


def jsonb_text(text: str) -> str:
    """The canonical text. Raises ValueError."""
    return _canonical(_read(text))


def check_json(text: str) -> None:
    """Raises ValueError where json refuses it; more than jsonb takes: `"\\u0000"`, `1e999999`."""
    text.encode()
    _read(text)


def json_text(value: object) -> str:
    """A JSON value of a feed as compact JSON text, numbers as they were written."""
    match value:
        case Number():
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            members = (f"{json_text(key)}: {json_text(item)}" for key, item in value.items())
            return "{" + ", ".join(members) + "}"
        case list():
            return "[" + ", ".join(map(json_text, value)) + "]"
        case _:
            return json.dumps(value)


def _refuse(name: str) -> object:
    raise ValueError(name)


def _read(text: str) -> object:
    return json.loads(text, parse_int=_Literal, parse_float=_Literal, parse_constant=_refuse)


def _canonical(value: object) -> str:
    match value:
        case _Literal():
            return numeric_text(value)
        case str():
            return _string(value)
        case dict():
            keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
            members = (f"{_string(key)}: {_canonical(value[key])}" for key in keys)
            return "{" + ", ".join(members) + "}"
        case list():
            return "[" + ", ".join(map(_canonical, value)) + "]"
        case None:
            return "null"
        case _:
            return "true" if value else "false"


def _string(text: str) -> str:
    if "\x00" in text:
        raise ValueError
    text.encode()  # a lone surrogate is no character
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"
