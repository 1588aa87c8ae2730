"""Arrays in columns, which the target holds as PostgreSQL's text: `{1,2,NULL}`, `{"a b",c}`.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `5 = ANY (ai)`               whether the text's elements, read as integers, hold 5
    `tags @> '{a,b}'`            nothing of {a, b} is left without the column's elements
    `ai = '{1,2}'`               the texts are the same: one value has one text
    `an < '{2.5}'`               lists of texts that sort as the numbers do
    `s LIKE ANY (at)`            s LIKE an element, for each of the text's elements
    ============================ =========================================================

PostgreSQL
    arrayfuncs.c: array_out(), array_contain_compare(), array_cmp(); execExprInterp.c,
    ExecEvalScalarArrayOp(): an empty array decides even for NULL.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.model import ELEMENT
from filtersql.filters.tree.constant_folding import ascending, fold
from filtersql.filters.tree.nodes import Func, Node, Op, ScalarArrayOp, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write import evaluation_order, let_binding
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.rules import (
    array_bounds,
    array_elements,
    array_lists,
    array_literals,
    text_arrays,
)
from filtersql.filters.write.rules.array_lists import Listed
from filtersql.filters.write.rules.array_literals import constant, element_of
from filtersql.filters.write.rules.array_values import listed, one, places
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "holds", "is_null"]

#: an element in the texts of the engines
_ITEM = "item"
_SIGNS = {"=", "<>", "<", "<=", ">", ">="}


def holds(writer: Writer, node: ScalarArrayOp) -> exp.Expr:
    """`x op ANY (array)` and `x op ALL (array)`."""
    left, array = node.args
    found = evaluation_order.computed_first(writer, (array,), _holds(writer, node, left, array))
    if not may_raise(left):
        return found
    # PostgreSQL computes the value before it looks at the array.
    empty = writer.filled("_1 = 0", array_bounds.size(writer, node, (array,)))
    nothing = writer.case([(empty, not node.any)], None)
    return writer.case([(writer.null_of(left), nothing)], found)


def _holds(writer: Writer, node: ScalarArrayOp, left: Node, array: Node) -> exp.Expr:
    symbol = node.operator.name
    element = "text" if text_arrays.made(array) else facts().type(bare(array).type).element
    families = {array_elements.family(left.type), array_elements.family(element)}
    if len(families) > 1 or symbol not in _SIGNS:
        return _each(writer, node, left, array, element)
    if symbol not in ("=", "<>") and families & array_elements.COLLATED:
        writer.check_order(node)
    items = listed(writer, node, array).items
    value = array_elements.of_node(writer, left)
    if (symbol, node.any) in (("=", True), ("<>", False)):
        known = fold(left)
        sure = known is not None and known.value is not None
        found = writer.piece(".list_holds_value" if sure else ".list_holds", items, value)
        return found if node.any else exp.Not(this=found)
    test = writer.filled(f"_1 {symbol} _2", value, exp.column(_ITEM))
    return writer.piece(".items_any" if node.any else ".items_all", items, test)


def _each(writer: Writer, node: ScalarArrayOp, left: Node, array: Node, element: str) -> exp.Expr:
    """The comparison written for each element, which is read as a column of its type."""
    if text_arrays.made(array) is None and not array_literals.is_textual(array):
        raise writer.refused(node, "This operator has a form for columns only.")
    if text_arrays.made(array) is not None:
        items = listed(writer, node, array).items
    else:
        shown = array_literals.text(writer, node, array)
        items = writer.piece(".list_of_text", array_literals.tokens(writer, shown))
    read = array_elements.stored(writer, element, exp.column(_ITEM))
    known = Var(element, -1, node.location, name=ELEMENT)
    test = writer.for_element(read).comparison(node, left, known)
    return writer.piece(".items_any" if node.any else ".items_all", items, test)


def is_null(writer: Writer, node: Node) -> exp.Expr | None:
    """Whether an array that a function makes is NULL."""
    if not facts().type(node.type).element or array_literals.is_textual(node):
        return None
    return writer.absent(listed(writer, node, node).items, node, "_list")


# -- functions over whole arrays -----------------------------------------------------------------


def _contains(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    name = node.function.name
    first, second = (listed(writer, node, arg).items for arg in args)
    if name == "arraycontained":
        first, second = second, first
    if name == "arrayoverlap":
        return writer.piece(".lists_overlap", first, second)
    known = constant(args[name == "arraycontains"])
    sure = known is not None and isinstance(known.value, tuple) and not _has_null(known.value)
    return writer.piece(".list_contains_values" if sure else ".list_contains", first, second)


def _has_null(values: tuple[object, ...]) -> bool:
    return any(item is None or (isinstance(item, tuple) and _has_null(item)) for item in values)


def _equal(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    symbol = "=" if node.function.name == "array_eq" else "<>"
    if not any(map(text_arrays.made, args)) and all(map(array_literals.is_textual, args)):
        element = element_of(writer, node, args[0])
        if array_elements.family(element) in array_elements.ONE_TEXT:
            texts = [array_literals.text(writer, node, arg) for arg in args]
            return writer.filled(f"_1 {symbol} _2", *texts)
    first, second = (listed(writer, node, arg) for arg in args)
    same = writer.filled("_1 = _2", first.items, second.items)
    if _bounded(first) or _bounded(second):
        shapes = [array_lists.shape(writer, array) for array in (first, second)]
        # NULL of a list stays NULL, whatever the shapes are
        same = writer.filled("CASE WHEN _1 THEN _2 = _3 ELSE _4 END", same, *shapes, same)
    return same if symbol == "=" else exp.Not(this=exp.Paren(this=same))


def _bounded(array: Listed) -> bool:
    return array.text is not None or array.first is not None


_ORDER = {"array_lt": "<", "array_le": "<=", "array_gt": ">", "array_ge": ">="}


def _ordered(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Element by element, NULL last; then the shorter one is smaller."""
    for arg in args:
        if text_arrays.made(arg) is not None:
            raise writer.refused(node, "The order of texts cut from a text has no form.")
        array_literals.check_order(writer, node, arg)
    pair = [listed(writer, node, arg) for arg in args]
    sides = [writer.piece(".list_in_order", array.items) for array in pair]
    test = writer.filled(f"_1 {_ORDER[node.function.name]} _2", *sides)
    if not any(map(_bounded, pair)):
        return test
    shapes = [array_lists.shape(writer, array) for array in pair]
    differ = writer.filled("_1 = _2 AND _3 <> _4", pair[0].items, pair[1].items, *shapes)
    return writer.case(
        [(differ, writer.raised("arrays that differ in their bounds alone", "BOOLEAN"))], test
    )


def _position(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    found = places(writer, node, args)
    if len(args) < 3:
        return writer.piece(".list_item", found, 1)
    start = writer.put(args[2])
    missing = writer.is_null(start)
    first = writer.piece(".first_from", found, start)
    absent = writer.is_null(one(writer, node, args[0]).items)
    return writer.case(
        [
            (absent, None),
            (missing, writer.raised("initial position must not be null", "INT")),
        ],
        first,
    )


def _bucket(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """width_bucket(value, thresholds): how many of the sorted thresholds are not above it."""
    known = constant(args[1])
    if known is None:
        return _bucket_of_column(writer, node, args)
    values = known.value
    if not isinstance(values, tuple) or None in values or any(map(_is_list, values)):
        raise writer.refused(node, "The thresholds must be constants.")
    array_literals.check_order(writer, node, args[1])
    if len(values) > 1:
        sorted_alike = array_elements.family(element_of(writer, node, args[1])) in _AS_IN_PYTHON
        # PostgreSQL halves what is left, and so passes some of those that are not in order.
        if not sorted_alike or not ascending(values):
            raise writer.refused(node, "The thresholds must be in ascending order.")
    value = array_elements.of_node(writer, args[0])
    items = listed(writer, node, args[1]).items
    return writer.case(
        [(writer.is_not_null(value), writer.piece(".list_at_most", items, value))], None
    )


def _bucket_of_column(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """The same of thresholds that rows have; those in another order raise."""
    array_literals.check_order(writer, node, args[1])
    value = array_elements.of_node(writer, args[0])

    def counted(items: exp.Expr) -> exp.Expr:
        nulls = writer.filled("_1 > 0", writer.piece(".list_nulls", items))
        sorted_ = writer.piece(".list_sorted", items)
        return writer.case(
            [
                (writer.filled("_1 IS NULL OR _2 IS NULL", items, value), None),
                (nulls, writer.raised("thresholds array must not contain NULLs", "INT")),
                (
                    writer.filled("_1 <> _2", items, sorted_),
                    writer.raised("thresholds array is not in ascending order", "INT"),
                ),
            ],
            writer.piece(".list_at_most", items, value),
        )

    return let_binding.once(writer, "thresholds", one(writer, node, args[1]).items, counted)


#: families of which Python sorts the constants as PostgreSQL does
_AS_IN_PYTHON = {"int", "float", "numeric", "text", "date", "timestamp", "timestamptz", "time",
                 "uuid", "bool", "bytea", "money"}  # fmt: skip


def _is_list(value: object) -> bool:
    return type(value) is tuple


RULES: dict[str, Rule] = {
    **dict.fromkeys(("arraycontains", "arraycontained", "arrayoverlap"), _contains),
    **dict.fromkeys(("array_eq", "array_ne"), _equal),
    **dict.fromkeys(_ORDER, _ordered),
    "array_position": _position,
    "width_bucket(anycompatible,anycompatiblearray)": _bucket,
}
