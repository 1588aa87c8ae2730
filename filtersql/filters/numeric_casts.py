"""Casts of numeric to integers and floats.

Example
    `n::int` is CAST(ROUND(n, 0) AS INT): half away from zero, and what does not fit raises. A
    column of any digits becomes a double by its text, which every engine reads alike.

PostgreSQL
    numeric.c: numeric_int4(), numeric_float8() (by the text).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from filtersql.errors.filters import NotTranslated
from filtersql.filters import approximations, division, numeric_texts, numerics
from filtersql.filters.approximate_numbers import is_undeclared
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Node, Op, Var

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writer import Writer

__all__ = ["cast"]

_INTEGERS = {"int2": "SMALLINT", "int4": "INT", "int8": "BIGINT"}
_FLOATS = {"float4": "FLOAT", "float8": "DOUBLE"}
_RANGE = "a constant is out of range for a floating-point type"


def cast(writer: Writer, name: str, arg: Node) -> exp.Expr:
    """The numeric as int2, int4, int8, float4 or float8."""
    try:
        return _exactly(writer, name, arg)
    except NotTranslated:
        if name in _INTEGERS:
            with suppress(NotTranslated):
                return approximations.whole(writer, arg, f"{name}(float8)", ".round_half_away")
        raise


def _exactly(writer: Writer, name: str, arg: Node) -> exp.Expr:
    known = fold(arg)
    if known is not None and known.value is not None and name in _FLOATS:
        # one that fits was folded with its cast
        return writer.cast(writer.piece(".raise", writer.text(_RANGE)), _FLOATS[name])
    if name in _INTEGERS and is_undeclared(arg):
        shown = numeric_texts.shown(writer, arg)
        if shown is not None:
            return writer.cast(writer.piece(".text_rounded", shown), _INTEGERS[name])
    if division.is_quotient(arg) and name not in _FLOATS and not numerics.digits(arg):
        assert isinstance(arg, Op)
        written = division.rounded(writer, arg, arg, 0, "round")
    elif isinstance(arg, Var) and not arg.decimal and name == "float8":
        return writer.piece(".text_to_float8", writer.column(arg))
    else:
        written = numerics.put(writer, arg)
    if name in _FLOATS:
        return writer.piece(f".decimal_to_{name}", written)
    rounded = writer.piece(".round", written, writer.integer(0))
    return writer.cast(rounded, _INTEGERS[name])
