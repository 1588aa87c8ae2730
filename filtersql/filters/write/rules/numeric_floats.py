"""Doubles and reals as numeric, compared with a constant: the constant moves.

Example
    `f8::numeric > 1.5` is `f8 >= …`, the first double whose 15 digits are above 1.5.

PostgreSQL
    numeric.c: float8_numeric() (15 digits), float4_numeric() (6 digits).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from decimal import Decimal

from sqlglot import exp

from filtersql.filters.tree.nodes import Const, Func, Node, Op
from filtersql.filters.write.writer import Writer

__all__ = ["compare", "is_float"]

_FLOATS = ("float4", "float8")


def is_float(node: Node) -> bool:
    """Whether a node is a numeric made of a float."""
    if not isinstance(node, (Func, Op)) or node.function.name != "numeric":
        return False
    return node.args[0].type in _FLOATS


def compare(writer: Writer, symbol: str, node: Func | Op, limit: Decimal) -> exp.Expr:
    """`node symbol limit`: a double as numeric has 15 digits, a real 6."""
    kind = node.args[0].type
    value = writer.cast(writer.put(node.args[0]), "DOUBLE")
    limits = (
        writer.constant(Const("float8", -1, node.location, value=_first(kind, reached)))
        for reached in (lambda shown: shown >= limit, lambda shown: shown > limit)
    )
    return _between(writer, symbol, value, *limits)


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
