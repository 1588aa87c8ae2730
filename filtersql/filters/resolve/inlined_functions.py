"""Functions whose bodies are SQL: the planner puts the body in the place of the call.

Example
    ================================= =========================================
    filter                            computed for every row
    ================================= =========================================
    `date_part('year', d)`            `date_part('year', d::timestamp)`
    `(ts, iv) OVERLAPS (ts2, ts3)`    `(ts, ts + iv) OVERLAPS (ts2, ts3)`
    ================================= =========================================

    What such a body computes may raise by itself: a date beyond the last timestamp, a sum that
    is out of range beside an end that is NULL.

PostgreSQL
    clauses.c, inline_function(); the bodies stand in system_functions.sql and pg_proc.dat.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.filters.facts import Function, facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.tree.rebuilding import rebuilt

__all__ = ["inlined"]

_NAMES = frozenset({"date_part", "overlaps"})
#: the first and the last argument of a span of which the second end may be an interval
_SPANS = ((0, 1), (2, 3))


def inlined(tree: Node, before: Sequence[Node]) -> Node:
    """The tree with the bodies of such functions."""
    if not any(isinstance(node, Func) and node.function.name in _NAMES for node in before):
        return tree
    return rebuilt(tree, _body)


def _body(node: Node) -> Node:
    if not isinstance(node, Func):
        return node
    if str(node.function) == "date_part(text,date)":
        return _of_midnight(node)
    if node.function.name == "overlaps" and "interval" in node.function.args:
        return _of_four_ends(node)
    return node


def _of_midnight(node: Func) -> Node:
    word = fold(node.args[0])
    if word is not None and str(word.value).lower() == "julian":
        return node  # a whole number of a date, and the engines have no fraction of a day
    cast = Func("timestamp", location=node.location, function=_function("timestamp", "date"),
                args=node.args[1:], display="implicit")  # fmt: skip
    called = _function("date_part", "text", "timestamp")
    return replace(node, function=called, args=(node.args[0], cast))


def _of_four_ends(node: Func) -> Node:
    args = list(node.args)
    kind = args[0].type
    for start, end in _SPANS:
        if args[end].type == "interval":
            args[end] = _sum(args[start], args[end], node.location)
    return replace(node, function=_function("overlaps", *[kind] * 4), args=tuple(args))


def _sum(start: Node, interval: Node, location: int) -> Node:
    plus = next(
        one
        for one in facts().operators("+")
        if (one.left, one.right) == (start.type, "interval")
    )  # fmt: skip
    return Op(start.type, location=location, operator=plus,
              function=facts().function(plus.function), args=(start, interval))  # fmt: skip


def _function(name: str, *args: str) -> Function:
    return next(one for one in facts().functions(name) if one.args == args)
