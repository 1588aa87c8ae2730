"""JSON of a feed as text, with numbers as they were written.

Example
    >>> json_text({"a": [Number("1.0"), None]})
    '{"a": [1.0, null]}'
"""

from __future__ import annotations

import json

from filtersql.feeds.records import Number

__all__ = ["check_json", "json_text"]


def check_json(text: str) -> None:
    """Raises ValueError where json refuses it; more than jsonb takes: `"\\u0000"`, `1e999999`."""
    text.encode()
    json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)


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
