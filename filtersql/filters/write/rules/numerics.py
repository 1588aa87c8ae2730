"""numeric: exact on DECIMAL wherever its digits are known, exact on PostgreSQL's text elsewhere.

Example
    ====================== ===================== ==========================================
    node                   digits                written as
    ====================== ===================== ==========================================
    `n` numeric(10,2)      8 before, 2 behind    the DECIMAL(10, 2) column
    `n + 0.125`            9 before, 3 behind    a DECIMAL sum: nothing is rounded
    `n * n * n * n`        32 before, 8 behind   refused: DECIMAL ends at 38 digits
    `m` numeric            not known             compared by a text that sorts as the number
    `m + 1`                not known             a DECIMAL(28, 10) where it fits; else the row
                                                 raises an error
    ====================== ===================== ==========================================

PostgreSQL
    numeric.c.
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from filtersql.catalog import numeric_parts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    Case,
    Coalesce,
    Const,
    Func,
    MinMax,
    Node,
    NullIf,
    Op,
    Relabel,
    Var,
)
from filtersql.filters.write import evaluation_order
from filtersql.filters.write.rules import (
    datetime_fields,
    division,
    numeric_divisors,
    numeric_places,
    undeclared_numerics,
)
from filtersql.filters.write.rules.numeric_digits import (
    INTEGER_DIGITS,
    MOST,
    Digits,
    factors,
    known,
    modifier,
    terminating,
)
from filtersql.filters.write.writer import Writer

__all__ = ["put", "widened"]

#: java.math.MathContext.DECIMAL128
_NEGATED = 34


def put(writer: Writer, node: Node) -> exp.Expr:
    """A numeric as a DECIMAL of `known(node)`; raises NotTranslated when no DECIMAL is exact."""
    have = known(node)
    if have.before + have.behind > MOST:
        raise writer.refused(node, _TOO_WIDE.format(have.before + have.behind))
    constant = fold(node)
    if constant is not None:
        return _literal(writer, node, constant, have)
    match node:
        case Relabel():
            return put(writer, node.arg)
        case Var():
            return (
                writer.column(node)
                if node.decimal
                else undeclared_numerics.fitted(writer, node, have)
            )
        case Case() | Coalesce() | MinMax() | NullIf():
            return writer.construct(node, lambda item: widened(writer, item, have))
        case Func() | Op():
            return evaluation_order.raising_first(
                writer, node, lambda one: _computed(writer, one, have)
            )
    raise writer.refused(node, "Its digits are not known.")


_TOO_WIDE = "The exact result may have {} digits, and DECIMAL ends at 38."


def widened(writer: Writer, node: Node, to: Digits) -> exp.Expr:
    """The node as exactly DECIMAL `to`."""
    constant = fold(node)
    if constant is not None:
        return _literal(writer, node, constant, to)
    written = put(writer, node)
    return written if known(node) == to else writer.cast(written, to.sql)


def _literal(writer: Writer, node: Node, constant: Const, have: Digits) -> exp.Expr:
    value = constant.value
    if value is None:
        return writer.cast(None, have.sql)
    assert isinstance(value, Decimal)
    if not value.is_finite():
        raise writer.refused(node, "DECIMAL has no NaN and no infinity.")
    return writer.cast(format(value, "f"), have.sql)


def _computed(writer: Writer, node: Func | Op, have: Digits) -> exp.Expr:
    name, args = node.function.name, node.args
    if name == "extract":
        return datetime_fields.part(writer, node)
    if name == "numeric" and args[0].type in INTEGER_DIGITS:
        return writer.cast(writer.put(args[0]), have.sql)
    if name == "numeric" and len(args) == 2:
        return _rescaled(writer, node, have)
    if name in ("div", "numeric_div_trunc"):
        return writer.cast(division.whole(writer, node), have.sql)
    if name == "numeric_div":
        return _by_factor(writer, node, have)
    parts = [put(writer, arg) for arg in args if arg.type == "numeric"]
    inner = [known(arg) for arg in args if arg.type == "numeric"]
    match name:
        case "numeric_add" | "numeric_sub":
            wide = [widened(writer, arg, have) for arg in args]
            symbol = "_1 + _2" if name == "numeric_add" else "_1 - _2"
            return writer.cast(writer.filled(symbol, *wide), have.sql)
        case "numeric_mul":
            # Both engines give a product one digit more than it needs: leave room for it.
            if have.before + have.behind >= MOST:
                raise writer.refused(node, _TOO_WIDE.format(have.before + have.behind + 1))
            sizes = factors(args)
            parts = [_factor(writer, *pair) for pair in zip(args, sizes, strict=True)]
            first = writer.cast(parts[0], f"DECIMAL({MOST - sum(sizes[1]) - 1}, {sizes[0].behind})")
            return writer.cast(writer.filled("_1 * _2", first, parts[1]), have.sql)
        case "numeric_mod" | "mod" | "gcd" | "lcm":
            size = Digits(*map(max, *inner))
            if sum(size) > MOST or numeric_divisors.too_wide(writer, name, size):
                raise writer.refused(node, _TOO_WIDE.format(sum(size)))
            whole = [widened(writer, arg, size) for arg in args]
            if name in numeric_divisors.NAMES:
                return numeric_divisors.common(writer, name, whole, size, have.sql)
            return writer.cast(writer.piece(".decimal_mod", *whole), have.sql)
        case "numeric_uminus":
            _check_sign(writer, node, have)
            return writer.filled("-_1", parts[0])
        case "numeric_uplus" | "trim_scale":
            return parts[0]
        case "numeric_abs" | "abs":
            _check_sign(writer, node, have)
            return writer.filled("ABS(_1)", parts[0])
        case "sign":
            return writer.cast(writer.filled("SIGN(_1)", parts[0]), have.sql)
        case "ceil" | "ceiling" | "floor":
            return writer.cast(writer.piece(f".{name.removesuffix('ing')}", parts[0]), have.sql)
        case "round" | "trunc":
            places = numeric_places.given(args)
            if places is None or abs(places) > MOST:
                raise writer.refused(node, "The number of places must be a constant.")
            return numeric_places.at(writer, name, parts[0], inner[0], places, have.sql)
    raise writer.refused(node, "filtersql has no exact form for it yet.")


def _factor(writer: Writer, node: Node, size: Digits) -> exp.Expr:
    """A side of a product; an undeclared column may have to fit into fewer digits."""
    if isinstance(node, Var) and not node.decimal:
        return undeclared_numerics.fitted(writer, node, size)
    return put(writer, node)


def _check_sign(writer: Writer, node: Node, have: Digits) -> None:
    """Spark negates a DECIMAL with Scala's BigDecimal, which rounds to 34 digits then."""
    if writer.engine == "spark" and sum(have) > _NEGATED:
        raise writer.refused(node, f"Spark rounds a number of more than {_NEGATED} digits here.")


def _by_factor(writer: Writer, node: Func | Op, have: Digits) -> exp.Expr:
    """A quotient by a constant that always ends: a product."""
    ends = terminating(node)
    if ends is None:
        raise writer.refused(node, "PostgreSQL rounds the quotient by its size.")
    factor = format(ends[1], "f")
    behind = len(factor.partition(".")[2])
    part = writer.cast(
        put(writer, node.args[0]),
        f"DECIMAL({MOST - len(factor) - 1}, {known(node.args[0]).behind})",
    )
    number = writer.cast(factor, f"DECIMAL({len(factor)}, {behind})")
    return writer.cast(writer.filled("_1 * _2", part, number), have.sql)


def _rescaled(writer: Writer, node: Func | Op, have: Digits) -> exp.Expr:
    """numeric(p, s): rounded half away from zero; a value that does not fit raises."""
    given = modifier(node.args)
    precision, scale = numeric_parts(given)
    if not given:
        raise writer.refused(node, "Its digits are not known.")
    if scale > precision:
        raise writer.refused(node, "DECIMAL has no digits that are always 0.")
    inner = node.args[0]
    return numeric_places.at(writer, "round", put(writer, inner), known(inner), scale, have.sql)
