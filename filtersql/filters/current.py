"""CURRENT_DATE, CURRENT_USER and their like: no filter may hold them, whatever their type is.

Example
    `b = CURRENT_DATE` of an integer is refused for its types, as PostgreSQL does, which looks at
    them first; of a date, because the value changes.

PostgreSQL
    parse_expr.c, transformSQLValueFunction()
"""

from __future__ import annotations

from filtersql.errors.filters import NotTranslated
from filtersql.filters.nodes import Node, Other, Strength
from filtersql.filters.scope import Scope
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
    """A value of the moment or the session, which `allowed` refuses."""
    word = enum_name(parsed, "op").removeprefix("SVFOP_").removesuffix("_N")
    if scope.checked:
        reason = "A CHECK constraint may hold it; filtersql has no exact form for it."
        raise NotTranslated("SQLVALUE FUNCTION", "any engine", reason, scope.span(parsed.location))
    return Other(_TYPES.get(word, "name"), -1, parsed.location, None, Strength.NONE, what=word)
