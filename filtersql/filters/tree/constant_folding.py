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
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import cache
from operator import add, eq, ge, gt, le, lt, mul, ne, neg, sub

from filtersql.errors.filters import BadLiteral
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
from filtersql.filters.types import numeric_parts
from filtersql.filters.values import dates
from filtersql.filters.values.numbers import EXACT, fits_scale, to_float4

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
    rule = _FOLDED.get(str(node.function)) or comparison(node.function.name)
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


def _whole(bits: int) -> Callable[[int | float | Decimal], int]:
    limit = 1 << (bits - 1)

    def convert(value: int | float | Decimal) -> int:
        exact = EXACT.quantize(value, Decimal(1)) if isinstance(value, Decimal) else value
        number = round(exact)
        if not -limit <= number < limit:
            raise OverflowError
        return number

    return convert


def _double(value: int | float | Decimal) -> float:
    converted = float(value)
    # not by isinf() of a Decimal, which makes a double of it first
    endless = value.is_infinite() if isinstance(value, Decimal) else value == converted
    if math.isinf(converted) and not endless:
        raise OverflowError
    if converted == 0.0 and value != 0:
        raise OverflowError
    return converted


def _single(value: int | float | Decimal) -> float:
    # A numeric becomes a real from its text: one rounding, not two.
    exact = _double(value)
    single = to_float4(exact, value if isinstance(value, (int, Decimal)) else exact)
    if (math.isinf(single) and not math.isinf(exact)) or (single == 0.0 and exact != 0.0):
        raise OverflowError
    return single


def _negated(value: float | Decimal) -> object:
    if isinstance(value, Decimal):
        return value.copy_negate() if value else value
    return -value if value else value


def _midnight(day: int) -> int:
    if day in dates.INFINITE["date"]:
        return dates.TIMES_INFINITY if day > 0 else dates.MINUS_TIMES_INFINITY
    return day * dates.USECS_PER_DAY


def _day(moment: int) -> int:
    if moment in dates.INFINITE["timestamp"]:
        return dates.DATE_INFINITY if moment > 0 else dates.MINUS_DATE_INFINITY
    return moment // dates.USECS_PER_DAY


def _quotient(left: int, right: int) -> int:
    # Division by zero is an ArithmeticError: nothing is folded, the engine raises.
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


_ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "pl": add,
    "mi": sub,
    "mul": mul,
    "div": _quotient,
    "mod": lambda left, right: left - _quotient(left, right) * right,
}


def _fitting(bits: int, compute: Callable[..., int]) -> Callable[..., int]:
    """The computation, whose result must fit an integer of so many bits."""
    fits = _whole(bits)
    return lambda *values: fits(compute(*values))


def _rounded(direction: str) -> Callable[..., object]:
    return lambda value: value.to_integral_value(direction) if value.is_finite() else value


_FOLDED: dict[str, Callable[..., object]] = {
    **{f"int2({kind})": _whole(16) for kind in ("int4", "int8", "float4", "float8", "numeric")},
    **{f"int4({kind})": _whole(32) for kind in ("int2", "int8", "float4", "float8", "numeric")},
    **{f"int8({kind})": _whole(64) for kind in ("int2", "int4", "float4", "float8", "numeric")},
    **{f"float8({kind})": _double for kind in ("int2", "int4", "int8", "float4", "numeric")},
    **{f"float4({kind})": _single for kind in ("int2", "int4", "int8", "float8", "numeric")},
    **{f"numeric({kind})": Decimal for kind in ("int2", "int4", "int8")},
    **{
        f"int{kind}{name}(int{kind[0]},int{kind[-1]})": _fitting(8 * int(max(kind)), compute)
        for kind in ("2", "4", "8", "24", "42", "28", "82", "48", "84")
        for name, compute in _ARITHMETIC.items()
    },
    "numeric(numeric,int4)": lambda value, typmod: fits_scale(value, *numeric_parts(typmod)),
    **{f"int{size}um(int{size})": _fitting(8 * size, neg) for size in (2, 4, 8)},
    **{f"int{size}abs(int{size})": _fitting(8 * size, abs) for size in (2, 4, 8)},
    **{f"abs(int{size})": _fitting(8 * size, abs) for size in (2, 4, 8)},
    "numeric_uminus(numeric)": _negated,
    "numeric_add(numeric,numeric)": EXACT.add,
    "numeric_sub(numeric,numeric)": EXACT.subtract,
    "numeric_mul(numeric,numeric)": EXACT.multiply,
    "ceil(numeric)": _rounded(ROUND_CEILING),
    "floor(numeric)": _rounded(ROUND_FLOOR),
    "varchar(varchar,int4,bool)": lambda value, typmod, explicit: value[: typmod - 4],
    "bpchar(bpchar,int4,bool)": lambda value, typmod, explicit: value[: typmod - 4].ljust(
        typmod - 4
    ),
    "text(bpchar)": lambda value: value.rstrip(" "),
    "timestamp(date)": _midnight,
    "date(timestamp)": _day,
}
