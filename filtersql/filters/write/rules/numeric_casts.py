"""Casts of numeric to integers and floats.

Example
    `n::int` is CAST(ROUND(n, 0) AS INT): half away from zero, and what does not fit raises. A
    column of any digits becomes a double by its text, which every engine reads alike.

PostgreSQL
    numeric.c: numeric_int4(), numeric_float8() (by the text).
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op, Var
from filtersql.filters.write.rules import numerics
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES"]

_INTEGERS, _FLOATS = ("int2", "int4", "int8"), ("float4", "float8")
_RANGE = "a constant is out of range for a floating-point type"


def _cast(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """The numeric as int2, int4, int8, float4 or float8."""
    name = node.function.name
    (arg,) = args[:1]
    known = fold(arg)
    if known is not None and known.value is not None and name in _FLOATS:
        # one that fits was folded with its cast
        return writer.raised(_RANGE, constants.sql_type(name, writer.engine))
    if isinstance(arg, Var) and not arg.decimal:
        if name == "float8":
            return writer.piece(".text_to_float8", writer.column(arg))
        if name in _INTEGERS and not arg.special and arg.target_type is None:
            return writer.typed(writer.piece(".text_rounded", writer.column(arg)), name)
    written = numerics.put(writer, arg)
    if name in _FLOATS:
        return writer.piece(f".decimal_to_{name}", written)
    rounded = writer.piece(".round", written, 0)
    return writer.typed(rounded, name)


RULES: dict[str, Rule] = {f"{name}(numeric)": _cast for name in (*_INTEGERS, *_FLOATS)}
