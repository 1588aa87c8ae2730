"""Casts of numeric to integers and floats.

Example
    `n::int` is CAST(ROUND(n, 0) AS INT): half away from zero, and what does not fit raises. A
    column of any digits becomes a double by its text, which every engine reads alike.

PostgreSQL
    numeric.c: numeric_int4(), numeric_float8() (by the text).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from filtersql.filters import division, numerics
from filtersql.filters.nodes import Node, Op, Var

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writing import Writer

__all__ = ["cast"]


def cast(writer: Writer, name: str, arg: Node) -> exp.Expr:
    """The numeric as int2, int4, int8, float4 or float8."""
    if division.is_quotient(arg) and name not in ("float4", "float8") and not numerics.digits(arg):
        assert isinstance(arg, Op)
        written = division.rounded(writer, arg, arg, 0, "round")
    elif isinstance(arg, Var) and not arg.decimal and name == "float8":
        return writer.piece(".text_to_float8", writer.column(arg))
    else:
        written = numerics.put(writer, arg)
    if name in ("float4", "float8"):
        return writer.piece(f".decimal_to_{name}", written)
    sql_type = {"int2": "SMALLINT", "int4": "INT", "int8": "BIGINT"}[name]
    rounded = writer.piece(".round", written, writer.integer(0))
    return writer.cast(rounded, sql_type)
