"""Comparisons of rows, written pair by pair.

Example
    `(a, b) < (1, 2)` is `a < 1 OR (a = 1 AND b < 2)`.

PostgreSQL
    execExprInterp.c, EEOP_ROWCOMPARE_STEP: the first pair that differs decides.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.engines.templates import joined
from filtersql.filters.facts import facts
from filtersql.filters.tree.nodes import Node, Op, RowCompare
from filtersql.filters.write import calls
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.writer import Writer

__all__ = ["row_compare"]


def row_compare(writer: Writer, node: RowCompare) -> exp.Expr:
    """The first pair that differs decides; NULL before that makes the whole NULL."""
    last = len(node.left) - 1
    strict = node.kind[0]
    whole: exp.Expr | None = None
    for place in range(last, -1, -1):
        left, right = node.left[place], node.right[place]
        if place == last:
            whole = _pair(writer, node, place, node.kind, left, right)
            continue
        assert whole is not None
        first = _pair(writer, node, place, strict, left, right)
        if any(map(may_raise, (*node.left[place + 1 :], *node.right[place + 1 :]))):
            whole = _guarded_pair(writer, node, place, first, whole)
            continue
        equal = _pair(writer, node, place, "=", left, right)
        rest = exp.And(this=joined(equal), expression=joined(whole))
        whole = exp.Or(this=joined(first), expression=exp.Paren(this=rest))
    assert whole is not None
    return whole


def _guarded_pair(
    writer: Writer, node: RowCompare, place: int, first: exp.Expr, rest: exp.Expr
) -> exp.Expr:
    """The later values are looked at only where these two are equal: they might raise."""
    equal = _pair(writer, node, place, "=", node.left[place], node.right[place])
    return writer.case([(writer.is_null(equal), None), (equal, rest)], first)


def _pair(
    writer: Writer, node: RowCompare, place: int, symbol: str, left: Node, right: Node
) -> exp.Expr:
    operator = node.operators[place]
    same = next(
        item
        for item in facts().operators(symbol)
        if (item.left, item.right) == (operator.left, operator.right)
    )
    function = facts().function(same.function)
    stand_in = Op(
        "bool", operator=same, function=function, args=(left, right),
        input_collation=node.collations[place], location=node.location,
    )  # fmt: skip
    return calls.call(writer, stand_in)
