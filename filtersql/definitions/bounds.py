"""A partition's bounds, printed as PostgreSQL prints them: by the type of the partition key.

Example
    ================================== ==========================================
    written                            printed
    ================================== ==========================================
    {from: [0], to: [10]}, integer     FOR VALUES FROM (0) TO (10)
    {from: [-1], to: [maxvalue]}       FOR VALUES FROM ('-1') TO (MAXVALUE)
    {in: [1, 2.5]}, numeric            FOR VALUES IN ('1', 2.5)
    {modulus: 4, remainder: 0}         FOR VALUES WITH (modulus 4, remainder 0)
    ================================== ==========================================

PostgreSQL
    ruleutils.c: get_const_expr(), get_range_partbound_string()
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

__all__ = ["DEFAULT", "EDGES", "Bounds", "printed"]

#: words that stand for no value
EDGES = ("MINVALUE", "MAXVALUE", "NULL")


class Bounds(Struct, frozen=True):
    """`strategy` is default, range, list or hash. A value of `EDGES` is that word."""

    strategy: str
    lower: tuple[str, ...] = ()
    upper: tuple[str, ...] = ()


DEFAULT = Bounds("default")


def printed(bounds: Bounds, types: Sequence[str]) -> str:
    """The bounds as text; `types` are the internal names of the partition key's types."""
    lower, upper = _values(bounds.lower, types), _values(bounds.upper, types)
    match bounds.strategy:
        case "default":
            return "DEFAULT"
        case "hash":
            return f"FOR VALUES WITH (modulus {bounds.lower[0]}, remainder {bounds.upper[0]})"
        case "list":
            type_of_key = list(types[:1]) * len(bounds.lower)
            return f"FOR VALUES IN ({_values(bounds.lower, type_of_key)})"
        case _:
            return f"FOR VALUES FROM ({lower}) TO ({upper})"


def _values(values: Sequence[str], types: Sequence[str]) -> str:
    known = [*types, *[""] * len(values)]
    return ", ".join(_value(text, known[index]) for index, text in enumerate(values))


def _value(text: str, type_name: str) -> str:
    if text in EDGES:
        return text
    if type_name == "bool" and text.lower() in ("true", "false", "t", "f"):
        return "true" if text.lower().startswith("t") else "false"
    whole = text.isascii() and text.isdigit()
    # Only what the parser reads back as the same type stands there without quotes.
    if type_name in ("int4", "") and whole:
        return text
    if type_name == "numeric" and text[:1].isdigit() and not whole:
        return text
    return "'" + text.replace("'", "''") + "'"
