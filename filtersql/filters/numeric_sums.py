"""Sums of numerics of any digits, compared exactly: nine digits of all of them at a time.

Example
    ===================== ==================================================================
    filter, any digits    what is looked at
    ===================== ==================================================================
    `m + k > 10`          the sign of m + k - 10, from the first digits on
    `2 * m - k = 0.5`     the sign of 4 * m - 2 * k - 1
    `m - k IS NULL`       whether one of the two is NULL
    ===================== ==================================================================

    The texts are filled up with zeros until the point is at one place in all of them. From the
    left, nine digits of each are multiplied with what stands before it and added; a sum that is
    larger than all that can follow decides. NaN and the infinities are added as doubles.

PostgreSQL
    numeric.c: add_var(), sub_var(), mul_var() round nothing; numeric_add() and its like: NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters.approximate_numbers import bound, is_undeclared
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, NullIf, Op, Relabel, Var
from filtersql.filters.undeclared import OVERFLOW

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["compare", "is_of_integer", "parts_of_sum"]

#: nine digits times all factors still fit in a BIGINT
_MOST_FACTORS = 1_000_000
#: more terms than this are no text that somebody reads
_MOST_TERMS = 12
_INTEGERS = {"int2", "int4", "int8"}
_SPECIAL = "_1 IN ('NaN', 'Infinity', '-Infinity')"


class Term(NamedTuple):
    """A number of a sum, and what it is multiplied with."""

    factor: Fraction
    node: Node


def parts_of_sum(node: Node, factor: Fraction = Fraction(1)) -> list[Term] | None:
    """The terms of a sum; None: something else is in it."""
    known = fold(node)
    if known is not None:
        finite = isinstance(known.value, Decimal) and known.value.is_finite()
        return [Term(factor, known)] if finite else None
    if isinstance(node, Relabel):
        return parts_of_sum(node.arg, factor)
    if isinstance(node, (Func, Op)) and not isinstance(node, NullIf):
        name, args = node.function.name, node.args
        if name in ("numeric_add", "numeric_sub"):
            first = parts_of_sum(args[0], factor)
            second = parts_of_sum(args[1], factor if name == "numeric_add" else -factor)
            return None if first is None or second is None else first + second
        if name in ("numeric_uminus", "numeric_uplus", "trim_scale"):
            return parts_of_sum(args[0], -factor if name == "numeric_uminus" else factor)
        if name == "numeric_mul":
            return _product(args, factor)
    return [Term(factor, node)] if _is_term(node) else None


def _product(args: Sequence[Node], factor: Fraction) -> list[Term] | None:
    """A product with a constant."""
    for place, arg in enumerate(args):
        known = fold(arg)
        value = known.value if known is not None else None
        if isinstance(value, Decimal) and value.is_finite():
            return parts_of_sum(args[1 - place], factor * Fraction(value))
    return None


def _is_term(node: Node) -> bool:
    from filtersql.filters.numerics import digits

    if isinstance(node, Var):
        return not node.special and node.target_type is None
    return digits(node) is not None and not is_undeclared(node)


def compare(writer: Writer, symbol: str, left: Node, right: Node) -> exp.Expr | None:
    """`left symbol right` of sums of terms of which some have any digits; else None."""
    sides = [parts_of_sum(left), parts_of_sum(right, Fraction(-1))]
    terms = [term for side in sides for term in side or ()]
    if None in sides or not any(is_undeclared(term.node) for term in terms):
        return None
    scale = lcm(*(term.factor.denominator for term in terms))
    factors = [int(term.factor * scale) for term in terms]
    if sum(map(abs, factors)) > _MOST_FACTORS or len(terms) > _MOST_TERMS:
        return None
    names = [f"term{place}" for place in range(len(terms))]
    try:
        texts = [_text(writer, term.node) for term in terms]
    except NotTranslated:
        return None
    shown = [
        text if isinstance(text, (exp.Column, exp.Literal)) else exp.column(name)
        for name, text in zip(names, texts, strict=True)
    ]
    columns = [text for text in shown if not isinstance(text, exp.Literal)]
    missing = exp.or_(*(writer.is_null(text.copy()) for text in columns), copy=False)
    special = [writer.filled(_SPECIAL, text.copy()) for text in columns]
    split = len(sides[0] or ())
    doubles = [
        _special_sum(writer, shown[:split], factors[:split], 1),
        _special_sum(writer, shown[split:], factors[split:], -1),
    ]
    whole = writer.case(
        [
            (missing, writer.cast(writer.null(), "BOOLEAN")),
            (exp.or_(*special, copy=False), writer.filled(f"_1 {symbol} _2", *doubles)),
        ],
        _sign(writer, symbol, shown, factors),
    )
    bindings = [
        (name, text) for name, text, one in zip(names, texts, shown, strict=True) if one is not text
    ]
    return bound(writer, bindings, whole)


def _text(writer: Writer, node: Node) -> exp.Expr:
    """A term as PostgreSQL's text."""
    from filtersql.filters.numerics import put

    known = fold(node)
    if known is not None:
        assert isinstance(known.value, Decimal)
        return writer.text(format(known.value, "f"))
    if isinstance(node, Var) and not node.decimal:
        return writer.column(node)
    if isinstance(node, Func) and is_of_integer(node):
        return writer.piece(".text", writer.put(node.args[0]))
    return writer.piece(".text", put(writer, node))


def is_of_integer(node: Func | Op) -> bool:
    """Whether it makes a numeric of an integer."""
    return (
        node.function.name == "numeric" and len(node.args) == 1 and node.args[0].type in _INTEGERS
    )


def _special_sum(
    writer: Writer, texts: Sequence[exp.Expr], factors: Sequence[int], sign: int
) -> exp.Expr:
    """A side as a double that is right where NaN or an infinity is in it, or in the other one."""
    parts = [
        writer.filled(
            f"CASE WHEN {_SPECIAL} THEN CAST(_1 AS DOUBLE) * CAST(_2 AS DOUBLE) "
            "ELSE CAST('0' AS DOUBLE) END",
            text.copy(),
            writer.text(str(sign * factor)),
        )
        for text, factor in zip(texts, factors, strict=True)
        if not isinstance(text, exp.Literal)
    ]
    whole = parts[0] if parts else writer.filled("CAST('0' AS DOUBLE)")
    for part in parts[1:]:
        whole = writer.filled("_1 + _2", whole, part)
    return whole


def _sign(
    writer: Writer, symbol: str, texts: Sequence[exp.Expr], factors: Sequence[int]
) -> exp.Expr:
    """The sign of the sum of finite terms, compared with 0."""
    counts = [
        [writer.piece(f".limbs_{side}", text.copy()) for text in texts]
        for side in ("before", "behind")
    ]
    sizes = [exp.Anonymous(this="GREATEST", expressions=count) for count in counts]
    before, behind = exp.column("limbs_before"), exp.column("limbs_behind")
    names = [f"digits{place}" for place in range(len(texts))]
    filled = [writer.piece(".limbs", text.copy(), before.copy(), behind.copy()) for text in texts]
    limbs = [
        writer.filled(
            "_1 * _2",
            writer.integer(factor),
            writer.piece(".limb", exp.column(name), text.copy(), exp.column("place")),
        )
        for name, text, factor in zip(names, texts, factors, strict=True)
        if factor
    ]
    total = limbs[0] if limbs else writer.integer(0)
    for limb in limbs[1:]:
        total = writer.filled("_1 + _2", total, limb)
    most = writer.integer(2 * sum(map(abs, factors)) + 2)
    summed = writer.piece(".limbs_summed", before.copy(), behind.copy(), total, most)
    summed = bound(writer, list(zip(names, filled, strict=True)), summed)
    decided = writer.filled(f"_1 {symbol} 0", summed)
    overflow = writer.cast(writer.piece(".raise", writer.text(OVERFLOW)), "BOOLEAN")
    checked = writer.case(
        [(writer.filled("_1 + _2 > 14000", before.copy(), behind.copy()), overflow)], decided
    )
    return bound(writer, [("limbs_before", sizes[0]), ("limbs_behind", sizes[1])], checked)
