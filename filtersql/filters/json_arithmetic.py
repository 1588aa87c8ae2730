"""Arithmetic of a jsonpath, turned round until one number stands beside a constant.

Example
    ========================= ====================================================
    condition                 written as
    ========================= ====================================================
    `$.a + 1 > 2`             the number at a is above 1
    `10 - $.a * 2 == 4`       the number at a is 3
    `$.a * 3 == 1`            never: no decimal number is a third
    ========================= ====================================================

    Unless there is one item, and it is a number, the condition is unknown; a sign alone (`-$.a`)
    is given to each item of many. A quotient, a
    remainder, and two paths in one sum are refused: their digits are computed by PostgreSQL's own
    rules.

PostgreSQL
    jsonpath_exec.c: executeBinaryArithmExpr(), executeUnaryArithmExpr(); numeric sums and products
    are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import numeric_order
from filtersql.filters.document_values import raw_of
from filtersql.filters.engines import values
from filtersql.filters.literals.jsonpath_trees import Operand, Path

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["NotLinear", "Solved", "compared", "is_number", "solved"]

_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: digits beyond which a constant is not divided
_LONGEST = 200


class NotLinear(Exception):
    """The sum is no multiple of one path, and a constant."""


@dataclass(frozen=True, slots=True)
class _Linear:
    """`factor * path + constant`."""

    path: Path | None
    factor: Fraction
    constant: Fraction
    #: whether the path must lead to one item
    one_item: bool = False


@dataclass(frozen=True, slots=True)
class Solved:
    """A comparison of a path and a number; no number: none is equal."""

    path: Path
    symbol: str
    number: Decimal | None
    one_item: bool


def _linear(operand: Operand) -> _Linear:
    """An operand as a multiple of one path, and a constant."""
    if isinstance(operand, Path):
        if operand.base != "=":
            return _Linear(operand, Fraction(1), Fraction(0))
        if not isinstance(operand.value, Decimal) or operand.steps:
            raise NotLinear
        return _Linear(None, Fraction(0), Fraction(operand.value))
    right = _linear(operand.right)
    sign = Fraction(-1 if operand.symbol == "-" else 1)
    if operand.left is None:
        return _times(right, sign)
    left = _linear(operand.left)
    if operand.symbol in ("+", "-"):
        return replace(_added(left, _times(right, sign)), one_item=True)
    if operand.symbol != "*" or (left.path and right.path):
        raise NotLinear
    whole = _times(left, right.constant) if left.path else _times(right, left.constant)
    return replace(whole, one_item=True)


def _times(one: _Linear, factor: Fraction) -> _Linear:
    return replace(one, factor=one.factor * factor, constant=one.constant * factor)


def _added(left: _Linear, right: _Linear) -> _Linear:
    if left.path and right.path:
        raise NotLinear
    factor, constant = left.factor + right.factor, left.constant + right.constant
    with_path = left if left.path else right
    return replace(with_path, factor=factor, constant=constant)


def solved(left: Operand, symbol: str, right: Operand) -> Solved:
    """The comparison of a path and a number that says the same."""
    sides = _linear(left), _linear(right)
    # with all that holds the path on the left, all that is known on the right
    whole = _added(sides[0], _times(sides[1], Fraction(-1)))
    if whole.path is None or not whole.factor:
        raise NotLinear
    if whole.factor < 0:
        symbol = _TURNED.get(symbol, symbol)
    wanted = -whole.constant / whole.factor
    number = _decimal(wanted)
    if number is None and symbol not in ("==", "!="):
        raise NotLinear
    return Solved(whole.path, symbol, number, whole.one_item)


def _decimal(number: Fraction) -> Decimal | None:
    """The number with all its digits; None where they do not end."""
    rest, places = number.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return None
    digits = number * 10**places
    if max(places, len(str(digits.numerator))) > _LONGEST:
        raise NotLinear
    return Decimal(f"{digits.numerator}E-{places}")


def is_number(writer: Writer, one: exp.Expr) -> exp.Expr:
    """Whether the raw text of an item is that of a number."""
    return writer.piece(".matches", one, writer.text("^n[-0-9]"))


def compared(writer: Writer, one: exp.Expr, found: Solved) -> exp.Expr:
    """The raw text of an item beside the number; unknown where it is none."""
    symbol, number, known = found.symbol, found.number, is_number(writer, one)
    if number is None:
        return writer.case([(known, values.boolean(symbol == "!="))], None)
    sides = [one.copy(), writer.text(raw_of(number))]
    if symbol not in ("==", "!="):
        shown = writer.filled("SUBSTRING(_1, 2)", one.copy())
        sides = [
            numeric_order.sort_text_of_shown(writer, shown),
            writer.text(numeric_order.sort_text_of(number)),
        ]
    sign = {"==": "=", "!=": "<>"}.get(symbol, symbol)
    return writer.case([(known, writer.filled(f"_1 {sign} _2", *sides))], None)
