"""Constants of jsonb and json: as Python holds them, and as a document or raw text of one.

Example
    ======================= ================================== =========================
    constant                document                           raw text
    ======================= ================================== =========================
    `{"a": 1.50, "b": "x"}` `{"sa":"n1.50","sb":"sx"}`         the same
    `1.50`                  `"n1.50"`, a plain one `"n1.5"`    `n1.50`, `n1.5`
    `null`                  `"nnull"`                          `nnull`
    ======================= ================================== =========================

    `document_values` says what a document is.

PostgreSQL
    jsonb.c, JsonbToCString(): one value has one text but for trailing zeros.
"""

from __future__ import annotations

import json
from decimal import Decimal

__all__ = ["document_of", "loaded", "raw_of"]

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
            "\t": "\\t"}  # fmt: skip


def loaded(text: str) -> object:
    """A constant's text as Python holds it: Decimal for each number."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def raw_of(value: object, *, plain: bool = True) -> str:
    """The raw text of a value as `loaded` gives it."""
    match value:
        case dict():
            pairs = (
                f"{_quoted(f's{key}')}:{document_of(item, plain)}" for key, item in value.items()
            )
            return f"{{{','.join(pairs)}}}"
        case list():
            return f"[{','.join(document_of(item, plain) for item in value)}]"
        case bool():
            return "ntrue" if value else "nfalse"
        case None:
            return "nnull"
        case Decimal():
            shown = format(value, "f")
            return f"n{shown.rstrip('0').rstrip('.') if plain and '.' in shown else shown}"
    return f"s{value}"


def document_of(value: object, plain: bool) -> str:
    """The document of a value as `loaded` gives it."""
    text = raw_of(value, plain=plain)
    return text if isinstance(value, (dict, list)) else _quoted(text)


def _quoted(text: str) -> str:
    """A string as both engines write it in JSON."""
    signs = (_ESCAPES.get(sign) or (f"\\u{ord(sign):04X}" if sign < " " else sign) for sign in text)
    return f'"{"".join(signs)}"'
