"""Ranges, which the target holds as PostgreSQL's text: `[1,5)`, `(,2024-01-01]`, `empty`.

Example
    ============================ =========================================================
    filter                       written as
    ============================ =========================================================
    `ir @> 5`                    not empty, no lower bound or one up to 5, none or one above 5
    `dr && '[2024-01-01,)'`      neither ends before the other begins
    `upper(ir) > 10`             the text between comma and bracket, as an integer
    `int4range(i4, j4) @> 5`     the same, over a text made of both numbers
    ============================ =========================================================

    A bound is compared as its own type; numbers without declared digits by the text that sorts as
    they do. Dates and timestamps that are infinite raise on Spark, whose types do not hold them.

PostgreSQL
    rangetypes.c: range_cmp_bounds(), range_contains_elem_internal(), range_adjacent_internal(),
    range_before_internal().
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlglot import exp

from filtersql.filters.engines.constants import boolean
from filtersql.filters.engines.templates import field_of
from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, Coalesce, Const, Func, Node, NullIf, Op, Relabel, Var
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.values import show
from filtersql.filters.values.ranges import Range
from filtersql.filters.write.rules import array_elements
from filtersql.filters.write.rules.range_constructors import DISCRETE, made
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "text_of"]

#: what gives a range, and what PostgreSQL says where there is none
_SETS = {
    "range_intersect": "",
    "range_merge": "",
    "range_union": "result of range union would not be contiguous",
    "range_minus": "result of range difference would not be contiguous",
}
#: comparisons, and properties of one range; engines/functions/ranges.sql says how each is written
_TESTS = "eq ne lt gt le ge overlaps contains contained_by before after overleft overright adjacent"
_PROPERTIES = ("isempty", "lower_inc", "upper_inc", "lower_inf", "upper_inf")


class _Bounds(NamedTuple):
    """The parts of a range, each an expression."""

    whole: exp.Expr
    empty: exp.Expr
    lower: exp.Expr
    upper: exp.Expr
    lower_in: exp.Expr
    upper_in: exp.Expr


def text_of(writer: Writer, node: Node) -> exp.Expr:
    """A range as PostgreSQL's text, or one whose bounds read alike."""
    constant = fold(node)
    if constant is not None:
        if constant.value is None:
            return writer.cast(None, writer.text_type)
        return writer.text(show(node.type, constant.value))
    match node:
        case Relabel():
            return text_of(writer, node.arg)
        case Var():
            return writer.column(node)
        case Case() | Coalesce() | NullIf():
            return writer.construct(node, lambda item: text_of(writer, item))
        case Func() | Op() if node.function.name in _SETS and len(node.args) == 2:
            return _combined(writer, node)
        case Func() if node.function.name == node.type and len(node.args) > 1:
            return made(writer, node)
    raise writer.refused(node, "filtersql has no exact form for this range yet.")


def _combined(writer: Writer, node: Func | Op) -> exp.Expr:
    """Intersection, union, difference and the range around both."""
    name = node.function.name
    parts, shared = _parts_of_both(writer, node.args)
    return shared(writer.piece(f".{name}", *parts, writer.raised(_SETS[name], writer.text_type)))


def _parts_of_both(
    writer: Writer, args: Sequence[Node]
) -> tuple[list[exp.Expr], Callable[[exp.Expr], exp.Expr]]:
    """The parts of two ranges, and what makes their names known to an expression."""
    first, shared_first = _shared(writer, args[0], "a")
    second, shared_second = _shared(writer, args[1], "b")
    return [*first, *second], lambda whole: shared_first(shared_second(whole))


def _shared(
    writer: Writer, arg: Node, name: str
) -> tuple[Sequence[exp.Expr], Callable[[exp.Expr], exp.Expr]]:
    """The parts of a range; what takes long to write has a name, and is computed once."""
    arg = bare(arg)
    if fold(arg) is not None:
        return _bounds(writer, arg), lambda whole: whole
    text, is_column = text_of(writer, arg), isinstance(arg, Var)
    found = _parts(writer, arg, text if is_column else exp.column(f"range_{name}"))
    parts: Sequence[exp.Expr] = found
    long = _is_long(writer, facts().type(arg.type).subtype)
    if long:
        parts = [field_of(writer.engine, f"parts_{name}", part) for part in _PARTS]

    def shared(whole: exp.Expr) -> exp.Expr:
        if long:
            whole = writer.piece(f".let_parts_{name}", *found, whole)
        return whole if is_column else writer.piece(f".let_range_{name}", text, whole)

    return parts, shared


#: the fields of a range's parts under a name
_PARTS = ("w", "e", "l", "u", "li", "ui")


def _is_long(writer: Writer, subtype: str) -> bool:
    """Whether reading a bound takes an expression of many parts."""
    return subtype == "numeric" or (writer.engine == "spark" and subtype not in ("int4", "int8"))


def _bounds(writer: Writer, node: Node) -> _Bounds:
    constant = fold(node)
    if constant is not None and isinstance(constant.value, Range):
        return _of_constant(writer, node, constant.value)
    return _parts(writer, node, text_of(writer, node))


def _parts(writer: Writer, node: Node, whole: exp.Expr) -> _Bounds:
    """The parts of a range's text."""
    subtype = facts().type(node.type).subtype
    lower, upper = (
        _once(writer, subtype, writer.piece(f".range_{side}", whole)) for side in ("lower", "upper")
    )
    tests = ("_1 = 'empty'", "LEFT(_1, 1) = '['", "RIGHT(_1, 1) = ']'")
    empty, lower_in, upper_in = (writer.filled(test, whole) for test in tests)
    return _Bounds(whole, empty, lower, upper, lower_in, upper_in)


def _of_constant(writer: Writer, node: Node, value: Range) -> _Bounds:
    subtype = facts().type(node.type).subtype

    def bound(one: object) -> exp.Expr:
        if one is None:
            return exp.Null()
        return array_elements.of_node(writer, Const(subtype, -1, node.location, value=one))

    whole = writer.text(show(node.type, value))
    lower_in, upper_in = boolean(value.lower_in), boolean(value.upper_in)
    lower, upper = bound(value.lower), bound(value.upper)
    return _Bounds(whole, boolean(value.empty), lower, upper, lower_in, upper_in)


def _once(writer: Writer, subtype: str, text: exp.Expr) -> exp.Expr:
    """A bound as a value that can be compared; Spark's reading of a date names its text often."""
    if writer.engine == "spark" and subtype in ("date", "timestamp", "timestamptz"):
        key = array_elements.key(writer, subtype, exp.column("bound"))
        return writer.piece(".let_bound", text, key)
    return array_elements.key(writer, subtype, text)


def _test(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """A comparison of two ranges; one that is made of others is written once."""
    parts, shared = _parts_of_both(writer, args)
    return shared(writer.piece(f".{node.function.name}", *parts))


def _holds(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Range @> element, element <@ range."""
    ranged, element = args if node.function.name == "range_contains_elem" else (args[1], args[0])
    subtype = facts().type(ranged.type).subtype
    known, column = fold(element), bare(ranged)
    if subtype in DISCRETE and isinstance(column, Var) and known is not None and _is_finite(known):
        return _holds_constant(writer, column, known)
    parts, shared = _shared(writer, ranged, "a")
    value = array_elements.of_node(writer, element)
    if fold(element) is not None or not _is_long(writer, subtype):
        return shared(writer.piece(".range_holds", *parts, value))
    whole = writer.piece(".range_holds", *parts, exp.column("element"))
    return shared(writer.piece(".let_element", value, whole))


def _is_finite(known: Const) -> bool:
    return known.value is not None and not show(known.type, known.value).endswith("infinity")


def _holds_constant(writer: Writer, column: Var, known: Const) -> exp.Expr:
    """The same of a column whose ranges begin with a bracket and end with a parenthesis."""
    value = array_elements.of_node(writer, known)
    shown = _parts(writer, column, text_of(writer, column))
    lower = writer.filled("COALESCE(_1 <= _2, TRUE)", shown.lower, value)
    upper = writer.filled("COALESCE(_1 > _2, TRUE)", shown.upper, value)
    test = "CASE WHEN _1 IS NOT NULL THEN _1 <> 'empty' AND _2 AND _3 END"
    return writer.filled(test, shown.whole, lower, upper)


def _side(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    subtype = facts().type(args[0].type).subtype
    if subtype == "numeric":
        raise writer.refused(node, "The digits of the range's bound are not known.")
    shown = writer.piece(f".range_{node.function.name}", text_of(writer, args[0]))
    return array_elements.stored(writer, subtype, shown)


def _property(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    name = node.function.name
    if isinstance(args[0], Var):
        return writer.piece(f".{name}", *_bounds(writer, args[0]))
    parts, shared = _shared(writer, args[0], "a")
    return shared(writer.piece(f".{name}", *parts))


RULES: dict[str, Rule] = {
    **{f"range_{name}": _test for name in _TESTS.split()},
    "range_contains_elem": _holds,
    "elem_contained_by_range": _holds,
    "lower(anyrange)": _side,
    "upper(anyrange)": _side,
    **{f"{name}(anyrange)": _property for name in _PROPERTIES},
}
