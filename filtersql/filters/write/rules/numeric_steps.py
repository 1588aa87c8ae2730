"""Functions of a numeric without declared digits, compared with a constant: the constant moves.

Example
    ========================= ====================================
    filter, `m` numeric       written as
    ========================= ====================================
    `m + 1 > 10`              m > 9
    `m * 2 <= 5`              m <= 2.5
    `-m < 2`                  m > -2 AND m <> 'NaN', the largest number
    `abs(m) > 2`              m > 2 OR m < -2
    `round(m, 1) >= 2.5`      m >= 2.45
    `floor(m) = 2`            m >= 2 AND m < 3
    ========================= ====================================

    Each is exact for every value, NaN and the infinities included, since sums and products of
    numerics are not rounded, and rounding is a flight of steps. Products are, to 16383 digits
    behind the point: numbers that reach them raise, like those too large for a numeric.

PostgreSQL
    numeric.c: add_var(), mul_var(), round_var() (half away from zero), trunc_var(), ceil_var().
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from sqlglot import exp

from filtersql.catalog import numeric_parts
from filtersql.filters.facts import TURNED
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, Op, Var
from filtersql.filters.tree.walking import walk
from filtersql.filters.values.numbers import EXACT
from filtersql.filters.write.rules import numeric_floats
from filtersql.filters.write.writer import Writer

__all__ = ["compare"]

Comparison = Callable[["Writer", str, Node, Node], "exp.Expr"]
_MOST = 1000
#: types without NaN
_WHOLE = {"int2", "int4", "int8"}


def compare(
    writer: Writer, symbol: str, node: Node, limit: Decimal, plain: Comparison
) -> exp.Expr | None:
    """`node symbol limit` where the constant can move to the other side; else None."""
    if not isinstance(node, (Func, Op)) or not limit.is_finite():
        return None

    def against(sign: str, inner: Node, value: Decimal) -> exp.Expr:
        found = compare(writer, sign, inner, value, plain)
        constant = Const("numeric", -1, node.location, value=value)
        return plain(writer, sign, inner, constant) if found is None else found

    def flipped(sign: str, inner: Node, value: Decimal) -> exp.Expr | None:
        return _flipped(writer, sign, inner, against(TURNED[sign], inner, value), plain)

    name, args = node.function.name, node.args
    if numeric_floats.is_float(node):
        return numeric_floats.compare(writer, symbol, node, limit)
    match name:
        case "numeric" if len(args) == 2:
            return _fitted(writer, symbol, node, limit, against, plain)
        case "numeric_uplus" | "trim_scale":
            return against(symbol, args[0], limit)
        case "numeric_uminus":
            return flipped(symbol, args[0], EXACT.minus(limit))
        case "numeric_add" | "numeric_sub" | "numeric_mul":
            return _moved(name, symbol, args, limit, against, flipped)
        case "numeric_abs" | "abs" if len(args) == 1:
            return _absolute(writer, symbol, args[0], limit, against)
        case "ceil" | "ceiling" | "floor" | "round" | "trunc":
            return _step(writer, name, symbol, args, limit, against)
    return None


Against = Callable[[str, Node, Decimal], "exp.Expr"]
Flipped = Callable[[str, Node, Decimal], "exp.Expr | None"]


def _flipped(
    writer: Writer, symbol: str, inner: Node, turned: exp.Expr, plain: Comparison
) -> exp.Expr | None:
    """NaN is the largest number, and minus NaN too."""
    if symbol in ("=", "<>"):
        return turned
    larger = symbol in (">", ">=")
    nan = _is_nan(writer, inner, plain)
    if nan is None:
        return None
    return writer.filled("_1 OR _2" if larger else "_1 AND NOT _2", turned, nan)


def _number(node: Node) -> Decimal | None:
    constant = fold(node)
    value = constant.value if constant is not None else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _moved(
    name: str,
    symbol: str,
    args: tuple[Node, ...],
    limit: Decimal,
    against: Against,
    flipped: Flipped,
) -> exp.Expr | None:
    first, second = map(_number, args)
    if (first is None) == (second is None):
        return None
    known = first if first is not None else second
    inner = args[1] if first is not None else args[0]
    assert known is not None
    if name == "numeric_add":
        return against(symbol, inner, EXACT.subtract(limit, known))
    if name == "numeric_sub":
        if second is not None:
            return against(symbol, inner, EXACT.add(limit, known))
        return flipped(symbol, inner, EXACT.subtract(known, limit))
    if not known:
        return None
    quotient = _exact_quotient(limit, known)
    if quotient is None:
        return None
    return against(symbol, inner, quotient) if known > 0 else flipped(symbol, inner, quotient)


def _exact_quotient(limit: Decimal, by: Decimal) -> Decimal | None:
    """The quotient where it ends."""
    numerator, denominator = limit.as_integer_ratio(), by.as_integer_ratio()
    top, bottom = numerator[0] * denominator[1], numerator[1] * denominator[0]
    for places in range(40):
        if top * 10**places % bottom == 0:
            return EXACT.scaleb(Decimal(top * 10**places // bottom), -places)
    return None


def _absolute(
    writer: Writer, symbol: str, inner: Node, limit: Decimal, against: Against
) -> exp.Expr | None:
    minus = EXACT.minus(limit)
    if limit < 0:
        return _always(writer, inner, symbol in (">", ">=", "<>"))
    beyond, connector = against(symbol, inner, limit), "OR"
    if symbol in ("<", "<=", "<>"):
        connector = "AND"
    return writer.filled(f"_1 {connector} _2", beyond, against(TURNED[symbol], inner, minus))


def _always(writer: Writer, inner: Node, truth: bool) -> exp.Expr:
    known = writer.is_not_null(writer.raw(inner))
    result = writer.filled("TRUE" if truth else "FALSE")
    return writer.case([(known, result)], None)


def _fitted(
    writer: Writer,
    symbol: str,
    node: Func | Op,
    limit: Decimal,
    against: Against,
    plain: Comparison,
) -> exp.Expr | None:
    """A cast to numeric(p, s): rounded; what does not fit raises, but NaN fits."""
    inner, modifier = node.args
    known = fold(modifier)
    if known is None or not isinstance(known.value, int):
        return None
    precision, scale = numeric_parts(known.value)
    places = Const("int4", -1, node.location, value=scale)
    end = Decimal(1).scaleb(precision - scale)
    tests = [
        _step(writer, "round", sign, (inner, places), number, against)
        for sign, number in ((symbol, limit), (">=", end), ("<=", -end))
    ]
    nan = _is_nan(writer, inner, plain)
    if nan is None or None in tests:
        return None
    value, above, below = (test for test in tests if test is not None)
    outside = writer.filled("(_1 AND NOT _2) OR _3", above, nan, below)
    return writer.case([(outside, writer.raised("numeric field overflow", "BOOLEAN"))], value)


def _is_nan(writer: Writer, inner: Node, plain: Comparison) -> exp.Expr | None:
    """Whether the one column of an expression is NaN, and so the expression."""
    roots = [item for item in walk(inner) if isinstance(item, Var)]
    if len(roots) != 1:
        declared = all(root.decimal or root.type in _WHOLE for root in roots)
        return writer.filled("FALSE") if declared else None
    if roots[0].type == "numeric":
        nan = Const("numeric", -1, inner.location, value=Decimal("NaN"))
        return plain(writer, "=", roots[0], nan)
    if roots[0].type in ("float4", "float8"):
        number = writer.cast("NaN", "DOUBLE")
        return writer.filled("_1 = _2", writer.cast(writer.put(roots[0]), "DOUBLE"), number)
    return writer.filled("FALSE")


def _step(
    writer: Writer,
    name: str,
    symbol: str,
    args: tuple[Node, ...],
    limit: Decimal,
    against: Against,
) -> exp.Expr | None:
    """A flight of steps of one width: the value is at least a step from some number on."""
    constant = fold(args[1]) if len(args) > 1 else None
    places = constant.value if constant is not None else 0 if len(args) == 1 else None
    if not isinstance(places, int) or abs(places) > _MOST:
        return None
    unit, inner = Decimal(1).scaleb(-places), args[0]

    def at_least(step: Decimal) -> exp.Expr:
        match name:
            case "floor":
                return against(">=", inner, step)
            case "ceil" | "ceiling":
                return against(">", inner, EXACT.subtract(step, unit))
            case "trunc":
                start = step if step > 0 else EXACT.subtract(step, unit)
            case _:
                start = EXACT.subtract(step, EXACT.divide(unit, Decimal(2)))
        return against(">=" if step > 0 else ">", inner, start)

    scaled = EXACT.scaleb(limit, places)
    low = EXACT.scaleb(scaled.to_integral_value(ROUND_FLOOR), -places)
    high = EXACT.scaleb(scaled.to_integral_value(ROUND_CEILING), -places)
    match symbol:
        case ">=":
            return at_least(high)
        case ">":
            return at_least(EXACT.add(low, unit))
        case "<":
            return writer.filled("NOT _1", at_least(high))
        case "<=":
            return writer.filled("NOT _1", at_least(EXACT.add(low, unit)))
    if low != high:
        return _always(writer, inner, symbol == "<>")
    inside = writer.filled("_1 AND NOT _2", at_least(low), at_least(EXACT.add(low, unit)))
    return inside if symbol == "=" else writer.filled("NOT _1", inside)
