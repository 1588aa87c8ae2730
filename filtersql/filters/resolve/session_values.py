"""CURRENT_DATE, CURRENT_USER and their like: no publication's filter may hold them.

Example
    `b = CURRENT_DATE` of an integer is refused for its types, as PostgreSQL does, which looks at
    them first; of a date, because the value changes. A replication set takes it, with a warning:
    what it gave when the source judged a row cannot be had again, so no subscription can.

PostgreSQL
    parse_expr.c, transformSQLValueFunction()
"""

from __future__ import annotations

from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Node, Other
from filtersql.grammar import Node as Parsed
from filtersql.grammar import enum_name

__all__ = ["current"]

_TYPES = {
    "CURRENT_DATE": "date",
    "CURRENT_TIME": "timetz",
    "CURRENT_TIMESTAMP": "timestamptz",
    "LOCALTIME": "time",
    "LOCALTIMESTAMP": "timestamp",
}


def current(scope: Scope, parsed: Parsed) -> Node:
    """A value of the moment or the session, which `allowed` refuses of a publication."""
    word = enum_name(parsed, "op").removeprefix("SVFOP_").removesuffix("_N")
    kind = _TYPES.get(word, "name")
    typmod = -1 if kind in ("name", "date") else parsed.typmod
    return Other(kind, typmod, parsed.location, what=word)
