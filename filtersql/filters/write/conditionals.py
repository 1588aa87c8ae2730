"""CASE and COALESCE: the engines must not look at a branch that PostgreSQL does not reach.

Example
    ============================ ====================================================
    filter                       written as
    ============================ ====================================================
    `coalesce(a, b) > 1`         COALESCE(a, b)
    `coalesce(a, 1 / b) > 1`     CASE WHEN a IS NOT NULL THEN a ELSE 1 / b END
    `CASE a WHEN 1 THEN b END`   CASE WHEN a = 1 THEN b END
    `CASE WHEN 1 / a > 0         ELSE waits for `1 / a`: engines leave a condition away where
    THEN b ELSE b END`           all results are one
    ============================ ====================================================

PostgreSQL
    execExprInterp.c, EEOP_JUMP_IF_NOT_NULL: later arguments are not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, CaseTest, Node
from filtersql.filters.tree.rebuilding import rebuilt
from filtersql.filters.write.raising import may_raise, raises_there
from filtersql.filters.write.writer import Writer

__all__ = ["conditional", "first_value"]


def first_value(writer: Writer, args: Sequence[Node], put: Callable[[Node], exp.Expr]) -> exp.Expr:
    """COALESCE; a CASE where a later argument can raise, which the engines may not wait for."""
    first, rest = put(args[0]), args[1:]
    if not any(map(may_raise, rest)):
        others = [put(arg) for arg in rest]
        return exp.Coalesce(this=first, expressions=others) if others else first
    known = writer.is_not_null(first)
    return writer.case([(known, first)], first_value(writer, rest, put))


def conditional(writer: Writer, node: Case, put: Callable[[Node], exp.Expr]) -> exp.Expr:
    """CASE; `CASE x WHEN` compares x in every condition."""
    arg = node.arg

    def tested(item: Node) -> Node:
        return arg if isinstance(item, CaseTest) and arg is not None else item

    whens = [
        (writer.put(rebuilt(condition, tested) if arg is not None else condition), put(result))
        for condition, result in node.whens
    ]
    return writer.case(whens, _otherwise(writer, node, whens, put(node.default)))


def _otherwise(
    writer: Writer, node: Case, whens: Sequence[tuple[exp.Expr, exp.Expr]], default: exp.Expr
) -> exp.Expr:
    """ELSE. Of equal results the engines know what is chosen, without computing a condition."""
    always = node.arg is not None and raises_there(node.arg)
    raising = [place for place, when in enumerate(node.whens) if always or raises_there(when[0])]
    if not raising:
        return default
    never = writer.never(whens[raising[-1]][0])
    known = fold(node.default)
    if known is not None and known.value is not None:
        return writer.case([(never, None)], default)
    return writer.case([(never, writer.piece(".raise", ""))], default)
