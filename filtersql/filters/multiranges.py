"""Multiranges, which the target holds as PostgreSQL's text: `{[1,5),[7,10)}`, `{}`.

Example
    ======================= ==============================================================
    filter                  written as
    ======================= ==============================================================
    `mr @> 5`               whether a range between the braces has 5 in it
    `mr << ir`              whether the range around all, `[1,10)`, is before the other
    `lower(mr)`             the lower bound of the range around all
    `mr = '{[1,5)}'`        the texts are the same: one value has one text
    ======================= ==============================================================

    No range of a multirange touches the next one: what is in it whole is in one of them.

PostgreSQL
    multirangetypes.c: multirange_contains_range_internal(), range_overlaps_multirange_internal(),
    range_before_multirange_internal(), range_adjacent_multirange_internal(), multirange_eq().
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import multirange_sets
from filtersql.filters.engines import values
from filtersql.filters.facts import facts
from filtersql.filters.folding import fold
from filtersql.filters.literals.multiranges import Multirange
from filtersql.filters.literals.ranges import EMPTY
from filtersql.filters.model import ELEMENT
from filtersql.filters.nodes import ArrayExpr, Const, Func, Node, Var

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["RULES", "is_made", "text_of", "whole"]

_AROUND = "range_merge"
_FIRST_AND_LAST = r"\A[{]([\[(][^,]*,)(?:.*,)?([^,]*)[}]\z"
#: subtypes of which one value has one text
_ONE_TEXT = {"int4range", "int8range", "daterange", "tsrange"}
Test = Callable[["Writer", Node], exp.Expr]


def is_multirange(node: Node) -> bool:
    """Whether a node's value is one."""
    return facts().type(node.type).kind == "m"


def whole(node: Node) -> Node:
    """The range around all ranges of a multirange; any other node stays."""
    if not is_multirange(node):
        return node
    kind = facts().type(node.type).subtype
    known = fold(node)
    if known is not None:
        if not isinstance(known.value, Multirange):
            return Const(kind, -1, node.location)
        found = known.value.ranges
        around = (
            found[0]._replace(upper=found[-1].upper, upper_in=found[-1].upper_in)
            if found
            else EMPTY
        )
        return Const(kind, -1, node.location, value=around)
    function = next(one for one in facts().functions(_AROUND) if len(one.args) == 1)
    return Func(kind, -1, node.location, function=function, args=(node,))


def is_made(node: Func) -> bool:
    """Whether a multirange is made of a range, or a range of a multirange."""
    if len(node.args) > 1:
        return False
    name = node.function.name
    return (name == _AROUND and bool(node.args)) or (
        is_multirange(node) and name in (node.type, "multirange")
    )


def text_of(writer: Writer, node: Func) -> exp.Expr:
    """The text of such a one."""
    from filtersql.filters import ranges

    if not node.args:
        return writer.text("{}")
    source = node.args[0]
    if source.type.startswith("_"):
        if not isinstance(source, ArrayExpr):
            raise writer.refused(node, "An array of ranges has no form.")
        found = [ranges.text_of(writer, one) for one in source.elements]
        return multirange_sets.joined(writer, node, found)
    text = ranges.text_of(writer, source)
    if node.function.name != _AROUND:
        return multirange_sets.joined(writer, node, [text])
    nothing = writer.filled("_1 = '{}'", text)
    groups = writer.text("$1$2" if writer.engine == "spark" else "\\1\\2")
    around = writer.piece(".replaced_all", text.copy(), writer.text(_FIRST_AND_LAST), groups)
    return writer.case([(nothing, writer.text("empty"))], around)


def _some(writer: Writer, node: Node, held: Node, test: Test, *, every: bool = False) -> exp.Expr:
    """Whether some or all ranges of a multirange pass a test."""
    from filtersql.filters import ranges

    kind = facts().type(held.type).subtype
    known = fold(held)
    if known is not None:
        assert isinstance(known.value, Multirange)
        tests = [
            test(writer, Const(kind, -1, node.location, value=one)) for one in known.value.ranges
        ]
        if not tests:
            return values.boolean(every)
        return (exp.and_ if every else exp.or_)(*tests, copy=False)
    texts = writer.piece(
        ".list_found", ranges.text_of(writer, held), writer.text(multirange_sets.ONE_RANGE)
    )
    item = Var(kind, -1, node.location, name=ELEMENT)
    passes = test(writer.for_element(exp.column("item")), item)
    return writer.piece(".items_all" if every else ".items_any", texts, passes)


def _strict(writer: Writer, args: Sequence[Node], found: exp.Expr) -> exp.Expr:
    missing = [(writer.null_of(arg), values.null("bool", writer.engine)) for arg in args]
    return writer.case(missing, found)


def _is_null(args: Sequence[Node]) -> bool:
    known = [fold(arg) for arg in args]
    return any(one is not None and one.value is None for one in known)


def _held(name: str) -> Callable[..., exp.Expr]:
    """A value, a range or a multirange in a multirange, or that in a range."""

    def rule(writer: Writer, node: Node, _: str, args: Sequence[Node]) -> exp.Expr:
        from filtersql.filters import ranges

        outer, inner = args if "contains" in name else args[::-1]
        if _is_null(args):
            return values.null("bool", writer.engine)

        def within(writer: Writer, one: Node) -> exp.Expr:
            """Whether a range is in the outer one."""
            return _tested(writer, node, outer, "range_contains", lambda each: (each, one))

        if not facts().type(inner.type).subtype:
            found = _tested(writer, node, outer, "range_contains_elem", lambda each: (each, inner))
        elif is_multirange(inner) and _both_vary(outer, inner):
            rest = multirange_sets.text_of(writer, inner, "multirange_minus", (inner, outer))
            return writer.filled("_1 = '{}'", rest)
        elif is_multirange(inner):
            found = _some(writer, node, inner, within, every=True)
        else:
            empty = writer.filled("_1 = 'empty'", ranges.text_of(writer, inner))
            found = writer.case([(empty, values.boolean(True))], within(writer, inner))
        return _strict(writer, args, found)

    return rule


def _tested(
    writer: Writer, node: Node, held: Node, name: str, pair: Callable[[Node], Sequence[Node]]
) -> exp.Expr:
    """The test of a range beside another value; of a multirange, whether it holds for one."""
    from filtersql.filters.ranges import test

    if not is_multirange(held):
        return test(writer, node, name, pair(held))
    return _some(writer, node, held, lambda writer, each: test(writer, node, name, pair(each)))


def _both_vary(first: Node, second: Node) -> bool:
    return all(is_multirange(arg) and fold(arg) is None for arg in (first, second))


def _overlaps(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    if _is_null(args):
        return values.null("bool", writer.engine)
    if _both_vary(args[0], args[1]):
        common = multirange_sets.text_of(writer, args[0], "multirange_intersect", args)
        return writer.filled("_1 <> '{}'", common)
    held, other = args if is_multirange(args[0]) else args[::-1]

    def with_other(writer: Writer, one: Node) -> exp.Expr:
        return _tested(writer, node, other, "range_overlaps", lambda each: (one, each))

    return _strict(writer, args, _some(writer, node, held, with_other))


def _around(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """What the first lower bound and the last upper one decide."""
    from filtersql.filters.ranges import test

    word = name.split("_")[1]
    return test(writer, node, f"range_{word}", [whole(arg) for arg in args])


def _equal(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """The texts are the same; of numbers, where one value has several, each is in the other."""
    from filtersql.filters import ranges

    if facts().type(args[0].type).subtype in _ONE_TEXT:
        symbol = "=" if name == "multirange_eq" else "<>"
        return writer.filled(f"_1 {symbol} _2", *(ranges.text_of(writer, arg) for arg in args))
    contains = _held("contains")
    both = [contains(writer, node, name, pair) for pair in (args, args[::-1])]
    same = writer.filled("_1 AND _2", *both)
    return same if name == "multirange_eq" else exp.Not(this=exp.Paren(this=same))


def _property(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    from filtersql.filters.ranges import RULES as OF_RANGES

    return OF_RANGES[f"{name}(anyrange)"](writer, node, name, [whole(args[0])])


_PAIRS = (("range", "multirange"), ("multirange", "range"), ("multirange", "multirange"))
_HELD = (
    "multirange_contains_elem",
    "elem_contained_by_multirange",
    *(f"{one}_{word}_{other}" for word in ("contains", "contained_by") for one, other in _PAIRS),
)
_AROUND_ALL = ("before", "after", "overleft", "overright", "adjacent")
_OF_ONE = ("isempty", "lower", "upper", "lower_inc", "upper_inc", "lower_inf", "upper_inf")
Rule = Callable[["Writer", Node, str, Sequence[Node]], "exp.Expr"]
RULES: dict[str, Rule] = {
    **{name: _held(name) for name in _HELD},
    **{f"{one}_overlaps_{other}": _overlaps for one, other in _PAIRS},
    **{f"{one}_{word}_{other}": _around for word in _AROUND_ALL for one, other in _PAIRS},
    "multirange_eq": _equal,
    "multirange_ne": _equal,
    **{f"{name}(anymultirange)": _property for name in _OF_ONE},
}
