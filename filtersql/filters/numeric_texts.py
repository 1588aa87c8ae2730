"""Numerics of any digits as text: what a function does to the digits, it does to the text.

Example
    ================== =====================================
    node               of '-12.345'
    ================== =====================================
    `-m`               '12.345'
    `abs(m)`           '12.345'
    `trunc(m, 1)`      '-12.3'
    `m % 5`            '-2.345'
    ================== =====================================

PostgreSQL
    numeric.c: trunc_var(); mod_var() has the sign of the dividend; mod of an infinity is NaN.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from filtersql.filters.facts import facts
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, NullIf, Op, Relabel, Var

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writer import Writer

__all__ = ["as_trunc", "shown"]

_MOST_PLACES = 1000
#: a remainder and nine more digits fit in a BIGINT
_MOST_DIVISOR = 9_000_000_000
_STEPS = {"round", "floor", "ceil", "ceiling"}


def shown(writer: Writer, node: Node) -> exp.Expr | None:
    """The text of the number, which may have a zero too many; None: it has no such form."""
    if isinstance(node, Relabel):
        return shown(writer, node.arg)
    if isinstance(node, Var):
        plain = node.type == "numeric" and not node.decimal and not node.special
        return writer.column(node) if plain and node.target_type is None else None
    if not isinstance(node, (Func, Op)) or isinstance(node, NullIf) or node.type != "numeric":
        return None
    name, args = node.function.name, node.args
    inner = shown(writer, args[0]) if args else None
    if inner is None:
        return None
    match name:
        case "numeric_uplus" | "trim_scale":
            return inner
        case "numeric_uminus":
            return writer.piece(".text_negated", inner)
        case "numeric_abs" | "abs":
            return writer.piece(".text_magnitude", inner)
        case "trunc":
            places = _places(node)
            if places is None:
                return None
            return writer.piece(".text_truncated", inner, writer.integer(places))
        case "numeric_mod" | "mod":
            known = fold(args[1])
            by = known.value if known is not None else None
            whole = isinstance(by, Decimal) and by.is_finite() and by == by.to_integral_value()
            if not whole or not isinstance(by, Decimal) or not 0 < abs(by) < _MOST_DIVISOR:
                return None
            return writer.piece(".text_mod", inner, writer.integer(int(abs(by))))
    return None


def _places(node: Func | Op) -> int | None:
    """The places of a trunc() or its like that keeps all digits before the point."""
    known = fold(node.args[1]) if len(node.args) > 1 else None
    places = known.value if known is not None else 0 if len(node.args) == 1 else None
    return places if isinstance(places, int) and 0 <= places <= _MOST_PLACES else None


def as_trunc(node: Node, other: Node) -> Node | None:
    """What is itself after rounding is itself after its digits are cut off."""
    if not isinstance(node, Func) or node.function.name not in _STEPS:
        return None
    if _places(node) is None or not _same(node.args[0], other):
        return None
    (function,) = (
        one
        for one in facts().functions("trunc")
        if one.args == ("numeric", "int4")[: len(node.args)]
    )
    return replace(node, function=function)


def _same(one: Node, other: Node) -> bool:
    return isinstance(one, Var) and isinstance(other, Var) and one.name == other.name
