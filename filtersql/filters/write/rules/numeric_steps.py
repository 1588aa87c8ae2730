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

from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from msgspec import Struct
from sqlglot import exp

from filtersql.catalog import numeric_parts
from filtersql.filters.facts import TURNED
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, Op, Var
from filtersql.filters.tree.walking import walk
from filtersql.filters.values.numbers import EXACT
from filtersql.filters.write.rules import numeric_floats, numeric_places
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
    return _Call(writer, node, plain).compared(symbol, limit)


class _Call(Struct, frozen=True):
    """A function of numerics that stands beside a constant."""

    writer: Writer
    node: Func | Op
    plain: Comparison

    def compared(self, symbol: str, limit: Decimal) -> exp.Expr | None:
        """`node symbol limit`."""
        name, args = self.node.function.name, self.node.args
        if numeric_floats.is_float(self.node):
            return numeric_floats.compare(self.writer, symbol, self.node, limit)
        match name:
            case "numeric" if len(args) == 2:
                return self.fitted(symbol, limit)
            case "numeric_uplus" | "trim_scale":
                return self.against(symbol, args[0], limit)
            case "numeric_uminus":
                return self.flipped(symbol, args[0], EXACT.minus(limit))
            case "numeric_add" | "numeric_sub" | "numeric_mul":
                return self.moved(symbol, limit)
            case "numeric_abs" | "abs" if len(args) == 1:
                return self.absolute(symbol, limit)
            case "ceil" | "ceiling" | "floor" | "round" | "trunc":
                return self.step(name, symbol, args, limit)
        return None

    def against(self, symbol: str, inner: Node, value: Decimal) -> exp.Expr:
        """`inner symbol value`."""
        found = compare(self.writer, symbol, inner, value, self.plain)
        constant = Const("numeric", -1, self.node.location, value=value)
        return self.plain(self.writer, symbol, inner, constant) if found is None else found

    def flipped(self, symbol: str, inner: Node, value: Decimal) -> exp.Expr | None:
        """The same of minus inner: NaN is the largest number, and minus NaN too."""
        turned = self.against(TURNED[symbol], inner, value)
        if symbol in ("=", "<>"):
            return turned
        nan = self.is_nan(inner)
        if nan is None:
            return None
        return self.writer.filled("_1 OR _2" if ">" in symbol else "_1 AND NOT _2", turned, nan)

    def moved(self, symbol: str, limit: Decimal) -> exp.Expr | None:
        """Of a sum, difference or product of which one side is constant."""
        first, second = map(_number, self.node.args)
        if (first is None) == (second is None):
            return None
        known = first if first is not None else second
        inner = self.node.args[1] if first is not None else self.node.args[0]
        assert known is not None
        if self.node.function.name == "numeric_add":
            return self.against(symbol, inner, EXACT.subtract(limit, known))
        if self.node.function.name == "numeric_sub":
            if second is not None:
                return self.against(symbol, inner, EXACT.add(limit, known))
            return self.flipped(symbol, inner, EXACT.subtract(known, limit))
        quotient = _exact_quotient(limit, known) if known else None
        if quotient is None:
            return None
        return (self.against if known > 0 else self.flipped)(symbol, inner, quotient)

    def absolute(self, symbol: str, limit: Decimal) -> exp.Expr | None:
        """Of an absolute value: beyond the limit on either side."""
        (inner,), minus = self.node.args, EXACT.minus(limit)
        if limit < 0:
            return self.always(inner, symbol in (">", ">=", "<>"))
        beyond = self.against(symbol, inner, limit)
        text = "_1 AND _2" if symbol in ("<", "<=", "<>") else "_1 OR _2"
        return self.writer.filled(text, beyond, self.against(TURNED[symbol], inner, minus))

    def always(self, inner: Node, truth: bool) -> exp.Expr:
        """A truth value, unless the inner one is NULL."""
        return self.writer.case([(self.writer.is_not_null(self.writer.raw(inner)), truth)], None)

    def fitted(self, symbol: str, limit: Decimal) -> exp.Expr | None:
        """A cast to numeric(p, s): rounded; what does not fit raises, but NaN fits."""
        writer, (inner, modifier) = self.writer, self.node.args
        known = fold(modifier)
        if known is None or not isinstance(known.value, int):
            return None
        precision, scale = numeric_parts(known.value)
        places = Const("int4", -1, self.node.location, value=scale)
        end = Decimal(1).scaleb(precision - scale)
        tests = [
            self.step("round", sign, (inner, places), number)
            for sign, number in ((symbol, limit), (">=", end), ("<=", -end))
        ]
        nan = self.is_nan(inner)
        if nan is None or None in tests:
            return None
        value, above, below = (test for test in tests if test is not None)
        outside = writer.filled("(_1 AND NOT _2) OR _3", above, nan, below)
        return writer.case([(outside, writer.raised("numeric field overflow", "BOOLEAN"))], value)

    def is_nan(self, inner: Node) -> exp.Expr | None:
        """Whether the one column of an expression is NaN, and so the expression."""
        writer, roots = self.writer, [item for item in walk(inner) if isinstance(item, Var)]
        if len(roots) != 1:
            declared = all(root.decimal or root.type in _WHOLE for root in roots)
            return exp.false() if declared else None
        if roots[0].type == "numeric":
            nan = Const("numeric", -1, inner.location, value=Decimal("NaN"))
            return self.plain(writer, "=", roots[0], nan)
        if roots[0].type in ("float4", "float8"):
            number = writer.cast("NaN", "DOUBLE")
            return writer.filled("_1 = _2", writer.cast(writer.put(roots[0]), "DOUBLE"), number)
        return exp.false()

    def step(self, name: str, symbol: str, args: Sequence[Node], limit: Decimal) -> exp.Expr | None:
        """A flight of steps of one width: the value is at least a step from some number on."""
        places = numeric_places.given(args)
        if places is None or abs(places) > _MOST:
            return None
        unit, inner, filled = Decimal(1).scaleb(-places), args[0], self.writer.filled

        def at_least(step: Decimal) -> exp.Expr:
            match name:
                case "floor":
                    return self.against(">=", inner, step)
                case "ceil" | "ceiling":
                    return self.against(">", inner, EXACT.subtract(step, unit))
                case "trunc":
                    start = step if step > 0 else EXACT.subtract(step, unit)
                case _:
                    start = EXACT.subtract(step, EXACT.divide(unit, Decimal(2)))
            return self.against(">=" if step > 0 else ">", inner, start)

        scaled = EXACT.scaleb(limit, places)
        low = EXACT.scaleb(scaled.to_integral_value(ROUND_FLOOR), -places)
        high = EXACT.scaleb(scaled.to_integral_value(ROUND_CEILING), -places)
        match symbol:
            case ">=":
                return at_least(high)
            case ">":
                return at_least(EXACT.add(low, unit))
            case "<":
                return filled("NOT _1", at_least(high))
            case "<=":
                return filled("NOT _1", at_least(EXACT.add(low, unit)))
        if low != high:
            return self.always(inner, symbol == "<>")
        inside = filled("_1 AND NOT _2", at_least(low), at_least(EXACT.add(low, unit)))
        return inside if symbol == "=" else filled("NOT _1", inside)


def _number(node: Node) -> Decimal | None:
    constant = fold(node)
    value = constant.value if constant is not None else None
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _exact_quotient(limit: Decimal, by: Decimal) -> Decimal | None:
    """The quotient where it ends."""
    numerator, denominator = limit.as_integer_ratio(), by.as_integer_ratio()
    top, bottom = numerator[0] * denominator[1], numerator[1] * denominator[0]
    for places in range(40):
        if top * 10**places % bottom == 0:
            return EXACT.scaleb(Decimal(top * 10**places // bottom), -places)
    return None
