"""Arrays that have PostgreSQL's text: columns, constants, and what is chosen among such.

Example
    ================================= ===========================
    array                             text, an array literal
    ================================= ===========================
    `ai`                              the column's
    `ARRAY[1, NULL]`                  `{1,NULL}`
    `COALESCE(ai, '{}')`              the column's, or `{}`
    `ai || 5`                         none: a function makes it
    ================================= ===========================

PostgreSQL
    arrayfuncs.c, array_out().
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import ArrayExpr, Case, Coalesce, Const, Node, NullIf, Var
from filtersql.filters.tree.transparent_nodes import bare, chosen
from filtersql.filters.values import show
from filtersql.filters.write.rules import array_elements
from filtersql.filters.write.writer import Writer

__all__ = ["check_order", "constant", "element_of", "elements", "is_textual", "text", "tokens"]

_NO_FORM = "filtersql has no exact form for arrays of this type yet."


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


def elements(array: Const) -> list[Const]:
    """The elements of a constant array, those of all its dimensions one by one."""
    element = facts().type(array.type).element
    assert isinstance(array.value, tuple)
    return [
        Const(element, -1, array.location, array.collation, array.strength, value)
        for value in _flat(array.value)
    ]


def _flat(items: tuple[object, ...]) -> list[object]:
    found: list[object] = []
    for item in items:
        found.extend(_flat(item) if type(item) is tuple else [item])
    return found


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
        return writer.cast(None, writer.text_type)
    if not isinstance(known.value, tuple):
        raise writer.refused(node, _NO_FORM)
    return writer.text(show(known.type, known.value))


def tokens(writer: Writer, shown: exp.Expr) -> exp.Expr:
    """The elements of an array's text, each as it stands there."""
    return writer.piece(".array_tokens", shown)


def check_order(writer: Writer, node: Node, array: Node) -> None:
    """Refuses the order of texts, unless it is that of the bytes."""
    if array_elements.family(element_of(writer, node, array)) in array_elements.COLLATED:
        writer.check_order(node)
