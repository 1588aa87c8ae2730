"""An array as a list of an engine: its elements, and what a list does not say of it.

Example
    ======================== ============================ =============== =================
    array                    list                         first subscript bounds
    ======================== ============================ =============== =================
    `ai` = `{1,2,NULL}`      [1, 2, NULL]                 1               `[1:3]`
    `ai` = `[2:3]={7,1}`     [7, 1]                       2               `[2:3]`
    `ai` = `{{1,2},{3,4}}`   [1, 2, 3, 4]                                 `[1:2][1:2]`
    ======================== ============================ =============== =================

PostgreSQL
    arrayfuncs.c: array_dims(), array_eq(): arrays of other bounds are not equal.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp

from filtersql.filters.tree.nodes import Const, Node
from filtersql.filters.write.rules import array_elements, array_literals
from filtersql.filters.write.writer import Writer

__all__ = [
    "Listed",
    "bounds",
    "first_subscript",
    "list_type",
    "of_constant",
    "shape",
    "single",
    "written",
]


class Listed(Struct, frozen=True):
    """An array: its elements, and PostgreSQL's text or the first subscript (None: 1)."""

    items: exp.Expr
    text: exp.Expr | None = None
    first: exp.Expr | None = None


def list_type(writer: Writer, element: str) -> str:
    """The engine's type of a list of such elements."""
    inner = array_elements.key_type(writer, element)
    return f"ARRAY<{inner}>" if writer.engine == "spark" else f"{inner}[]"


def written(writer: Writer, element: str, elements: Sequence[Node]) -> exp.Expr:
    """The list of elements that are written one by one."""
    items = exp.Array(expressions=[array_elements.of_node(writer, item) for item in elements])
    return writer.cast(items, list_type(writer, element))


def of_constant(writer: Writer, node: Node, element: str, known: Const) -> Listed:
    """The list of a constant array."""
    shown = array_literals.text(writer, node, known)
    if known.value is None:
        return Listed(writer.cast(None, list_type(writer, element)), shown)
    assert isinstance(known.value, tuple)
    deep = any(type(item) is tuple for item in known.value)
    items = written(writer, element, array_literals.elements(known))
    return Listed(items, shown if deep else None)


def single(writer: Writer, array: Listed, element: str) -> Listed:
    """An array of one dimension, or of none; one of several raises."""
    if array.text is None:
        return array
    deep = writer.piece(".array_is_deep", array.text)
    mistake = writer.raised("an array of several dimensions", list_type(writer, element))
    items = writer.case([(deep, mistake)], array.items)
    return Listed(items, None, writer.piece(".array_first", array.text))


def first_subscript(writer: Writer, array: Listed) -> exp.Expr:
    """The subscript of the first element of an array of one dimension."""
    return writer.integer(1) if array.first is None else array.first.copy()


def shape(writer: Writer, array: Listed) -> exp.Expr:
    """A text that is equal for arrays of the same dimensions, if they have as many elements."""
    if array.text is not None:
        return writer.piece(".array_shape", array.text)
    if array.first is None:
        return writer.text("")
    size = writer.piece(".list_length", array.items)
    return writer.piece(".shape_from", array.first, size)


def bounds(writer: Writer, array: Listed) -> exp.Expr:
    """`[1:2][1:3]` of an array; NULL where it has no elements."""
    size = writer.piece(".list_length", array.items)
    if array.text is not None:
        return writer.piece(".array_bounds", array.text, size)
    return writer.piece(".bounds_from", first_subscript(writer, array), size)
