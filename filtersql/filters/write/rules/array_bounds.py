"""How many elements and dimensions an array has, and between which subscripts they stand.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `cardinality(ai) > 1`        how many elements the text has
    `array_lower(ai, 1) = 2`     the number behind the bracket of `[2:3]={7,1}`, else 1
    `array_ndims(ai) = 2`        how often two bounds stand in brackets
    ============================ =========================================================

    The elements of an array that has a text are counted as they stand there, and never read.

PostgreSQL
    arrayfuncs.c: array_cardinality(), array_lower(), array_dims(): NULL where nothing is in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.values.arrays import SEPARATORS
from filtersql.filters.write import evaluation_order
from filtersql.filters.write.rules import array_lists, array_literals
from filtersql.filters.write.rules.array_lists import Listed
from filtersql.filters.write.rules.array_values import listed
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "size"]


def size(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """cardinality()."""
    return writer.piece(".list_length", _counted(writer, node, args[0]))


def _counted(writer: Writer, node: Node, array: Node) -> exp.Expr:
    """The elements, of which only the number matters."""
    if array_literals.is_textual(array):
        return _counted_tokens(writer, node, array, array_literals.text(writer, node, array))
    return listed(writer, node, array).items


def _counted_tokens(writer: Writer, node: Node, array: Node, shown: exp.Expr) -> exp.Expr:
    if facts().type(bare(array).type).element in SEPARATORS:
        raise writer.refused(node, "Commas do not part the elements of this type's arrays.")
    return array_literals.tokens(writer, shown)


def _of_bounds(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """array_lower(), array_upper(), array_length(): of one dimension."""
    name = node.function.name
    known = fold(args[1])
    if known is None or not isinstance(known.value, int):
        raise writer.refused(node, "The dimension must be a constant.")
    array = _with_text(writer, node, args[0])
    if name == "array_length" and known.value == 1 and array.text is None:
        return writer.filled("NULLIF(_1, 0)", writer.piece(".list_length", array.items))
    if not 0 < known.value <= 6:
        return evaluation_order.nothing_after(writer, args[0])
    shown = array_lists.bounds(writer, array)
    before = "[^:]*:" * (known.value - 1) + ("-?[0-9]+.." if known.value > 1 else ".")
    lower, upper = (
        writer.piece(".bound", shown, f"^{before}{pattern}")
        for pattern in ("(-?[0-9]+):", "-?[0-9]+:(-?[0-9]+)")
    )
    if name == "array_lower":
        return lower
    if name == "array_upper":
        return upper
    length = writer.filled("_1 - _2 + 1", upper, lower)
    if known.value > 1 or array.text is None:
        return length
    size = writer.filled("NULLIF(_1, 0)", writer.piece(".list_length", array.items))
    plain = writer.filled("NOT (_1 LIKE '[%' OR _1 LIKE '{{%')", array.text)
    return writer.case([(plain, size)], length)


def _with_text(writer: Writer, node: Node, array: Node) -> Listed:
    """The array, its elements being good for nothing but to be counted."""
    if not array_literals.is_textual(array):
        return listed(writer, node, array)
    shown = array_literals.text(writer, node, array)
    return Listed(_counted_tokens(writer, node, array, shown), shown)


def _shown_bounds(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """array_dims() and array_ndims()."""
    shown = array_lists.bounds(writer, _with_text(writer, node, args[0]))
    return shown if node.function.name == "array_dims" else writer.piece(".dimensions", shown)


RULES: dict[str, Rule] = {
    **dict.fromkeys(("array_lower", "array_upper", "array_length"), _of_bounds),
    **dict.fromkeys(("array_dims", "array_ndims"), _shown_bounds),
    "cardinality": size,
}
