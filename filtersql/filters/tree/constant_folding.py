"""Constants that PostgreSQL computes from constants: casts of literals, mostly.

Example
    `f8 = 1.5` is stored as `(f8 = (1.5)::double precision)`; the engine is given the double 1.5.

PostgreSQL
    clauses.c, eval_const_expressions(): an immutable function of constants is called once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cache
from operator import eq, ge, gt, le, lt, ne

from filtersql.errors.filters import BadLiteral
from filtersql.filters.tree.constant_functions import FOLDED
from filtersql.filters.tree.nodes import (
    Bool,
    BooleanTest,
    Case,
    CaseTest,
    Coalesce,
    Collate,
    Const,
    Distinct,
    Func,
    Lookup,
    MinMax,
    Node,
    NullIf,
    NullTest,
    Op,
    Relabel,
    ScalarArrayOp,
    Var,
)
from filtersql.filters.tree.walking import walk

__all__ = ["ascending", "comparison", "fold"]


def fold(node: Node) -> Const | None:
    """The constant that a node is, or None when it is none (or would raise)."""
    # asked of every node many times, and most are a column or compare one
    if isinstance(node, Const):
        return node
    if isinstance(node, Var):
        return None
    if isinstance(node, (Relabel, Collate)):
        inner = fold(node.arg)
        if inner is None:
            return None
        return Const(
            node.type, node.typmod, node.location, node.collation, node.strength, inner.value
        )
    if isinstance(node, (Func, Op)) and not isinstance(node, ScalarArrayOp):
        return _called(node)
    if isinstance(node, Bool):
        return _joined(node)
    return _constructed(node)


def _constructed(node: Node) -> Const | None:
    """CASE, COALESCE, GREATEST, IS NULL … as far as constants decide them."""
    match node:
        case Coalesce():
            return _first_known(node)
        case MinMax():
            args = [fold(arg) for arg in node.args]
            found = [arg for arg in args if arg is not None and arg.value is not None]
            if None in args or not found or node.type not in _SORTED:
                return None
            choose = max if node.greatest else min
            return choose(found, key=lambda item: _sortable(item.value))
        case Case() if node.arg is None:
            for condition, result in node.whens:
                known = fold(condition)
                if known is None:
                    return None
                if known.value is True:
                    return fold(result)
            return fold(node.default)
        case NullTest():
            known = fold(node.arg)
            return known and _truth(node, (known.value is None) == node.is_null)
        case BooleanTest():
            known = fold(node.arg)
            wanted = {"TRUE": True, "FALSE": False, "UNKNOWN": None}[node.test]
            return known and _truth(node, (known.value is wanted) != node.negated)
    return None


#: types whose values Python orders as PostgreSQL does
_SORTED = {"bool", "int2", "int4", "int8", "float4", "float8", "numeric", "date", "timestamp"}


def _truth(node: Node, value: bool) -> Const:
    return Const("bool", -1, node.location, value=value)


def _first_known(node: Coalesce) -> Const | None:
    for arg in node.args:
        known = fold(arg)
        if known is None or known.value is not None:
            return known
    return fold(node.args[-1])


def _joined(node: Bool) -> Const | None:
    """AND, OR and NOT: one FALSE decides an AND, also behind a column that may raise.

    What is made of constants alone is computed in its turn.
    """
    args = [fold(arg) for arg in node.args]
    known = [arg.value for arg in args if arg is not None]
    decides = node.kind == "or"
    if node.kind == "not":
        if not known:
            return None
        value = None if known[0] is None else not known[0]
    elif any(item is decides for item in known):
        places = [arg is not None and arg.value is decides for arg in args]
        if any(
            arg is None and not _reads(node.args[at])
            for at, arg in enumerate(args[: places.index(True)])
        ):
            return None
        value = decides
    elif len(known) < len(args):
        return None
    else:
        value = None if None in known else not decides
    return Const("bool", -1, node.location, value=value)


def _reads(node: Node) -> bool:
    return any(isinstance(one, (Var, CaseTest, Lookup)) for one in walk(node))


def _called(node: Func | Op) -> Const | None:
    for arg in node.args:
        if isinstance(arg, Var):
            return None
    rule = FOLDED.get(str(node.function)) or comparison(node.function.name)
    if rule is None or isinstance(node, Distinct):
        return None
    args = [fold(arg) for arg in node.args]
    values = [arg.value for arg in args if arg is not None]
    if len(values) != len(args):
        return None
    value = None
    if isinstance(node, NullIf):
        equal = None not in values and rule(*values)
        value = None if equal else values[0]
    elif all(item is not None for item in values):
        try:
            value = rule(*values)
        except (BadLiteral, OverflowError, ValueError, ArithmeticError):
            return None
    return Const(node.type, node.typmod, node.location, node.collation, node.strength, value)


_COMPARED = re.compile(
    r"(?:(?:int|float)\d+|numeric_|date_|timestamp_|timestamptz_|bool|uuid_)(eq|ne|lt|le|gt|ge)\Z"
    r"|text(eq|ne)\Z"
)
_TRUTH: dict[str, Callable[[tuple[bool, object], tuple[bool, object]], bool]] = {
    "eq": eq, "ne": ne, "lt": lt, "le": le, "gt": gt, "ge": ge,
}  # fmt: skip


@cache
def comparison(name: str) -> Callable[..., object] | None:
    """A comparison of two constants of one type; NaN is equal to itself and the largest."""
    match = _COMPARED.match(name)
    if match is None:
        return None
    truth = _TRUTH[match[1] or match[2]]
    return lambda left, right: truth(_sortable(left), _sortable(right))


def ascending(values: Sequence[object]) -> bool:
    """Whether values of one type, whose order is that of Python's values, are sorted."""
    keys = [_sortable(value) for value in values]
    return all(map(le, keys, keys[1:]))


def _sortable(value: object) -> tuple[bool, object]:
    is_nan = isinstance(value, (float, Decimal)) and math.isnan(value)
    return is_nan, 0 if is_nan else value
