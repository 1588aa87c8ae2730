"""What raises is computed first: engines do not look at an argument once another one is NULL.

Example
    ======================== ====================================================
    filter                   written
    ======================== ====================================================
    `a = b + 1`              `b + 1 = a`
    `a - b / c > 0`          NULL if `b / c` is, else `a - b / c`
    `a = 10 / 4`             as it stands: constants do not raise on some rows only
    `ARRAY[a / b] IS NULL`   whether it has no length: IS NULL would be known without it
    ======================== ====================================================

    PostgreSQL computes every argument before it calls a function, and raises with them; an
    operator of Spark whose left side is NULL is NULL, whatever the right side would do; so is one
    of DuckDB where all rows that it has in hand are NULL on the left (as a CASE makes them); and a
    text of several uses of its arguments may look at NULL before it looks at what raises. What can
    be no NULL (an array, what stands in a column that is NOT NULL) both engines take IS NULL of
    without computing it: the length of its text has to be computed.

PostgreSQL
    execExprInterp.c, EEOP_FUNCEXPR_STRICT: the arguments stand before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters.approximations import is_approximate
from filtersql.filters.engines.templates import first_place
from filtersql.filters.facts import facts
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Const, Func, Node, Op, Var, walk
from filtersql.filters.raising import may_raise

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["raising_first"]

#: nodes of an argument that is still written twice
_SHORT = 40


def raising_first(
    writer: Writer, node: Op | Func, call: Callable[[Op | Func], exp.Expr]
) -> exp.Expr:
    """The call, written so that each argument raises beside a NULL."""
    late = _late(writer, node)
    if not late or any(map(is_approximate, node.args)):
        return call(node)
    turned = _turned(node)
    if turned is not None and not _late(writer, turned):
        return call(turned)
    return writer.case([(_any_null(writer, late), exp.Null())], call(node))


def _any_null(writer: Writer, args: Sequence[Node]) -> exp.Expr:
    """Whether one of the arguments is NULL; all are computed for it, which OR would not do."""
    tests = []
    for arg in args:
        with suppress(NotTranslated):  # a quotient that is compared without being computed
            tests.append(writer.null_of(arg))
    if len(tests) < 2:
        return tests[0] if tests else exp.false()
    numbers = [writer.filled("CASE WHEN _1 THEN 0 ELSE 1 END", test) for test in tests]
    least = exp.Anonymous(this="LEAST", expressions=numbers)
    return writer.filled("_1 = 0", least)


def _late(writer: Writer, node: Op | Func) -> list[Node]:
    """The arguments that can raise; none where the engine looks at all of them anyhow."""
    args = node.args
    if len(args) < 2 or not node.function.strict:
        return []
    raising = [
        place
        for place, arg in enumerate(args)
        if not isinstance(arg, (Var, Const)) and may_raise(arg) and _reads(arg)
    ]
    if not raising:
        return []
    nullable = {place for place, arg in enumerate(args) if fold(arg) is None}
    if not any(nullable - {place} for place in raising):
        return []
    if raising == [_first(writer, node)] and not any(map(_holds_null, args)):
        return []
    found = [args[place] for place in raising]
    return found if all(len(list(walk(arg))) <= _SHORT for arg in found) else []


def _reads(node: Node) -> bool:
    """Whether it reads a column: the planner computes what is made of constants alone."""
    return any(isinstance(one, Var) for one in walk(node))


def _holds_null(node: Node) -> bool:
    """Whether an optimizer may find that it is NULL, so that nothing beside it counts."""
    return any(isinstance(one, Const) and one.value is None for one in walk(node))


def _first(writer: Writer, node: Op | Func) -> int:
    """The argument that is looked at in any case; -1: none that is known."""
    if node.args[0].type == "numeric":
        return 0
    rows = writer.rows
    text = rows.get(str(node.function)) or rows.get(node.function.name)
    return first_place(writer.engine, text) if text is not None else -1


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
