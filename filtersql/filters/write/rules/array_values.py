"""Arrays of any kind as lists of an engine: columns, constants, and what functions make.

Example
    ======================== ============================ ===========================
    array                    list                         first subscript
    ======================== ============================ ===========================
    `ai` = `{1,2,NULL}`      [1, 2, NULL]                 1
    `ai || 5`                [1, 2, NULL, 5]              that of ai
    `ARRAY[i4, j4]`          [i4, j4]                     1
    ======================== ============================ ===========================

    A column's array may have several dimensions: its list has all elements, its shape says the
    rest. Functions that make an array of such a one raise, as PostgreSQL's own do for most.

PostgreSQL
    arrayfuncs.c, array_userfuncs.c: array_append(), array_cat(), array_remove(), array_position().
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import ArrayExpr, Func, Node, NullIf, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write import let_binding
from filtersql.filters.write.rules import array_elements, array_lists, array_literals, text_arrays
from filtersql.filters.write.rules.array_lists import Listed, first_subscript
from filtersql.filters.write.writer import Writer

__all__ = ["listed", "one", "places"]

_SEVERAL = "Several dimensions have no form here."


def listed(writer: Writer, node: Node, array: Node) -> Listed:
    """An array of any kind."""
    array = bare(array)
    made = text_arrays.made(array)
    if made is not None:
        return Listed(text_arrays.listed(writer, made))
    element = array_literals.element_of(writer, node, array)
    known = array_literals.constant(array)
    if known is not None:
        return array_lists.of_constant(writer, node, element, known)
    if array_literals.is_textual(array):
        shown = array_literals.text(writer, node, array)
        parts = array_literals.tokens(writer, shown)
        item: exp.Expr = exp.column("item")
        if array_elements.family(element) == "int":  # none has quotes
            item = writer.filled("NULLIF(_1, 'NULL')", item)
            read = array_elements.key(writer, element, item)
            return Listed(writer.piece(".list_map", parts, read), shown)
        plain = writer.piece(".list_of_text", parts)
        read = array_elements.key(writer, element, item)
        items = plain if read is item else writer.piece(".list_map", plain, read)
        return Listed(items, shown)
    if isinstance(array, ArrayExpr):
        if array.multidimensional:
            raise writer.refused(node, _SEVERAL)
        return Listed(array_lists.written(writer, element, array.elements))
    if isinstance(array, (Func, Op)) and not isinstance(array, NullIf):
        rule = _MADE.get(array.function.name)
        if rule is not None:
            return rule(writer, node, array.args)
    raise writer.refused(node, "filtersql has no exact form for an array made this way yet.")


def one(writer: Writer, node: Node, array: Node) -> Listed:
    """An array of one dimension, whatever made it."""
    found = listed(writer, node, array)
    return (
        found
        if found.text is None
        else array_lists.single(writer, found, array_literals.element_of(writer, node, array))
    )


# -- functions that give arrays ------------------------------------------------------------------


def _one_added(writer: Writer, node: Node, array: Node, value: Node, *, behind: bool) -> Listed:
    """array_append() and array_prepend(): NULL is an empty array."""
    element = array_literals.element_of(writer, node, array)
    old = one(writer, node, array)
    new = writer.cast(
        writer.piece(".list_of_one", array_elements.of_node(writer, value)),
        array_lists.list_type(writer, element),
    )
    empty = array_lists.written(writer, element, ())
    known = writer.coalesce(old.items, empty)
    items = writer.piece(".list_concat", *((known, new) if behind else (new, known)))
    first = old.first and writer.coalesce(old.first, 1)
    return Listed(items, None, first)


def _appended(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    return _one_added(writer, node, args[0], args[1], behind=True)


def _prepended(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    return _one_added(writer, node, args[1], args[0], behind=False)


def _concatenated(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """array_cat(): what is NULL or empty gives the other one."""
    first, second = (one(writer, node, arg) for arg in args)

    def joined(left: exp.Expr, right: exp.Expr) -> exp.Expr:
        both = writer.piece(".list_concat", left, right)
        absent = writer.is_null(left), writer.is_null(right)
        return writer.case([(absent[0], right), (absent[1], left)], both)

    depth = max(map(let_binding.height, args))
    items = let_binding.once(
        writer,
        f"list{depth}_1",
        first.items,
        lambda left: let_binding.once(
            writer, f"list{depth}_2", second.items, lambda right: joined(left, right)
        ),
    )
    size = writer.piece(".list_length", first.items)
    filled = writer.filled("_1 > 0", size)
    if first.first is None and second.first is None:
        return Listed(items)
    begins = writer.case(
        [(filled, first_subscript(writer, first))], first_subscript(writer, second)
    )
    return Listed(items, None, begins)


def _removed(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    old = one(writer, node, args[0])
    value = array_elements.of_node(writer, args[1])
    return Listed(writer.piece(".list_without", old.items, value), None, old.first)


def _replaced(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    old = listed(writer, node, args[0])
    values = (array_elements.of_node(writer, arg) for arg in args[1:])
    return Listed(writer.piece(".list_replaced", old.items, *values), old.text, old.first)


def places(writer: Writer, node: Node, args: Sequence[Node]) -> exp.Expr:
    """The subscripts at which an array has a value, as a list."""
    old = one(writer, node, args[0])
    value = array_elements.of_node(writer, args[1])
    return writer.piece(".list_places", old.items, value, first_subscript(writer, old))


def _positions(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    return Listed(places(writer, node, args))


def _reversed(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    old = one(writer, node, args[0])
    return Listed(writer.piece(".list_reverse", old.items), None, old.first)


def _sorted(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """array_sort(array[, descending[, nulls_first]])."""
    flags = [fold(arg) for arg in args[1:]]
    if None in flags or any(flag is not None and flag.value is None for flag in flags):
        raise writer.refused(node, "The order must be a constant.")
    down, *rest = [bool(flag.value) for flag in flags if flag is not None] or [False]
    nulls_first = rest[0] if rest else down
    array_literals.check_order(writer, node, args[0])
    old = one(writer, node, args[0])
    name = ".list_sorted_down" if down else ".list_sorted"
    if nulls_first != down:
        name += "_nulls_first" if nulls_first else "_nulls_last"
    return Listed(writer.piece(name, old.items), None, old.first)


def _trimmed(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """trim_array(): without the last n; the rest begins at 1."""
    old = one(writer, node, args[0])
    number = writer.put(args[1])

    def headed(items: exp.Expr) -> exp.Expr:
        size = writer.piece(".list_length", items)
        fits = writer.filled("_1 BETWEEN 0 AND _2", number, size)
        missing = writer.filled("_1 IS NULL OR _2 IS NULL", number, size)
        left = writer.case(
            [(fits, writer.filled("_1 - _2", size, number)), (missing, None)],
            writer.raised("number of elements to trim is out of range", "INT"),
        )
        return writer.piece(".list_head", items, left)

    return Listed(let_binding.once(writer, f"list{let_binding.height(args[0])}", old.items, headed))


def _filled(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """array_fill() with a constant size of one dimension."""
    size = array_literals.constant(args[1])
    found = size.value if size is not None else None
    if len(args) > 2 or not isinstance(found, tuple) or len(found) != 1:
        raise writer.refused(node, "Only one dimension of a constant size has a form.")
    if not isinstance(found[0], int) or found[0] < 0:
        raise writer.refused(node, "The size must be a number from 0 on.")
    value = array_elements.of_node(writer, args[0])
    return Listed(writer.piece(".list_repeat", value, found[0]))


_MADE: dict[str, Callable[[Writer, Node, Sequence[Node]], Listed]] = {
    "array_append": _appended,
    "array_prepend": _prepended,
    "array_cat": _concatenated,
    "array_remove": _removed,
    "array_replace": _replaced,
    "array_positions": _positions,
    "array_reverse": _reversed,
    "array_sort": _sorted,
    "trim_array": _trimmed,
    "array_fill": _filled,
}
