"""What PostgreSQL computes from constants before the first row, though a row may never need it.

Example
    =============================== =====================================================
    filter                          on every row
    =============================== =====================================================
    `a OR sqrt(-1) > 0`             raises, also where a is true
    `CASE WHEN a THEN 1 / 0 END`    raises, also where a is false
    `1 / 0 = 1 AND false`           raises
    `a AND false AND 1 / 0 = 1`     false: the planner stops at the first FALSE
    `coalesce(i, 5, 1 / 0)`         fine: it stops at the first constant that is not NULL
    =============================== =====================================================

PostgreSQL
    clauses.c, eval_const_expressions_mutator(): an immutable function of constants is called while
    a filter is planned, in branches too that no row would take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from filtersql.filters.tree.constant_folding import ascending, fold
from filtersql.filters.tree.nodes import (
    Bool,
    Case,
    CaseTest,
    Coalesce,
    Const,
    Func,
    Lookup,
    Node,
    Op,
    Other,
    Row,
    Var,
    is_null_const,
)
from filtersql.filters.tree.rebuilding import rebuilt
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.tree.walking import children, walk
from filtersql.filters.values.intervals import Parts
from filtersql.filters.write.raising import may_raise

__all__ = ["raising_ahead"]

_NO_LEAF: set[type[Node]] = {Var, CaseTest, Lookup, Other}
#: what the planner leaves before its end where a constant decides
_DECIDING = (Bool, Case, Coalesce)


def raising_ahead(tree: Node) -> list[Node]:
    """The largest parts of constants alone that are computed, and may raise."""
    calls = (node for node in walk(tree) if isinstance(node, (Op, Func)))
    if not any(_NO_LEAF.isdisjoint(map(type, children(node))) for node in calls):
        return []
    return [node for node in _reached(tree) if may_raise(node) and not _fine(node)]


def _reads(node: Node) -> bool:
    return not _NO_LEAF.isdisjoint(map(type, walk(node)))


def _reached(node: Node) -> Iterator[Node]:
    if not isinstance(node, _DECIDING) and not _reads(node):
        if any(map(is_null_const, children(node))):
            # engines know what is found beside NULL: what is computed is the other side
            for arg in children(node):
                yield from _reached(arg)
        elif fold(node) is None and not isinstance(node, Row):
            yield node
        return
    match node:
        case Bool(kind="and" | "or"):
            for arg in node.args:
                yield from _reached(arg)
                known = fold(arg)
                if known is not None and known.value is (node.kind == "or"):
                    return
        case Case():
            yield from _of_case(node)
        case Coalesce():
            for arg in node.args:
                yield from _reached(arg)
                known = fold(arg)
                if known is not None and known.value is not None:
                    return
        case Lookup():
            return
        case _:
            for arg in children(node):
                yield from _reached(arg)


def _of_case(node: Case) -> Iterator[Node]:
    """Conditions in their order; the results of those that are not known to be false."""
    tested = None
    if node.arg is not None:
        yield from _reached(node.arg)
        tested = fold(node.arg)
    for written, result in node.whens:
        condition = written
        if tested is not None:
            condition = rebuilt(written, lambda one: tested if isinstance(one, CaseTest) else one)
        yield from _reached(condition)
        known = fold(condition)
        if known is None or known.value is True:
            yield from _reached(result)
        if known is not None and known.value is True:
            return
    yield from _reached(node.default)


def _fine(node: Node) -> bool:
    """Whether it is known that it raises nothing: ordinary numbers and moments."""
    node = bare(node)
    if fold(node) is not None:
        return True
    args = children(node)
    if not all(map(_fine, args)):
        return False
    if not isinstance(node, (Op, Func)):
        return True
    if not may_raise(replace(node, args=tuple(_stand_in(arg) for arg in args))):
        return True
    if node.function.name in _MOMENTS:
        return all(map(_ordinary, args))
    if node.function.name == node.type and node.type.endswith("range"):
        bounds = [fold(arg) for arg in args[:2]]
        values = [bound.value for bound in bounds if bound is not None and bound.value is not None]
        return None not in bounds and ascending(values)
    if node.function.name == "chr":
        known = fold(args[0])
        return known is not None and isinstance(known.value, int) and 0 < known.value < _SURROGATES
    return _number(node) is not None


def _stand_in(arg: Node) -> Node:
    """An argument that raises nothing itself, so that what may raise is the call."""
    return fold(arg) or Var(arg.type, -1, arg.location, arg.collation, arg.strength)


#: sums of moments and intervals, which raise at the ends of the calendar only
_MOMENTS = {
    "date_pli", "date_mii", "integer_pl_date", "timestamp_pl_interval", "timestamp_mi_interval",
    "date_mi", "timestamp_mi", "interval_pl_timestamp", "interval_pl_date", "date_pl_interval",
    "date_mi_interval", "datetime_pl", "timedate_pl", "age", "interval_pl", "interval_mi",
    "interval_um", "interval_mul", "mul_d_interval", "make_interval",
}  # fmt: skip
_SURROGATES = 0xD800
#: a century about the epoch of PostgreSQL, in days and in microseconds
_DAYS = 36_500
_MICROS = _DAYS * 86_400 * 10**6
_NUMBERS: dict[str, Callable[..., float]] = {
    **dict.fromkeys(["sqrt", "dsqrt", "numeric_sqrt"], math.sqrt),
    **dict.fromkeys(["ln", "dlog1"], math.log),
    **dict.fromkeys(["log10", "dlog10"], math.log10),
    **dict.fromkeys(["exp", "dexp"], math.exp),
    **dict.fromkeys(["cbrt", "dcbrt"], math.cbrt),
    **dict.fromkeys(["power", "pow", "dpow", "numeric_power"], math.pow),
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2",
                                              "sinh", "cosh", "tanh", "degrees", "radians")},
    **{f"float{kind}{name}": made for kind in ("4", "8", "48", "84")
       for name, made in (("pl", lambda x, y: x + y), ("mi", lambda x, y: x - y),
                          ("mul", lambda x, y: x * y), ("div", lambda x, y: x / y))},
    **dict.fromkeys(["numeric_div"], lambda x, y: x / y),
    "pi": lambda: math.pi,
}  # fmt: skip
#: results in between are far from what a type cannot hold, and from its smallest numbers
_LEAST, _MOST = 1e-30, 1e30


def _number(node: Node) -> float | None:
    """An ordinary number, as near as a double is; None where it is none, or not known."""
    known = fold(node)
    if known is not None:
        return float(known.value) if isinstance(known.value, (int, float)) else _of_text(known)
    if not isinstance(node, (Op, Func)) or node.function.name not in _NUMBERS:
        return None
    args = [_number(arg) for arg in children(node)]
    try:
        value = _NUMBERS[node.function.name](*args)
    except (TypeError, ValueError, ArithmeticError):
        return None
    return value if value == 0 or _LEAST < abs(value) < _MOST else None


def _of_text(known: Const) -> float | None:
    try:
        return float(str(known.value))
    except ValueError:
        return None


def _ordinary(node: Node) -> bool:
    """A moment near the epoch of PostgreSQL, an interval of not more, or a small number."""
    known = fold(node)
    if known is None:
        # computed from such ones: a few steps stay far from the ends
        return isinstance(node, (Op, Func)) and all(map(_ordinary, children(node)))
    match known.value:
        case Parts(months=months, days=days, micros=micros):
            return max(abs(months), abs(days)) < _DAYS and abs(micros) < _MICROS
        case int(value):
            return abs(value) < (_MICROS if known.type.startswith("time") else _DAYS)
        case float(value):
            return abs(value) < _DAYS
    return known.value is None
