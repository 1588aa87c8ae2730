"""What raises is computed first: engines do not look at an argument once another one is NULL.

Example
    ======================== ====================================================
    filter                   written
    ======================== ====================================================
    `a = b + 1`              `b + 1 = a`
    `a - b / c > 0`          NULL if `b / c` is, else `a - b / c`
    `a = 10 / 4`             as it stands: constants do not raise on some rows only
    `ARRAY[a / b] IS NULL`   whether it has no length: IS NULL would be known without it
    `array_remove(x, 1 / a)` the quotient first: no element of an empty array is compared with it
    ======================== ====================================================

    PostgreSQL computes every argument before it calls a function, and raises with them; an
    operator of Spark whose left side is NULL is NULL, whatever the right side would do; so is one
    of DuckDB where all rows that it has in hand are NULL on the left (as a CASE makes them); and a
    text of several uses of its arguments may look at NULL before it looks at what raises. What can
    be no NULL (an array, what stands in a column that is NOT NULL) both engines take IS NULL of
    without computing it: the length of its text has to be computed. What is held in parts (an
    interval's three numbers, an array's elements) is written by parts, so what may raise in there
    is computed before the whole; so is what a function that takes NULL is given.

PostgreSQL
    execExprInterp.c, EEOP_FUNCEXPR_STRICT: the arguments stand before the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec.structs import replace
from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters.engines import constants
from filtersql.filters.facts import facts
from filtersql.filters.tree.nodes import Func, Node, Op, Row
from filtersql.filters.tree.walking import children, walk
from filtersql.filters.write.constant_errors import raising_ahead
from filtersql.filters.write.late_arguments import hidden, inside, late, raises
from filtersql.filters.write.writer import Writer

__all__ = ["after", "alike", "computed_first", "constants_first", "nothing_after", "raising_first"]

#: nodes of an argument that is still written twice
_SHORT = 40
#: the same of an argument whose own arguments are written twice
_MOST_WRITTEN = 1000
_TOO_LONG = "It may raise beside a NULL, and is too long to be written twice."


def raising_first(
    writer: Writer, node: Op | Func, call: Callable[[Op | Func], exp.Expr]
) -> exp.Expr:
    """The call, written so that each argument raises beside a NULL."""
    first = hidden(writer, node)
    whole = _beside_null(writer, node, call)
    return _after(writer, first, whole) if first else alike(writer, node, whole)


def alike(writer: Writer, node: Op | Func, whole: exp.Expr) -> exp.Expr:
    """A comparison after its sides, where these are equal: engines know then what is found."""
    if not isinstance(whole, exp.Binary) or whole.this != whole.expression:
        return whole
    raising = list(filter(raises, node.args[:1]))
    return _after(writer, raising, whole) if raising else whole


def computed_first(writer: Writer, nodes: Sequence[Node], whole: exp.Expr) -> exp.Expr:
    """The expression after what may raise inside of values that are held in parts."""
    first = [found for node in nodes for found in inside(writer, node)]
    return _after(writer, first, whole) if first else whole


def constants_first(writer: Writer, tree: Node, whole: exp.Expr) -> exp.Expr:
    """The expression after constants of the tree that PostgreSQL computes before the first row."""
    nodes = raising_ahead(tree)
    return _after(writer, nodes, whole) if nodes else whole


def after(writer: Writer, node: Node, value: bool | None) -> exp.Expr:
    """A truth value, after the node where that may raise."""
    known = writer.typed(None, "bool") if value is None else constants.boolean(value)
    raising = [part for part in _parts(node) if raises(part)]
    if not raising:
        return known
    # never the other one: of two equal ones, or of NULL and FALSE, the engines know what is chosen
    return writer.case([(_never(writer, raising), not value)], known)


def _parts(node: Node) -> list[Node]:
    """The values of a row, at any depth; a value by itself."""
    return [part for arg in node.args for part in _parts(arg)] if isinstance(node, Row) else [node]


def nothing_after(writer: Writer, node: Node) -> exp.Expr:
    """NULL as an INT, after the node where that may raise."""
    if not raises(node):
        return writer.cast(None, "INT")
    # never 0: of two NULLs the engines know what is chosen
    return writer.case([(_never(writer, [node]), 0)], None)


def _after(writer: Writer, nodes: Sequence[Node], whole: exp.Expr) -> exp.Expr:
    """The expression after all of the nodes were computed."""
    # never NULL, which the expression may be known to be
    never = writer.piece(".raise", "")
    return writer.case([(_never(writer, nodes), never)], whole)


def _never(writer: Writer, nodes: Sequence[Node]) -> exp.Expr:
    """FALSE, which is not known before all of the nodes were computed."""
    texts = [writer.piece(".text", writer.null_of(_short(writer, node))) for node in nodes]
    shown = texts[0]
    for text in texts[1:]:
        shown = writer.filled("_1 || _2", shown, text)
    return writer.filled("LENGTH(_1) < 0", shown)


def _short(writer: Writer, node: Node) -> Node:
    if len(walk(node)) > _SHORT or _written(node) > _MOST_WRITTEN:
        raise writer.refused(node, _TOO_LONG)
    return node


def _written(node: Node) -> int:
    """How many nodes are written for one at the most: arguments that may raise twice, each time."""
    return 1 + sum(_written(arg) * (2 if raises(arg) else 1) for arg in children(node))


def _beside_null(
    writer: Writer, node: Op | Func, call: Callable[[Op | Func], exp.Expr]
) -> exp.Expr:
    args = late(writer, node)
    if not args:
        return call(node)
    turned = _turned(node)
    if turned is not None and not late(writer, turned):
        return call(turned)
    return writer.case([(_any_null(writer, args), None)], call(node))


def _any_null(writer: Writer, args: Sequence[Node]) -> exp.Expr:
    """Whether one of the arguments is NULL; all are computed for it, which OR would not do."""
    tests = []
    for arg in [_short(writer, arg) for arg in args]:
        with suppress(NotTranslated):  # a quotient that is compared without being computed
            tests.append(writer.null_of(arg))
    if len(tests) < 2:
        return tests[0] if tests else exp.false()
    numbers = [writer.filled("CASE WHEN _1 THEN 0 ELSE 1 END", test) for test in tests]
    least = exp.Anonymous(this="LEAST", expressions=numbers)
    return writer.filled("_1 = 0", least)


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
