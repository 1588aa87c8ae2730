"""Arrays in columns, which the target holds as PostgreSQL's text: `{1,2,NULL}`, `{"a b",c}`.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `5 = ANY (ai)`               whether the text's elements, read as integers, hold 5
    `tags @> '{a,b}'`            nothing of {a, b} is left without the column's elements
    `ai = '{1,2}'`               the texts are the same: one value has one text
    `cardinality(ai) > 1`        how many elements the text has
    ============================ =========================================================

PostgreSQL
    arrayfuncs.c: array_out(), array_contain_compare(); execExprInterp.c,
    ExecEvalScalarArrayOp(): an empty array decides even for NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import text_arrays
from filtersql.filters.facts import Function, facts
from filtersql.filters.folding import fold
from filtersql.filters.literals import show
from filtersql.filters.nodes import ArrayExpr, Const, Node, Relabel, ScalarArrayOp
from filtersql.filters.raising import may_raise

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["FUNCTIONS", "call", "constant", "holds"]

FUNCTIONS = {
    "arraycontains", "arraycontained", "arrayoverlap", "array_eq", "array_ne", "cardinality",
    "array_length",
}  # fmt: skip
#: element types of which one value has one text, and how that text is read
_READ = {
    "int2": "SMALLINT", "int4": "INT", "int8": "BIGINT", "text": "", "varchar": "", "uuid": "",
    "bool": "",
}  # fmt: skip
_NO_FORM = "filtersql has no exact form for arrays of this type yet."


def holds(writer: Writer, node: ScalarArrayOp) -> exp.Expr:
    """`x = ANY (column)` and `x <> ALL (column)`."""
    left, array = node.args
    symbol = node.operator.name
    element = _element(writer, node, array)
    if (symbol, node.any) not in (("=", True), ("<>", False)):
        raise writer.refused(node, "Only = ANY and <> ALL have a form for an array in a column.")
    if left.type not in _READ or (left.type in ("uuid", "bool")) != (element in ("uuid", "bool")):
        raise writer.refused(node, _NO_FORM)
    if may_raise(left):
        raise writer.refused(node, "The value beside the array can raise an error.")
    value = writer.put(left)
    if left.type == "bool":
        value = writer.filled("CASE WHEN _1 THEN 't' WHEN NOT _1 THEN 'f' END", value)
    found = writer.piece(".list_holds", _listed(writer, node, array, element), value)
    return found if node.any else exp.Not(this=found)


def call(writer: Writer, node: Node, function: Function, args: Sequence[Node]) -> exp.Expr:
    """The functions over whole arrays."""
    name = function.name
    if any(map(text_arrays.made, args)):
        return _of_texts(writer, node, name, args)
    element = _element(writer, node, args[0])
    if name in ("array_eq", "array_ne"):
        texts = [_text(writer, node, arg) for arg in args]
        return writer.filled("_1 = _2" if name == "array_eq" else "_1 <> _2", *texts)
    if name == "cardinality":
        return writer.piece(".list_length", _tokens(writer, args[0]))
    if name == "array_length":
        return _length(writer, node, args)
    first, second = (_listed(writer, node, arg, element) for arg in args)
    if name == "arraycontained":
        first, second = second, first
    piece = ".lists_overlap" if name == "arrayoverlap" else ".list_contains"
    return writer.piece(piece, first, second)


def _of_texts(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """The same functions over arrays that were made of a text."""
    if name == "array_length":
        _check_dimension(writer, node, args)
        length = writer.piece(".list_length", _listed(writer, node, args[0], "text"))
        return writer.filled("NULLIF(_1, 0)", length)
    if name == "cardinality":
        return writer.piece(".list_length", _listed(writer, node, args[0], "text"))
    lists = [_listed(writer, node, arg, "text") for arg in args]
    match name:
        case "array_eq" | "array_ne":
            return writer.filled("_1 = _2" if name == "array_eq" else "_1 <> _2", *lists)
        case "arraycontained":
            return writer.piece(".list_contains", *lists[::-1])
        case "arraycontains":
            return writer.piece(".list_contains", *lists)
        case "arrayoverlap":
            return writer.piece(".lists_overlap", *lists)
    raise writer.refused(node, _NO_FORM)


def _length(writer: Writer, node: Node, args: Sequence[Node]) -> exp.Expr:
    _check_dimension(writer, node, args)
    return writer.piece(".array_length", writer.put(args[0]), _tokens(writer, args[0]))


def _check_dimension(writer: Writer, node: Node, args: Sequence[Node]) -> None:
    dimension = fold(args[1])
    if dimension is None or dimension.value != 1:
        raise writer.refused(node, "Only the length of the first dimension has a form.")


def _element(writer: Writer, node: Node, array: Node) -> str:
    while isinstance(array, Relabel):
        array = array.arg
    element = facts().type(array.type).element
    if element not in _READ:
        raise writer.refused(node, _NO_FORM)
    return element


def _text(writer: Writer, node: Node, array: Node) -> exp.Expr:
    """An array as PostgreSQL's text."""
    known = constant(array)
    if known is None:
        return writer.put(array)
    if known.value is None:
        return writer.cast(writer.null(), writer.text_type)
    if not isinstance(known.value, tuple):
        raise writer.refused(node, _NO_FORM)
    return writer.text(show(known.type, known.value))


def constant(array: Node) -> Const | None:
    """The constant that an array is, written out or not."""
    if isinstance(array, ArrayExpr) and not array.multidimensional:
        elements = [fold(item) for item in array.elements]
        values = tuple(item.value for item in elements if item is not None)
        if len(values) < len(elements):
            return None
        return Const(array.type, -1, array.location, value=values)
    return fold(array)


def _tokens(writer: Writer, array: Node) -> exp.Expr:
    return writer.piece(".array_tokens", writer.put(array))


def _listed(writer: Writer, node: Node, array: Node, element: str) -> exp.Expr:
    """An array as the engine's list of its elements."""
    made = text_arrays.made(array)
    if made is not None:
        return text_arrays.listed(writer, made)
    known = constant(array) if element == "text" else None
    if known is not None and isinstance(known.value, tuple):
        return text_arrays.literal(writer, node, known)
    tokens = writer.piece(".array_tokens", _text(writer, node, array))
    if element in ("int2", "int4", "int8"):
        return writer.piece(f".list_of_{element}", tokens)
    return writer.piece(".list_of_text", tokens)
