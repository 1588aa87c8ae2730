"""int4range(), daterange() and their kind: a range's text, made of its two bounds.

Example
    ================================ =====================================================
    node                             written as
    ================================ =====================================================
    `int4range(i4, j4)`              '[' || i4 || ',' || j4 || ')', or 'empty' where both
                                     are the same; the row raises where i4 > j4
    `int4range(i4, j4, '(]')`        the same with i4 + 1 and j4 + 1
    `numrange(nu, nv)`               compared by the texts that sort as numbers do
    ================================ =====================================================

PostgreSQL
    rangetypes.c: range_constructor2(), make_range(), int4range_canonical().
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.values import show
from filtersql.filters.write.rules import numeric_sort_texts, numerics
from filtersql.filters.write.writer import Part, Writer

__all__ = ["DISCRETE", "made"]

#: subtypes whose values have a next one
DISCRETE = {"int4", "int8", "date"}
_ORDER = "range lower bound must be less than or equal to range upper bound"


def made(writer: Writer, node: Func) -> exp.Expr:
    """int4range(lower, upper[, bounds])."""
    subtype = facts().type(node.type).subtype
    brackets = "[)"
    if len(node.args) == 3:
        known = fold(node.args[2])
        brackets = str(known.value) if known is not None else ""
    if brackets not in ("[)", "[]", "()", "(]"):
        raise writer.refused(node, "The bounds must be a constant such as '[)'.")
    values = [_value(writer, arg, subtype) for arg in node.args[:2]]
    signs: list[Part] = list(brackets)
    texts = [_element_text(writer, arg, subtype) for arg in node.args[:2]]
    if subtype in DISCRETE:
        for place, off, on in ((0, "(", "["), (1, "]", ")")):
            if brackets[place] == off:
                signs[place] = _sign(writer, subtype, values[place], off, on)
                values[place] = writer.piece(f".next_{subtype}", values[place], 1)
                texts[place] = _text(writer, values[place])
    shown = writer.piece(".range_text", signs[0], texts[0], texts[1], signs[1])
    given = [_value(writer, arg, subtype) for arg in node.args[:2]]
    wrong = writer.filled("_1 > _2", *given)
    both = writer.filled("_1 = '[' AND _2 = ']'", signs[0], signs[1])
    nothing = writer.filled("_1 > _2 OR (_1 = _2 AND NOT _3)", *values, both)
    return writer.case(
        [(wrong, writer.raised(_ORDER, writer.text_type)), (nothing, "empty")], shown
    )


def _sign(writer: Writer, subtype: str, value: exp.Expr, off: str, on: str) -> Part:
    """A discrete bound is moved by one and its bracket turned, unless it is infinite."""
    if subtype != "date" or writer.engine == "spark":  # Spark's dates are finite
        return on
    infinite = writer.filled("ISINF(_1)", value)
    return writer.case([(infinite, off)], on)


def _value(writer: Writer, node: Node, subtype: str) -> exp.Expr:
    """A value of the subtype; a number as the text that sorts alike."""
    if subtype == "numeric":
        return numeric_sort_texts.sort_text(writer, node)
    return writer.put(node)


def _element_text(writer: Writer, node: Node, subtype: str) -> exp.Expr:
    node = bare(node)
    constant = fold(node)
    if constant is not None:
        if constant.value is None:
            return writer.cast(None, writer.text_type)
        return writer.text(show(subtype, constant.value))
    if subtype == "numeric":
        if isinstance(node, Var) and not node.decimal:
            return writer.column(node)
        return writer.piece(".text", numerics.put(writer, node))
    return _text(writer, writer.put(node))


def _text(writer: Writer, value: exp.Expr) -> exp.Expr:
    """A bound's text; DuckDB writes the years before Christ in parentheses."""
    shown = writer.piece(".text", value)
    return (
        writer.filled("REPLACE(_1, ' (BC)', ' BC')", shown) if writer.engine == "duckdb" else shown
    )
