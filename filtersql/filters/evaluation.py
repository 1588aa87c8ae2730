"""What raises is computed first: engines do not look at the right side once the left one is NULL.

Example
    ======================== ====================================================
    filter                   written
    ======================== ====================================================
    `a = b + 1`              `b + 1 = a`
    `a - b / c > 0`          NULL if `b / c` is, else `a - b / c`
    `a = 10 / 4`             as it stands: constants do not raise on some rows only
    ======================== ====================================================

    PostgreSQL computes every argument before it calls a function, and raises with them; an
    operator of Spark whose left side is NULL is NULL, whatever the right side would do; so is one
    of DuckDB where all rows that it has in hand are NULL on the left (as a CASE makes them). Beside
    long expressions nothing is repeated: they would grow with each level.

PostgreSQL
    execExprInterp.c, EEOP_FUNCEXPR_STRICT: the arguments stand before the call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Const, Func, Node, Op, Var, walk
from filtersql.filters.raising import may_raise

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["raising_first"]

#: nodes of an argument that is still written twice
_SHORT = 12


def raising_first(
    writer: Writer, node: Op | Func, call: Callable[[Op | Func], exp.Expr]
) -> exp.Expr:
    """The call, written so that its later arguments raise beside an earlier NULL."""
    late = _late(writer, node)
    if not late:
        return call(node)
    turned = _turned(node)
    if turned is not None and not may_raise(node.args[0]):
        return call(turned)
    tests = [writer.null_of(arg) for arg in late if len(list(walk(arg))) <= _SHORT]
    if not tests:
        return call(node)
    return writer.case([(exp.or_(*tests, copy=False), exp.Null())], call(node))


def _late(writer: Writer, node: Op | Func) -> list[Node]:
    """Arguments that can raise and stand behind one that can be NULL."""
    if not node.function.strict:
        return []
    found, beside_null = [], False
    for arg in node.args:
        if beside_null and not isinstance(arg, (Var, Const)) and may_raise(arg):
            found.append(arg)
        beside_null = beside_null or fold(arg) is None
    return found


def _turned(node: Op | Func) -> Op | None:
    """The same comparison from the other side; a sum keeps its order."""
    if not isinstance(node, Op) or len(node.args) != 2 or not node.operator.commutator:
        return None
    if node.type != "bool":
        return None
    operator = facts().operator(node.operator.commutator)
    return replace(
        node, operator=operator, function=facts().function(operator.function), args=node.args[::-1]
    )
