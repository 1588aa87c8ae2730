"""width_bucket(), scale() and num_nulls(): whole numbers said of values of any type.

Example
    ================================ =====================================================
    node                             written as
    ================================ =====================================================
    `width_bucket(n, 0, 100, 4)`     how many of 0, 25, 50, 75, 100 are not above n
    `scale(nu)`                      the digits behind the point of the column's text
    `num_nulls(a, b)`                one for each that is NULL
    ================================ =====================================================

PostgreSQL
    numeric.c: width_bucket_numeric(), compute_bucket(), numeric_scale(), numeric_min_scale();
    misc.c: count_nulls().
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.values.numbers import EXACT
from filtersql.filters.write import let_binding
from filtersql.filters.write.rules import (
    array_values,
    numeric_digits,
    numeric_sort_texts,
    numerics,
    undeclared_numerics,
)
from filtersql.filters.write.writer import Family, Rule, Writer

__all__ = ["FAMILY"]

_MOST_BUCKETS = 1000
_PLACES = 200


def _bucket(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """width_bucket(numeric, low, high, count) with constant bounds."""
    known = [fold(arg) for arg in args[1:]]
    values = [item.value for item in known if item is not None]
    if len(values) < len(known):
        return _divided(writer, node, args)
    if None in values:
        return writer.cast(None, "INT")
    low, high, count = values
    assert isinstance(low, Decimal)
    assert isinstance(high, Decimal)
    assert isinstance(count, int)
    if not (low.is_finite() and high.is_finite() and low != high and count > 0):
        raise writer.refused(node, "PostgreSQL raises an error on these bounds.")
    if count > _MOST_BUCKETS:
        return _divided(writer, node, args)
    digits = numeric_digits.digits(args[0])
    steps = [
        Fraction(low) + (Fraction(high) - Fraction(low)) * place / count
        for place in range(count + 1)
    ]
    limits = [_limit(step, digits.behind if digits else None, down=low > high) for step in steps]
    if None in limits:
        return _divided(writer, node, args)
    texts = [writer.text(numeric_sort_texts.sort_text_of(one)) for one in limits if one is not None]
    value = numeric_sort_texts.sort_text(writer, args[0])
    piece = ".list_at_least" if low > high else ".list_at_most"
    found = writer.piece(piece, exp.Array(expressions=texts), value)
    nan = writer.filled("_1 = _2", value, numeric_sort_texts.sort_text_of(Decimal("NaN")))
    return writer.case(
        [(nan, writer.raised("operand cannot be NaN", "INT")), (writer.is_not_null(value), found)],
        None,
    )


def _divided(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """The same of bounds or a count that rows have: in whole numbers, as PostgreSQL computes it."""
    sizes = [
        numeric_digits.digits(arg) or numeric_digits.Digits(*undeclared_numerics.FITTING)
        for arg in args[:3]
    ]
    behind = max(size.behind for size in sizes)
    count = fold(args[3])
    most = len(str(count.value)) if count is not None else _INT4_DIGITS
    if max(size.before for size in sizes) + behind + 1 + most > numeric_digits.MOST:
        raise writer.refused(node, "The exact bucket needs more than 38 digits.")
    whole = [
        writer.piece(
            ".unscaled",
            writer.cast(numerics.put(writer, arg), f"DECIMAL({numeric_digits.MOST}, {behind})"),
        )
        for arg in args[:3]
    ]

    def placed(value: exp.Expr, low: exp.Expr, high: exp.Expr) -> exp.Expr:
        given = (value, low, high, writer.put(args[3]))
        up, down = (
            writer.piece(
                ".quotient_trunc",
                writer.filled(f"({text[0]}) * _4", *given),
                writer.filled(text[1], *given),
            )
            for text in (("_1 - _2", "_3 - _2"), ("_2 - _1", "_2 - _3"))
        )
        return writer.filled(
            _PLACED,
            *given,
            writer.raised("the count is not above 0, or both bounds are equal", "INT"),
            up,
            down,
        )

    def named(place: int, known: tuple[exp.Expr, ...]) -> exp.Expr:
        if place == len(whole):
            return placed(*known)
        return let_binding.once(
            writer, f"bucket_{place}", whole[place], lambda one: named(place + 1, (*known, one))
        )

    return named(0, ())


_INT4_DIGITS = 10
_PLACED = (
    "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL OR _4 IS NULL THEN NULL "
    "WHEN _4 <= 0 OR _2 = _3 THEN _5 "
    "WHEN _2 < _3 THEN CASE WHEN _1 < _2 THEN 0 WHEN _1 >= _3 THEN CAST(_4 + 1 AS INT) "
    "ELSE CAST(_6 + 1 AS INT) END "
    "ELSE CASE WHEN _1 > _2 THEN 0 WHEN _1 <= _3 THEN CAST(_4 + 1 AS INT) "
    "ELSE CAST(_7 + 1 AS INT) END END"
)


def _limit(step: Fraction, behind: int | None, *, down: bool) -> Decimal | None:
    """The first number from `step` on that has so many digits behind the point."""
    places = _PLACES if behind is None else behind
    scaled = step * 10**places
    whole = scaled.numerator // scaled.denominator
    if scaled.denominator != 1:
        if behind is None:
            return None
        whole += 0 if down else 1
    return EXACT.normalize(EXACT.scaleb(Decimal(whole), -places))


def _scale(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    name = node.function.name
    arg = bare(args[0])
    if not isinstance(arg, Var):
        raise writer.refused(node, "Only a column's scale has a form.")
    if not arg.decimal:
        return writer.piece(f".{name}", writer.column(arg))
    if name == "scale":
        known = writer.is_not_null(writer.column(arg))
        return writer.case([(known, arg.decimal[1])], None)
    shown = writer.piece(".text", numerics.put(writer, arg))
    return writer.piece(".min_scale", shown)


def _nulls(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    name = node.function.name
    if isinstance(node, Func) and node.variadic:
        shown = array_values.listed(writer, node, args[0])
        nulls = writer.piece(".list_nulls", shown.items)
        if name == "num_nulls":
            return nulls
        return writer.filled("_1 - _2", writer.piece(".list_length", shown.items), nulls)
    whole: exp.Expr | None = None
    for arg in args:
        test = writer.null_of(arg)
        test = test if name == "num_nulls" else exp.Not(this=test)
        one = writer.case([(test, 1)], 0)
        whole = one if whole is None else writer.filled("_1 + _2", whole, one)
    assert whole is not None
    return whole


RULES: dict[str, Rule] = {
    "width_bucket(numeric,numeric,numeric,int4)": _bucket,
    "scale(numeric)": _scale,
    "min_scale(numeric)": _scale,
    "num_nulls": _nulls,
    "num_nonnulls": _nulls,
}


FAMILY = Family(rules=RULES)
