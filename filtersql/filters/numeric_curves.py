"""sqrt, ln, log, exp, powers and doubles as numeric, compared with a constant: the constant moves.

Example
    ========================= ==========================================================
    filter, `n` numeric(9,3)  written as
    ========================= ==========================================================
    `sqrt(n) > 1.5`           n > 2.25, and n < 0 raises
    `n ^ 2 >= 100`            n >= 10 OR n <= -10
    `ln(n) > 1`               n > 2.71828182845904…: no number of three digits is near
    `f8::numeric > 1.5`       f8 >= the first double whose 15 digits are above 1.5
    ========================= ==========================================================

    The functions grow with their argument, and PostgreSQL's results have 16 digits or more, so
    only numbers very near the limit are in doubt. Where the column's digits rule these out nothing
    is said of them; else such a row raises.

PostgreSQL
    numeric.c: numeric_sqrt(), numeric_ln(), numeric_log(), numeric_exp() (6000 is its end),
    numeric_power(), float8_numeric() (15 digits), float4_numeric() (6 digits).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import Context, Decimal
from typing import TYPE_CHECKING, NamedTuple

from filtersql.filters.folding import fold
from filtersql.filters.literals.numbers import EXACT
from filtersql.filters.nodes import Const, Func, Node, Op

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writer import Writer

__all__ = ["compare", "is_curve"]

Against = Callable[[str, Node, Decimal], "exp.Expr"]
_FINE = Context(prec=80, Emax=10**9, Emin=-(10**9))
_NAMES = {
    "sqrt": "sqrt", "numeric_sqrt": "sqrt", "exp": "exp", "numeric_exp": "exp", "ln": "ln",
    "numeric_ln": "ln", "log": "log", "numeric_log": "log", "log10": "log", "power": "power",
    "numeric_power": "power", "pow": "power", "factorial": "factorial", "numeric": "float",
}  # fmt: skip
_NEAR = Decimal("1e-14")
#: PostgreSQL's results have 1000 digits behind the point at most
_SMALLEST = Decimal("1e-900")
_FLOATS = ("float4", "float8")
_MOST_EXPONENT = 100
_TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _Limit(NamedTuple):
    """Where a curve reaches a number: between `low` and `high`; `exact` where that is a number."""

    low: Decimal
    high: Decimal
    exact: Decimal | None


def is_curve(node: Node) -> bool:
    """Whether a node is such a function."""
    if not isinstance(node, (Func, Op)) or node.function.name not in _NAMES:
        return False
    kind, first = _NAMES[node.function.name], node.args[0].type
    if kind in ("float", "factorial"):
        return first in _FLOATS or kind == "factorial"
    return first == "numeric"


def compare(
    writer: Writer, symbol: str, node: Func | Op, limit: Decimal, against: Against
) -> exp.Expr | None:
    """`node symbol limit`; None where there is no such form."""
    kind = _NAMES[node.function.name]
    if kind == "float":
        return _of_float(writer, symbol, node, limit)
    if kind == "factorial":
        return _factorial(writer, symbol, node, limit)
    if 0 < limit.copy_abs() < _SMALLEST:
        return None
    inner = node.args[0]
    if len(node.args) == 2:
        place = 0 if kind == "log" else 1
        number = _constant(node.args[place])
        if number is None:
            return None
        inner = node.args[1 - place]
        if kind == "power":
            return _power(writer, symbol, inner, number, limit, against)
        if number <= 1:
            return None
        found = _log(limit, number)
    else:
        found = {"sqrt": _sqrt, "ln": _ln, "log": _log, "exp": _exp}[kind](limit)
    if kind == "exp":
        outside = _and(
            writer, against(">=", inner, Decimal(6000)), against("<", inner, Decimal("Infinity"))
        )
    else:
        outside = against("<" if kind == "sqrt" else "<=", inner, Decimal(0))
    if found is None:
        if kind != "sqrt" and not (kind == "exp" and limit < 0):
            return None
        test = _always(writer, inner, symbol in (">", ">=", "<>"))
    else:
        test = _reached(writer, symbol, inner, found, against)
    return _raising(writer, outside, test, "the value is out of the function's domain")


def _and(writer: Writer, first: exp.Expr, second: exp.Expr) -> exp.Expr:
    return writer.filled("_1 AND _2", first, second)


def _constant(node: Node) -> Decimal | None:
    known = fold(node)
    value = known.value if known is not None else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _raising(writer: Writer, when: exp.Expr, test: exp.Expr, problem: str) -> exp.Expr:
    mistake = writer.cast(writer.piece(".raise", writer.text(problem)), "BOOLEAN")
    return writer.case([(when, mistake)], test)


def _always(writer: Writer, inner: Node, truth: bool) -> exp.Expr:
    known = writer.filled("NOT _1 IS NULL", writer.raw(inner))
    return writer.case([(known, writer.filled("TRUE" if truth else "FALSE"))], None)


# -- where a curve reaches a number ---------------------------------------------------------------


def _around(limit: Decimal, inverse: Callable[[Decimal], Decimal], exact: Decimal | None) -> _Limit:
    """The numbers between which the curve is as near to the limit as PostgreSQL's last digits."""
    step = _FINE.multiply(limit.copy_abs(), _NEAR) if limit else Decimal("1e-300")
    low, high = inverse(_FINE.subtract(limit, step)), inverse(_FINE.add(limit, step))
    return _Limit(low, high, exact)


def _sqrt(limit: Decimal) -> _Limit | None:
    if limit < 0:
        return None

    def square(value: Decimal) -> Decimal:
        return _FINE.multiply(value, value) if value > 0 else Decimal(0)

    return _around(limit, square, EXACT.multiply(limit, limit))


def _ln(limit: Decimal) -> _Limit | None:
    if abs(limit) > 10_000:
        return None
    return _around(limit, _FINE.exp, None if limit else Decimal(1))


def _log(limit: Decimal, base: Decimal = Decimal(10)) -> _Limit | None:
    if abs(limit) > 10_000:
        return None
    whole = limit == limit.to_integral_value() and 0 <= limit <= _MOST_EXPONENT
    exact = EXACT.power(base, limit) if whole else None
    if base == 10 and limit == limit.to_integral_value():
        exact = Decimal(1).scaleb(int(limit))
    return _around(limit, lambda value: _FINE.power(base, value), exact)


def _exp(limit: Decimal) -> _Limit | None:
    if limit <= 0:
        return None
    return _around(limit, _FINE.ln, Decimal(0) if limit == 1 else None)


def _reached(writer: Writer, symbol: str, inner: Node, found: _Limit, against: Against) -> exp.Expr:
    """The growing curve of `inner` compared with its limit."""
    low, high, exact = found
    if exact is not None:
        test = against(symbol, inner, exact)
    elif symbol in ("=", "<>"):
        test = _always(writer, inner, symbol == "<>")
    else:
        test = against(">=" if symbol in (">", ">=") else "<", inner, high)
    if _no_number_between(inner, found):
        return test
    near = _and(writer, against(">", inner, low), against("<", inner, high))
    if exact is not None:
        near = _and(writer, near, against("<>", inner, exact))
    return _raising(writer, near, test, "the last digits of a function would decide")


def _no_number_between(inner: Node, found: _Limit) -> bool:
    """Whether the digits of `inner` rule out every number of the interval but the exact one."""
    from filtersql.filters.numerics import digits

    known = digits(inner)
    if known is None:
        return False
    scaled = [_FINE.scaleb(one, known.behind) for one in found[:2]]
    low, high = math.floor(scaled[0]), math.ceil(scaled[1])
    if high - low > 4:
        return False
    inside = [number for number in range(low, high + 1) if scaled[0] < number < scaled[1]]
    return all(
        found.exact is not None and EXACT.scaleb(Decimal(number), -known.behind) == found.exact
        for number in inside
    )


def _power(
    writer: Writer, symbol: str, inner: Node, order: Decimal, limit: Decimal, against: Against
) -> exp.Expr | None:
    """A power of a constant order above 0."""
    from filtersql.filters.numerics import digits

    if not 0 < order <= _MOST_EXPONENT:
        return None
    whole = order == order.to_integral_value()
    even = whole and int(order) % 2 == 0

    def root(value: Decimal) -> Decimal:
        found = (
            _FINE.power(value.copy_abs(), _FINE.divide(Decimal(1), order)) if value else Decimal(0)
        )
        return found.copy_negate() if value < 0 else found

    if even and limit < 0:
        test = _always(writer, inner, symbol in (">", ">=", "<>"))
    elif not whole:
        if limit < 0 or digits(inner) is None:
            return None
        test = _reached(writer, symbol, inner, _root_of(limit, order, root), against)
    elif not even:
        test = _reached(writer, symbol, inner, _root_of(limit, order, root), against)
    else:
        test = _even(writer, symbol, inner, _root_of(limit, order, root), against)
    most = int(_FINE.divide(Decimal(131_000), order))
    end = Decimal(1).scaleb(most)
    outside = [
        _and(writer, against(">=", inner, end), against("<", inner, Decimal("Infinity"))),
        _and(
            writer,
            against("<=", inner, end.copy_negate()),
            against(">", inner, Decimal("-Infinity")),
        )
        if whole
        else against("<", inner, Decimal(0)),
    ]
    known = digits(inner)
    if known is not None and known.before < most:
        if whole:
            return test
        outside = outside[1:]
    for one in outside:
        test = _raising(writer, one, test, "the value is out of the function's domain")
    return test


def _root_of(limit: Decimal, order: Decimal, root: Callable[[Decimal], Decimal]) -> _Limit:
    found = root(limit)
    exact = None
    if order == order.to_integral_value():
        rounded = EXACT.normalize(Context(prec=40).create_decimal(found))
        if EXACT.power(rounded, int(order)) == limit:
            exact = rounded
    elif not limit:
        exact = Decimal(0)
    elif (turned := EXACT.divide(Decimal(1), order)) == turned.to_integral_value() <= 10:
        exact = EXACT.power(limit, int(turned))
    return _around(limit, root, exact)


def _even(writer: Writer, symbol: str, inner: Node, found: _Limit, against: Against) -> exp.Expr:
    """An even power: both sides of zero."""
    low, high, exact = found
    minus = _Limit(
        high.copy_negate(), low.copy_negate(), None if exact is None else exact.copy_negate()
    )
    if symbol in ("=", "<>") and exact is None:
        return _reached(writer, symbol, inner, found, against)
    above = _reached(writer, symbol, inner, found, against)
    below = _reached(writer, _TURNED[symbol], inner, minus, against)
    return writer.filled("_1 OR _2" if symbol in ("=", ">", ">=") else "_1 AND _2", above, below)


# -- whole numbers and doubles --------------------------------------------------------------------


def _factorial(writer: Writer, symbol: str, node: Func | Op, limit: Decimal) -> exp.Expr:
    """The smallest number whose factorial is as large."""
    bounds = [_factor(lambda product: product >= limit), _factor(lambda product: product > limit)]
    value = writer.put(node.args[0])
    outside = writer.filled("_1 < 0 OR _1 > 32177", value.copy())
    test = _between(writer, symbol, value, *map(writer.integer, bounds))
    return _raising(writer, outside, test, "factorial is out of its domain")


def _factor(reached: Callable[[int], bool]) -> int:
    product, number = 1, 0
    while not reached(product):
        number += 1
        product *= number
    return number


def _between(
    writer: Writer, symbol: str, value: exp.Expr, equal: exp.Expr, above: exp.Expr
) -> exp.Expr:
    """A growing step function that is equal to the limit from `equal` on, above it from `above`."""
    match symbol:
        case ">=":
            return writer.filled("_1 >= _2", value, equal)
        case ">":
            return writer.filled("_1 >= _2", value, above)
        case "<":
            return writer.filled("_1 < _2", value, equal)
        case "<=":
            return writer.filled("_1 < _2", value, above)
        case "=":
            return writer.filled("_1 >= _2 AND _1 < _3", value, equal, above)
    return writer.filled("_1 < _2 OR _1 >= _3", value, equal, above)


def _of_float(writer: Writer, symbol: str, node: Func | Op, limit: Decimal) -> exp.Expr:
    """A double as numeric has 15 digits, a real 6."""
    kind = node.args[0].type
    value = writer.cast(writer.put(node.args[0]), "DOUBLE")
    limits = (
        writer.constant(Const("float8", -1, node.location, value=_first(kind, reached)))
        for reached in (lambda shown: shown >= limit, lambda shown: shown > limit)
    )
    return _between(writer, symbol, value, *limits)


def _first(kind: str, reached: Callable[[Decimal], bool]) -> float:
    """The first double (or real) whose digits are as large: a search over all of them."""
    low, high = -_bits(kind, math.inf), _bits(kind, math.inf)
    while low < high:
        middle = (low + high) // 2
        if reached(_digits(kind, _float(kind, middle))):
            high = middle
        else:
            low = middle + 1
    return _float(kind, low)


def _digits(kind: str, value: float) -> Decimal:
    return Decimal(f"{value:.14e}" if kind == "float8" else f"{value:.5e}")


def _bits(kind: str, value: float) -> int:
    codes = ("<d", "<q") if kind == "float8" else ("<f", "<i")
    return int(struct.unpack(codes[1], struct.pack(codes[0], value))[0])


def _float(kind: str, number: int) -> float:
    """The float of that place among all floats; 0 is the place of zero."""
    codes = ("<q", "<d") if kind == "float8" else ("<i", "<f")
    found = float(struct.unpack(codes[1], struct.pack(codes[0], abs(number)))[0])
    return -found if number < 0 else found
