"""Calls, comparisons, ANY and rows, written for an engine by the name of the resolved function.

Example
    `c = 'NSW'` over char(5): bpchareq ignores trailing blanks, so both sides lose them.
    `s < 'b'`: refused, unless the order is that of the bytes (`COLLATE "C"`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from filtersql.filters.engines.templates import operand
from filtersql.filters.resolve import versions
from filtersql.filters.tree import locales
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    Distinct,
    Func,
    MinMax,
    Node,
    Op,
    Other,
    ScalarArrayOp,
    Var,
    is_null_const,
)
from filtersql.filters.write import boolean_logic, evaluation_order, let_binding, stored_types
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.registry import rule_of
from filtersql.filters.write.rules import (
    array_literals,
    arrays,
    case_comparisons,
    documents,
    integer_sums,
    letter_case,
    numeric_digits,
)
from filtersql.filters.write.rules.regex_syntax import OWN_CASE
from filtersql.filters.write.writer import Writer

__all__ = [
    "call",
    "comparison",
    "distinct",
    "min_max",
    "scalar_array",
    "unknown",
]


_NO_FORM = "filtersql has no exact form for it yet."
_OLDER = "That version of PostgreSQL computes it otherwise."
#: of functions that may give another value for the same row
_UNKNOWN = {
    "v": "It is volatile: what it gave when the source judged a row cannot be had again.",
    "s": "It is stable: what it gives depends on the session in which the source judged a row.",
}


def call(writer: Writer, node: Op | Func) -> exp.Expr:
    """An operator or function of the engine's table."""

    def written(one: Op | Func) -> exp.Expr:
        return comparison(writer, one, one.args)

    parts = case_comparisons.compared(node)
    if parts and not any(map(may_raise, parts)):
        return written(node)  # it raises by itself
    return let_binding.shared(
        writer, node, lambda one: evaluation_order.raising_first(writer, one, written)
    )


def comparison(writer: Writer, node: Op | Func, args: Sequence[Node]) -> exp.Expr:
    """The function of `node`, called with these arguments."""
    function = node.function
    if str(function) in letter_case.CASED and locales.of_its_own(node.input_collation):
        raise writer.refused(node, OWN_CASE)
    if versions.computes_otherwise(function, writer.postgres_version):
        raise writer.refused(node, _OLDER)
    if (rule := rule_of(function)) is not None:
        return rule(writer, node, args)
    text = writer.rows.get(str(function)) or writer.rows.get(function.name)
    if text is None:
        raise writer.refused(node, _UNKNOWN.get(function.volatility, _NO_FORM))
    if (far := stored_types.call(writer, function, args)) is not None:
        return far
    return writer.filled(text, *(integer_sums.put(writer, function, arg, args) for arg in args))


def unknown(node: Node) -> str:
    """Why a node has no form: CURRENT_DATE and its like are the session's."""
    return _UNKNOWN["s"] if isinstance(node, Other) and not node.args else _NO_FORM


def distinct(writer: Writer, node: Distinct) -> exp.Expr:
    """IS DISTINCT FROM, by the type's own equality."""
    left, right = node.args
    if writer.rows.get(node.function.name) == "_1 = _2":
        if any(stored_types.is_beyond(writer, arg) for arg in node.args):
            pair = [stored_types.key(writer, arg) for arg in node.args]
        else:
            pair = documents.beside_each_other(writer, node.args)
        whole = exp.NullSafeNEQ(this=operand(pair[0]), expression=operand(pair[1]))
        return evaluation_order.alike(writer, node, whole)
    equal = comparison(writer, node, node.args)
    nulls = [writer.null_of(arg) for arg in (left, right)]
    return writer.case(
        [
            (exp.And(this=nulls[0], expression=nulls[1]), False),
            (exp.Or(this=nulls[0].copy(), expression=nulls[1].copy()), True),
        ],
        exp.Not(this=operand(equal)),
    )


#: types whose values an IN list of an engine finds as = does (not -0.0, not numbers kept as text)
_LISTED = {"int2", "int4", "int8", "text", "varchar", "date", "uuid", "bool"}


def scalar_array(writer: Writer, node: ScalarArrayOp) -> exp.Expr:
    """`x op ANY (array)` with an array that is written out."""
    left, array = node.args
    if not isinstance(array, ArrayExpr) and fold(array) is None:
        return arrays.holds(writer, node)
    elements = _elements(writer, node, array)
    if elements is not None:
        elements = [fold(element) or element for element in elements]
        if not elements:
            return evaluation_order.after(writer, left, not node.any)
    if elements is None or (node.function.strict and all(map(is_null_const, elements))):
        return evaluation_order.after(writer, left, None)
    if any(map(may_raise, elements)):
        return arrays.holds(writer, node)
    # What the left side raises, it raises before any element is looked at.
    if any(map(may_raise, _one_by_one(node, Var(left.type, left.typmod), elements).args)):
        return boolean_logic.logic(writer, _one_by_one(node, left, elements), planned=False)
    listed = node.any == (node.operator.name == "=") and node.operator.name in ("=", "<>")
    if (
        listed
        and left.type in _LISTED
        and len(elements) > 1
        and all(element.type == left.type for element in elements)
        and not any(stored_types.is_beyond(writer, one) for one in (left, *elements))
    ):
        found = documents.among(writer, left, elements) or exp.In(
            this=operand(documents.beside(writer, left, elements)),
            expressions=[writer.put(item) for item in elements],
        )
        return found if node.any else exp.Not(this=found)
    tests = [comparison(writer, node, (left, item)) for item in elements]
    return boolean_logic.whole("or" if node.any else "and", tests)


def _one_by_one(node: ScalarArrayOp, left: Node, elements: Sequence[Node]) -> Bool:
    """PostgreSQL looks at the elements in their order, and at no more of them once one decides."""
    each = (
        Op(
            "bool",
            location=node.location,
            operator=node.operator,
            function=node.function,
            args=(left, element),
            input_collation=node.input_collation,
        )
        for element in elements
    )
    return Bool("bool", location=node.location, kind="or" if node.any else "and", args=tuple(each))


def _elements(writer: Writer, node: Node, array: Node) -> Sequence[Node] | None:
    """The elements of an array that is written out; None: the array is NULL."""
    if isinstance(array, ArrayExpr) and not array.multidimensional:
        return array.elements
    constant = array_literals.constant(array)
    if constant is None:
        raise writer.refused(node, "The array must be written out, or a column.")
    if constant.value is None:
        return None
    return array_literals.elements(constant)


#: types whose values, as they are held, the engines order as PostgreSQL does
_ORDERED = {
    "int2", "int4", "int8", "float4", "float8", "numeric", "bool", "text", "varchar", "bytea",
    "date", "time", "timetz", "timestamp", "timestamptz", "uuid", "inet", "cidr", "macaddr",
    "money", "bit", "varbit",
}  # fmt: skip


def min_max(writer: Writer, node: MinMax, put: Callable[[Node], exp.Expr]) -> exp.Expr:
    """GREATEST and LEAST ignore NULL on every engine."""
    if node.type in ("text", "varchar", "bpchar"):
        writer.check_order(node)
    unknown = node.type == "numeric" and numeric_digits.digits(node) is None
    if unknown or node.type not in _ORDERED:
        raise writer.refused(node, "filtersql has no exact form for it yet.")
    if len(node.args) == 1:
        return put(node.args[0])
    name = "GREATEST" if node.greatest else "LEAST"
    return exp.Anonymous(this=name, expressions=[put(arg) for arg in node.args])
