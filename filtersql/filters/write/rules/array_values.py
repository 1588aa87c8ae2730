"""Arrays as lists of an engine, with what a list does not say: bounds and dimensions.

Example
    ======================== ============================ ===========================
    array                    list                         first subscript
    ======================== ============================ ===========================
    `ai` = `{1,2,NULL}`      [1, 2, NULL]                 1
    `ai` = `[2:3]={7,1}`     [7, 1]                       2
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

from msgspec import Struct
from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Case,
    Coalesce,
    Const,
    Func,
    Node,
    NullIf,
    Op,
    Var,
)
from filtersql.filters.tree.transparent_nodes import bare, chosen
from filtersql.filters.values import show
from filtersql.filters.write import let_binding
from filtersql.filters.write.rules import array_elements, text_arrays
from filtersql.filters.write.writer import Writer

__all__ = ["Listed", "constant", "element_of", "is_textual", "listed", "one", "places", "text"]

_NO_FORM = "filtersql has no exact form for arrays of this type yet."
_SEVERAL = "Several dimensions have no form here."


class Listed(Struct, frozen=True):
    """An array: its elements, and PostgreSQL's text or the first subscript (None: 1)."""

    items: exp.Expr
    text: exp.Expr | None = None
    first: exp.Expr | None = None


def element_of(writer: Writer, node: Node, array: Node) -> str:
    """The type of an array's elements; refuses types that cannot be compared."""
    element = facts().type(bare(array).type).element
    if not array_elements.family(element):
        raise writer.refused(node, _NO_FORM)
    return element


def constant(array: Node) -> Const | None:
    """The constant that an array is, written out or not."""
    array = bare(array)
    if isinstance(array, ArrayExpr):
        elements = [
            constant(item) if array.multidimensional else fold(item) for item in array.elements
        ]
        values = tuple(item.value for item in elements if item is not None)
        if len(values) < len(elements) or (array.multidimensional and not _alike(values)):
            return None
        return Const(array.type, -1, array.location, value=values)
    return fold(array)


def _alike(values: tuple[object, ...]) -> bool:
    """Whether all are arrays of the same dimensions, which make one of a dimension more."""
    sizes = [_sizes(value) for value in values]
    return all(size and size == sizes[0] for size in sizes)


def _sizes(value: object) -> tuple[int, ...]:
    if type(value) is not tuple or not value:
        return ()
    return (len(value), *_sizes(value[0]))


def is_textual(array: Node) -> bool:
    """Whether an array is a column, a constant, or chosen among such: it has a text."""
    array = bare(array)
    if isinstance(array, Var) or constant(array) is not None:
        return True
    return isinstance(array, (Case, Coalesce, NullIf)) and all(map(is_textual, chosen(array)))


def text(writer: Writer, node: Node, array: Node) -> exp.Expr:
    """A textual array as PostgreSQL's text."""
    array = bare(array)
    known = constant(array)
    if known is None:
        if isinstance(array, Var):
            return writer.put(array)
        return writer.construct(array, lambda item: text(writer, node, item))
    if known.value is None:
        return writer.cast(writer.null(), writer.text_type)
    if not isinstance(known.value, tuple):
        raise writer.refused(node, _NO_FORM)
    return writer.text(show(known.type, known.value))


def tokens(writer: Writer, shown: exp.Expr) -> exp.Expr:
    """The elements of an array's text, each as it stands there."""
    return writer.piece(".array_tokens", shown)


def listed(writer: Writer, node: Node, array: Node) -> Listed:
    """An array of any kind."""
    array = bare(array)
    made = text_arrays.made(array)
    if made is not None:
        return Listed(text_arrays.listed(writer, made))
    element = element_of(writer, node, array)
    known = constant(array)
    if known is not None:
        return _of_constant(writer, node, element, known)
    if is_textual(array):
        shown = text(writer, node, array)
        parts = tokens(writer, shown)
        item: exp.Expr = exp.column("item")
        if array_elements.family(element) == "int":  # none has quotes
            item = writer.filled("NULLIF(_1, 'NULL')", item)
            read = array_elements.key(writer, element, item)
            return Listed(writer.piece(".list_map", parts, read), shown.copy())
        plain = writer.piece(".list_of_text", parts)
        read = array_elements.key(writer, element, item)
        items = plain if read is item else writer.piece(".list_map", plain, read)
        return Listed(items, shown.copy())
    if isinstance(array, ArrayExpr):
        if array.multidimensional:
            raise writer.refused(node, _SEVERAL)
        return Listed(_written(writer, element, array.elements))
    if isinstance(array, (Func, Op)) and not isinstance(array, NullIf):
        rule = _MADE.get(array.function.name)
        if rule is not None:
            return rule(writer, node, array.args)
    raise writer.refused(node, "filtersql has no exact form for an array made this way yet.")


def _list_type(writer: Writer, element: str) -> str:
    inner = array_elements.key_type(writer, element)
    return f"ARRAY<{inner}>" if writer.engine == "spark" else f"{inner}[]"


def _written(writer: Writer, element: str, elements: Sequence[Node]) -> exp.Expr:
    items = exp.Array(expressions=[array_elements.of_node(writer, item) for item in elements])
    return writer.cast(items, _list_type(writer, element))


def _of_constant(writer: Writer, node: Node, element: str, known: Const) -> Listed:
    shown = text(writer, node, known)
    if known.value is None:
        return Listed(writer.cast(writer.null(), _list_type(writer, element)), shown)
    assert isinstance(known.value, tuple)
    flat = [Const(element, -1, known.location, value=value) for value in _flat(known.value)]
    deep = any(type(item) is tuple for item in known.value)
    return Listed(_written(writer, element, flat), shown if deep else None)


def _flat(items: tuple[object, ...]) -> list[object]:
    found: list[object] = []
    for item in items:
        found.extend(_flat(item) if type(item) is tuple else [item])
    return found


def single(writer: Writer, array: Listed, element: str) -> Listed:
    """An array of one dimension, or of none; one of several raises."""
    if array.text is None:
        return array
    deep = writer.piece(".array_is_deep", array.text.copy())
    problem = writer.piece(".raise", writer.text("an array of several dimensions"))
    mistake = writer.cast(problem, _list_type(writer, element))
    items = writer.case([(deep, mistake)], array.items)
    return Listed(items, None, writer.piece(".array_first", array.text))


def one(writer: Writer, node: Node, array: Node) -> Listed:
    """An array of one dimension, whatever made it."""
    found = listed(writer, node, array)
    return found if found.text is None else single(writer, found, element_of(writer, node, array))


def _first(writer: Writer, array: Listed) -> exp.Expr:
    return writer.integer(1) if array.first is None else array.first.copy()


def shape(writer: Writer, array: Listed) -> exp.Expr:
    """A text that is equal for arrays of the same dimensions, if they have as many elements."""
    if array.text is not None:
        return writer.piece(".array_shape", array.text.copy())
    if array.first is None:
        return writer.text("")
    size = writer.piece(".list_length", array.items.copy())
    return writer.piece(".shape_from", array.first.copy(), size)


def bounds(writer: Writer, array: Listed) -> exp.Expr:
    """`[1:2][1:3]` of an array; NULL where it has no elements."""
    size = writer.piece(".list_length", array.items.copy())
    if array.text is not None:
        return writer.piece(".array_bounds", array.text.copy(), size)
    return writer.piece(".bounds_from", _first(writer, array), size)


# -- functions that give arrays ------------------------------------------------------------------


def _one_added(writer: Writer, node: Node, array: Node, value: Node, *, behind: bool) -> Listed:
    """array_append() and array_prepend(): NULL is an empty array."""
    element = element_of(writer, node, array)
    old = one(writer, node, array)
    new = writer.cast(
        writer.piece(".list_of_one", array_elements.of_node(writer, value)),
        _list_type(writer, element),
    )
    empty = _written(writer, element, ())
    known = exp.Coalesce(this=old.items, expressions=[empty])
    items = writer.piece(".list_concat", *((known, new) if behind else (new, known)))
    first = old.first and exp.Coalesce(this=old.first, expressions=[writer.integer(1)])
    return Listed(items, None, first)


def _appended(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    return _one_added(writer, node, args[0], args[1], behind=True)


def _prepended(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    return _one_added(writer, node, args[1], args[0], behind=False)


def _concatenated(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """array_cat(): what is NULL or empty gives the other one."""
    first, second = (one(writer, node, arg) for arg in args)

    def joined(left: exp.Expr, right: exp.Expr) -> exp.Expr:
        both = writer.piece(".list_concat", left.copy(), right.copy())
        absent = writer.is_null(left.copy()), writer.is_null(right.copy())
        return writer.case([(absent[0], right), (absent[1], left)], both)

    depth = max(map(let_binding.height, args))
    items = let_binding.once(
        writer,
        f"list{depth}_1",
        first.items.copy(),
        lambda left: let_binding.once(
            writer, f"list{depth}_2", second.items.copy(), lambda right: joined(left, right)
        ),
    )
    size = writer.piece(".list_length", first.items.copy())
    filled = writer.filled("_1 > 0", size)
    if first.first is None and second.first is None:
        return Listed(items)
    begins = writer.case([(filled, _first(writer, first))], _first(writer, second))
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
    return writer.piece(".list_places", old.items, value, _first(writer, old))


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
    check_order(writer, node, args[0])
    old = one(writer, node, args[0])
    name = ".list_sorted_down" if down else ".list_sorted"
    if nulls_first != down:
        name += "_nulls_first" if nulls_first else "_nulls_last"
    return Listed(writer.piece(name, old.items), None, old.first)


def check_order(writer: Writer, node: Node, array: Node) -> None:
    """Refuses the order of texts, unless it is that of the bytes."""
    if array_elements.family(element_of(writer, node, array)) in array_elements.COLLATED:
        writer.check_order(node)


def _trimmed(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """trim_array(): without the last n; the rest begins at 1."""
    old = one(writer, node, args[0])
    number = writer.put(args[1])

    def headed(items: exp.Expr) -> exp.Expr:
        size = writer.piece(".list_length", items.copy())
        fits = writer.filled("_1 BETWEEN 0 AND _2", number, size)
        missing = writer.filled("_1 IS NULL OR _2 IS NULL", number.copy(), size.copy())
        problem = writer.piece(".raise", writer.text("number of elements to trim is out of range"))
        left = writer.case(
            [
                (fits, writer.filled("_1 - _2", size.copy(), number.copy())),
                (missing, writer.null()),
            ],
            writer.cast(problem, "INT"),
        )
        return writer.piece(".list_head", items, left)

    return Listed(let_binding.once(writer, f"list{let_binding.height(args[0])}", old.items, headed))


def _filled(writer: Writer, node: Node, args: Sequence[Node]) -> Listed:
    """array_fill() with a constant size of one dimension."""
    size = constant(args[1])
    found = size.value if size is not None else None
    if len(args) > 2 or not isinstance(found, tuple) or len(found) != 1:
        raise writer.refused(node, "Only one dimension of a constant size has a form.")
    if not isinstance(found[0], int) or found[0] < 0:
        raise writer.refused(node, "The size must be a number from 0 on.")
    value = array_elements.of_node(writer, args[0])
    return Listed(writer.piece(".list_repeat", value, writer.integer(found[0])))


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
