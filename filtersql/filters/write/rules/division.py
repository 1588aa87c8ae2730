"""numeric / numeric, whose digits depend on the values: compared without dividing.

Example
    ======================= =====================================================
    node                    written as
    ======================= =====================================================
    `n / 3 > 10`            n > 30
    `n / n2 <= 1.5`         n <= 1.5 * n2, or >= where n2 is negative; 0 raises
    `n / 100`               n * 0.01: the quotient ends within PostgreSQL's digits
    `div(n, 3)`             whole numbers, divided, cut off
    `n / 3 * 3 > 7`         refused
    ======================= =====================================================

    PostgreSQL rounds a quotient to 16 digits or more. The rounded one stands to a number of few
    digits as the exact one does, unless the exact one is nearer to it than half of the last digit;
    where the digits of both sides do not rule that out, such a row raises.

PostgreSQL
    numeric.c: select_div_scale(), numeric_div(), numeric_div_trunc().
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from filtersql.filters.facts import TURNED
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.write.rules.numeric_digits import (
    MOST,
    Digits,
    digits,
    divisor_digits,
    known,
    rounding,
)
from filtersql.filters.write.writer import Writer

__all__ = [
    "QUOTIENT",
    "compare",
    "is_null",
    "whole",
]

QUOTIENT = "the last digits of a quotient would decide"
#: Spark's exact quotient of two whole numbers of 38 digits has so many
_WHOLE = 30


def compare(writer: Writer, node: Node, symbol: str, quotient: Op, other: Node) -> exp.Expr:
    """`a / b symbol c` as `a symbol c * b`."""
    first, second = quotient.args
    limit = digits(other)
    if limit is None:
        raise writer.refused(node, "The digits beside the quotient are not known.")
    a, b = known(first), known(second)
    behind = max(a.behind, limit.behind + b.behind)
    shown = rounding(limit.before, first, second)
    close = behind + divisor_digits(second) > shown or limit.behind > shown
    both = Digits(max(a.before, limit.before + b.before), behind)
    if sum(both) >= MOST:
        raise writer.refused(node, "The exact comparison needs more than 38 digits.")
    left, divisor = writer.put(first), writer.put(second)
    beside = writer.put(other)
    product = writer.piece(
        ".product",
        writer.cast(beside, f"DECIMAL({MOST - 1 - sum(b)}, {limit.behind})"),
        divisor,
    )
    product = writer.cast(product, both.sql)
    test = writer.filled(f"_1 {symbol} _2", left, product)
    turned = writer.filled(f"_1 {TURNED[symbol]} _2", left, product)
    near = [_near(writer, left, product, both)] if close else []
    constant = fold(second)
    if constant is not None and isinstance(constant.value, Decimal) and constant.value:
        found = test if constant.value > 0 else turned
        return writer.case(near, found) if near else found
    return writer.case(
        [
            (_missing(writer, left, divisor), None),
            *near,
            (writer.filled("_1 > 0", divisor), test),
            (writer.filled("_1 < 0", divisor), turned),
        ],
        writer.cast(_zero(writer), "BOOLEAN"),
    )


def _near(
    writer: Writer, left: exp.Expr, product: exp.Expr, size: Digits
) -> tuple[exp.Expr, exp.Expr]:
    """Where PostgreSQL's 16 digits of the quotient may not be those of the exact one: raises."""
    wide = Digits(size.before + 1, size.behind)
    between = writer.cast(writer.filled("_1 - _2", left, product), wide.sql)
    test = writer.filled(
        "_1 <> _2 AND ABS(CAST(_3 AS DOUBLE)) <= ABS(CAST(_2 AS DOUBLE)) * "
        "CAST('1e-14' AS DOUBLE)",
        left, product, between,
    )  # fmt: skip
    return test, writer.raised(QUOTIENT, "BOOLEAN")


def _missing(writer: Writer, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    return writer.filled("_1 IS NULL OR _2 IS NULL", left, right)


def _zero(writer: Writer) -> exp.Expr:
    return writer.piece(".raise", "division by zero")


def is_null(writer: Writer, quotient: Op) -> exp.Expr:
    """IS NULL of a quotient that has no form by itself; a divisor of 0 raises."""
    left, right = (writer.put(arg) for arg in quotient.args)
    zero = writer.filled("_1 = 0", right)
    return writer.case(
        [
            (_missing(writer, left, right), exp.true()),
            (zero, writer.cast(_zero(writer), "BOOLEAN")),
        ],
        exp.false(),
    )


def whole(writer: Writer, node: Func | Op) -> exp.Expr:
    """div(): the exact quotient, cut to a whole number."""
    first, second = node.args
    a, b = known(first), known(second)
    scale = max(a.behind, b.behind)
    if max(a.before, b.before) + scale >= MOST or a.before + b.behind > _WHOLE:
        raise writer.refused(node, "The exact quotient needs more than 38 digits.")
    left, right = writer.put(first), writer.put(second)
    if a.before + b.before + 2 * scale + 2 > MOST:
        upper, lower = (
            writer.piece(".unscaled", writer.cast(part, f"DECIMAL({MOST}, {scale})"))
            for part in (left, right)
        )
    else:
        upper, lower = (
            writer.piece(".scaled_up", part, _power(writer, scale)) for part in (left, right)
        )
    sql = Digits(a.before + b.behind + 1, 0).sql
    return writer.case(
        [
            (_missing(writer, left, right), None),
            (writer.filled("_1 = 0", right), writer.cast(_zero(writer), sql)),
        ],
        writer.cast(writer.piece(".quotient_trunc", upper, lower), sql),
    )


def _power(writer: Writer, digits: int) -> exp.Expr:
    return writer.cast("1" + "0" * digits, f"DECIMAL({digits + 1}, 0)")
