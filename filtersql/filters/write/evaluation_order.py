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
from filtersql.filters.engines import values
from filtersql.filters.engines.templates import first_place
from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    Const,
    Func,
    Node,
    NullIf,
    Op,
    Row,
    Var,
    children,
    is_null_const,
    walk,
)
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.constant_errors import raising_ahead
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.writer import Writer

__all__ = ["after", "alike", "computed_first", "constants_first", "nothing_after", "raising_first"]

#: nodes of an argument that is still written twice
_SHORT = 40
#: the same of an argument whose own arguments are written twice
_MOST_WRITTEN = 1000
_TOO_LONG = "It may raise beside a NULL, and is too long to be written twice."
#: of numerics: the divisor may be computed first
_DIVISIONS = {"numeric_div", "numeric_div_trunc", "numeric_mod", "div", "mod"}
#: functions that ask an interval for one of its numbers
_OF_A_PART = {"extract", "date_part", "time", "time_pl_interval", "time_mi_interval",
              "interval_pl_time", "timetz_pl_interval", "timetz_mi_interval",
              "interval_pl_timetz"}  # fmt: skip
#: functions of which each number of an interval may be too large by itself
_BY_PARTS = {"interval_pl", "interval_mi", "interval_um", "interval_mul", "mul_d_interval",
             "interval_div", "make_interval", "justify_days", "justify_hours",
             "justify_interval"}  # fmt: skip


def raising_first(
    writer: Writer, node: Op | Func, call: Callable[[Op | Func], exp.Expr]
) -> exp.Expr:
    """The call, written so that each argument raises beside a NULL."""
    hidden = _hidden(writer, node)
    whole = _beside_null(writer, node, call)
    return _after(writer, hidden, whole) if hidden else alike(writer, node, whole)


def alike(writer: Writer, node: Op | Func, whole: exp.Expr) -> exp.Expr:
    """A comparison after its sides, where these are equal: engines know then what is found."""
    if not isinstance(whole, exp.Binary) or whole.this != whole.expression:
        return whole
    raising = list(filter(_raises, node.args[:1]))
    return _after(writer, raising, whole) if raising else whole


def computed_first(writer: Writer, nodes: Sequence[Node], whole: exp.Expr) -> exp.Expr:
    """The expression after what may raise inside of values that are held in parts."""
    hidden = [found for node in nodes for found in _inside(writer, node)]
    return _after(writer, hidden, whole) if hidden else whole


def constants_first(writer: Writer, tree: Node, whole: exp.Expr) -> exp.Expr:
    """The expression after constants of the tree that PostgreSQL computes before the first row."""
    nodes = raising_ahead(tree)
    return _after(writer, nodes, whole) if nodes else whole


def after(writer: Writer, node: Node, value: bool | None) -> exp.Expr:
    """A truth value, after the node where that may raise."""
    known = values.null("bool", writer.engine) if value is None else values.boolean(value)
    raising = [part for part in _parts(node) if _raises(part)]
    if not raising:
        return known
    # never the other one: of two equal ones, or of NULL and FALSE, the engines know what is chosen
    return writer.case([(_never(writer, raising), values.boolean(not value))], known)


def _parts(node: Node) -> list[Node]:
    """The values of a row, at any depth; a value by itself."""
    return [part for arg in node.args for part in _parts(arg)] if isinstance(node, Row) else [node]


def nothing_after(writer: Writer, node: Node) -> exp.Expr:
    """NULL as an INT, after the node where that may raise."""
    if not _raises(node):
        return writer.cast(writer.null(), "INT")
    # never 0: of two NULLs the engines know what is chosen
    return writer.case([(_never(writer, [node]), writer.integer(0))], None)


def _after(writer: Writer, nodes: Sequence[Node], whole: exp.Expr) -> exp.Expr:
    """The expression after all of the nodes were computed."""
    # never NULL, which the expression may be known to be
    never = writer.piece(".raise", writer.text(""))
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
    return 1 + sum(_written(arg) * (2 if _raises(arg) else 1) for arg in children(node))


def _hidden(writer: Writer, node: Op | Func) -> list[Node]:
    """What may raise in the arguments, and is not computed where the call is."""
    found = list(_arguments(node))
    if node.function.name in _OF_A_PART:
        found += [
            arg
            for arg in node.args
            if arg.type == "interval" and _raises(arg) and _is_by_parts(arg) and arg not in found
        ]
    for arg in node.args:
        if arg not in found:
            found += _inside(writer, arg)
    return found


def _arguments(node: Op | Func) -> list[Node]:
    """The arguments that may raise of a function that takes NULL."""
    name = node.function.name
    if node.function.strict or name == node.type:
        return []
    return [arg for arg in node.args if _raises(arg)]


def _inside(writer: Writer, node: Node) -> list[Node]:
    """The same of a value that is held in parts, at any depth."""
    node = bare(node)
    if not isinstance(node, (Op, Func)) or isinstance(node, NullIf) or not _in_parts(node.type):
        return []
    found = [*_arguments(node), *_late(writer, node)]
    for arg in node.args:
        if arg not in found:
            found += _inside(writer, arg)
    return found


def _in_parts(name: str) -> bool:
    known = facts().type(name)
    return name in ("interval", "jsonb") or bool(known.element) or bool(known.subtype)


def _is_by_parts(node: Node) -> bool:
    return any(isinstance(one, (Op, Func)) and one.function.name in _BY_PARTS for one in walk(node))


def _raises(node: Node) -> bool:
    return not isinstance(node, (Var, Const)) and may_raise(node) and _reads(node)


def _beside_null(
    writer: Writer, node: Op | Func, call: Callable[[Op | Func], exp.Expr]
) -> exp.Expr:
    late = _late(writer, node)
    if not late:
        return call(node)
    turned = _turned(node)
    if turned is not None and not _late(writer, turned):
        return call(turned)
    return writer.case([(_any_null(writer, late), exp.Null())], call(node))


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


def _late(writer: Writer, node: Op | Func) -> list[Node]:
    """The arguments that can raise; none where the engine looks at all of them anyhow."""
    args = node.args
    if len(args) < 2 or not node.function.strict:
        return []
    raising = [place for place, arg in enumerate(args) if _raises(arg)]
    if not raising:
        return []
    nullable = {place for place, arg in enumerate(args) if fold(arg) is None}
    if not any(nullable - {place} for place in raising):
        return []
    if raising == [_first(writer, node)] and not any(map(_holds_null, args)):
        return []
    return [args[place] for place in raising]


def _reads(node: Node) -> bool:
    """Whether it reads a column: the planner computes what is made of constants alone."""
    return any(isinstance(one, Var) for one in walk(node))


def _holds_null(node: Node) -> bool:
    """Whether an optimizer may find that it is NULL, so that nothing beside it counts."""
    return any(map(is_null_const, walk(node)))


def _first(writer: Writer, node: Op | Func) -> int:
    """The argument that is looked at in any case; -1: none that is known."""
    if node.args[0].type == "numeric":
        return -1 if node.function.name in _DIVISIONS else 0
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
