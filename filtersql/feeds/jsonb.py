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
from decimal import Decimal

from filtersql.errors.filters import BadLiteral
from filtersql.feeds.numbers import numeric_text
from filtersql.feeds.records import Number
from filtersql.filters.values.documents import parsed, printed

__all__ = ["check_json", "json_text", "jsonb_text"]


def jsonb_text(text: str) -> str:
    """The canonical text. Raises ValueError, OverflowError."""
    try:
        return printed(parsed(text, _number))
    except BadLiteral:
        raise ValueError from None


def _number(written: str) -> Decimal:
    return Decimal(numeric_text(written))


def check_json(text: str) -> None:
    """Raises ValueError where json refuses it; more than jsonb takes: `"\\u0000"`, `1e999999`."""
    text.encode()
    parsed(text, str)


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
