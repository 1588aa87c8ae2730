"""The columns and functions that an expression names.

Example
    `columns_named` of `t.b > 1 AND a = 2` is {b, a}.

PostgreSQL
    dependency.c, find_expr_references_walker(); ruleutils.c, pg_get_expr()
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from filtersql.errors import Mistake
from filtersql.grammar import Node, below, parse_expression
from filtersql.source import Passage

__all__ = [
    "columns_named",
    "functions_named",
    "same_expression",
    "subqueries",
    "without_places",
]

_PLACE = re.compile(r"\w*location: -?\d+\s*")


def columns_named(text: Passage | str) -> frozenset[str]:
    """The last parts of all column references."""
    last = (node.fields[-1] for node in _found(text, "ColumnRef"))
    return frozenset(part.string.sval for part in last if part.WhichOneof("node") == "string")


def subqueries(text: Passage) -> list[int]:
    """Where subqueries stand."""
    return [max(node.location, 0) for node in _found(text, "SubLink")]


def functions_named(text: Passage | str) -> frozenset[tuple[str, ...]]:
    """The names of all function calls, with their schemas where they are written."""
    calls = _found(text, "FuncCall")
    return frozenset(tuple(part.string.sval for part in node.funcname) for node in calls)


def same_expression(first: Passage | None, second: Passage | None) -> bool:
    """Whether two texts are written alike but for blanks and comments."""
    if first is None or second is None:
        return first is second
    try:
        return without_places(parse_expression(first)) == without_places(parse_expression(second))
    except Mistake:
        return first.text == second.text


def without_places(node: Node) -> str:
    """An expression without the places where its parts stand."""
    return _PLACE.sub("", str(node))


def _found(text: Passage | str, kind: str) -> Iterator[Node]:
    """The nodes of a kind; none of a text that does not parse."""
    try:
        tree = parse_expression(text)
    except Mistake:
        return
    yield from below(tree, kind)
