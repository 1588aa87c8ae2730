"""How many digits a numeric may have before and behind the point, as far as its filter tells.

Example
    ====================== =====================
    node                   digits
    ====================== =====================
    `n` numeric(10,2)      8 before, 2 behind
    `n + 0.125`            9 before, 3 behind
    `n * n * n * n`        32 before, 8 behind
    `m` numeric            not known
    `n / 4`                8 before, 4 behind
    ====================== =====================

PostgreSQL
    numeric.c: select_div_scale() for quotients.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple, TypeGuard

from filtersql.catalog import numeric_parts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, NullIf, Op, Relabel, Var
from filtersql.filters.tree.transparent_nodes import chosen
from filtersql.filters.values.numbers import EXACT
from filtersql.filters.write.rules import (
    extract_fields,
    numeric_divisors,
    numeric_places,
    undeclared_numerics,
)

__all__ = [
    "INTEGER_DIGITS", "MOST", "Digits", "digits", "divisor_digits", "factors",
    "is_inexact_quotient", "is_quotient", "known", "modifier", "rounding", "terminating",
]  # fmt: skip

MOST = 38


class Digits(NamedTuple):
    """How many digits a numeric may have before and behind the point."""

    before: int
    behind: int

    @property
    def sql(self) -> str:
        """The DECIMAL that holds them."""
        return f"DECIMAL({max(self.before + self.behind, 1)}, {self.behind})"


def digits(node: Node) -> Digits | None:
    """The digits that a node's value can have; None: any, it is stored as text."""
    constant = fold(node)
    if constant is not None:
        return _of_constant(constant)
    match node:
        case Var():
            return Digits(*node.decimal) if node.decimal else None
        case Func() | Op() if not isinstance(node, NullIf):
            return _of_call(node)
        case Relabel():
            return digits(node.arg)
        case _:
            return _widest([digits(item) for item in chosen(node)])


def _of_constant(constant: Const) -> Digits | None:
    value = constant.value
    if value is None:
        return Digits(1, 0)
    assert isinstance(value, Decimal)
    if not value.is_finite():
        return None
    behind = max(-int(value.as_tuple().exponent), 0)
    return Digits(max(value.adjusted() + 1, 1) if value else 1, behind)


def _widest(found: Sequence[Digits | None]) -> Digits | None:
    known = [item for item in found if item is not None]
    if len(known) < len(found) or not known:
        return None
    return Digits(max(item.before for item in known), max(item.behind for item in known))


INTEGER_DIGITS = {"int2": 5, "int4": 10, "int8": 19}


def _of_call(node: Func | Op) -> Digits | None:
    name, args = node.function.name, node.args
    if name == "extract":
        found = extract_fields.field(node)
        return Digits(found.before, found.behind) if found else None
    if name == "numeric" and args[0].type in INTEGER_DIGITS:
        return Digits(INTEGER_DIGITS[args[0].type], 0)
    if name == "numeric" and len(args) == 2:
        precision, scale = numeric_parts(modifier(args))
        return Digits(max(precision - scale, 0), max(scale, 0))
    inner = [known(arg) for arg in args if arg.type == "numeric"]
    match name:
        case "numeric_add" | "numeric_sub":
            wide = _widest(inner)
            return Digits(wide.before + 1, wide.behind) if wide else None
        case "numeric_mul":
            first, second = factors(args)
            return Digits(first.before + second.before, first.behind + second.behind)
        case "numeric_div":
            ends = terminating(node)
            return ends[0] if ends else None
        case "div" | "numeric_div_trunc":
            return Digits(inner[0].before + inner[1].behind + 1, 0)
        case "sign":
            return Digits(1, 0)
        case "numeric_mod" | "mod":
            return Digits(
                min(inner[0].before, inner[1].before), max(inner[0].behind, inner[1].behind)
            )
        case "numeric_uminus" | "numeric_uplus" | "numeric_abs" | "abs" | "trim_scale":
            return inner[0]
        case "gcd" | "lcm":
            return Digits(*numeric_divisors.digits_of(name, inner[0], inner[1]))
        case "ceil" | "ceiling" | "floor" | "round" | "trunc":
            places = numeric_places.given(args)
            if places is None:
                return None
            return Digits(inner[0].before + 1, max(min(places, inner[0].behind), 0))
    return None


def modifier(args: Sequence[Node]) -> int:
    """The type modifier of a cast; 0: none that is known."""
    known = fold(args[1])
    return max(int(str(known.value)), 0) if known is not None else 0


def known(node: Node) -> Digits:
    """The digits of a node, or those into which a value of any digits must fit."""
    return digits(node) or Digits(*undeclared_numerics.FITTING)


def factors(args: Sequence[Node]) -> list[Digits]:
    """The digits of a product's sides; fewer of undeclared columns, whose product must fit."""
    sizes = [known(arg) for arg in args]
    if sum(map(sum, sizes)) < MOST:
        return sizes
    return [
        Digits(*undeclared_numerics.NARROW) if isinstance(arg, Var) and not arg.decimal else size
        for arg, size in zip(args, sizes, strict=True)
    ]


def is_quotient(node: Node) -> bool:
    """Whether a node is numeric / numeric."""
    return isinstance(node, Op) and node.function.name == "numeric_div"


def is_inexact_quotient(node: Node) -> TypeGuard[Op]:
    """Whether it is a quotient of which no DECIMAL has all digits: it has no form by itself."""
    return is_quotient(node) and digits(node) is None


def divisor_digits(node: Node) -> int:
    """The digits before the point of the largest divisor."""
    constant = fold(node)
    if constant is not None and isinstance(constant.value, Decimal) and constant.value:
        return max(constant.value.adjusted() + 1, 0)
    return known(node).before


def rounding(before: int, *args: Node) -> int:
    """At least so many digits behind the point has a quotient of `before` digits before it."""
    weight = -(-(before + 1) // 4) - 1
    shown = [size.behind for arg in args if (size := digits(arg)) is not None]
    return max(16 - 4 * weight, *shown, 0)


def terminating(node: Func | Op) -> tuple[Digits, Decimal] | None:
    """The digits of a quotient by a constant that always ends, and the factor that gives it."""
    constant = fold(node.args[1])
    if constant is None or not isinstance(constant.value, Decimal) or not constant.value:
        return None
    value = constant.value
    if not value.is_finite():
        return None
    if not _ends(value):
        return None
    factor = EXACT.normalize(EXACT.divide(Decimal(1), value))
    a = known(node.args[0])
    behind = a.behind + max(-int(factor.as_tuple().exponent), 0)
    before = max(a.before + factor.adjusted() + 1, 1)
    if behind > rounding(before, *node.args):
        return None
    return Digits(before, behind), factor


def _ends(value: Decimal) -> bool:
    digits = int("".join(map(str, value.as_tuple().digits)))
    for prime in (2, 5):
        while digits % prime == 0:
            digits //= prime
    return digits == 1
