"""IN, BETWEEN and comparisons of rows: what PostgreSQL makes of them.

Example
    ============================ ====================================================
    written                      means
    ============================ ====================================================
    `a IN (1, 7)`                a = ANY (ARRAY[1, 7])
    `a IN (1, b)`                a = 1 OR a = b
    `a BETWEEN SYMMETRIC x AND y` (a >= x AND a <= y) OR (a >= y AND a <= x)
    `(a, b) <> (1, 2)`           a <> 1 OR b <> 2
    `(a, b) < (1, 2)`            one comparison of rows: NULL decides only where it counts
    ============================ ====================================================

PostgreSQL
    parse_expr.c: transformAExprIn(), transformAExprBetween(), make_row_comparison_op().
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from filtersql.errors.filters import Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve.coercion import boolean, common_type, to_common
from filtersql.filters.resolve.collations import merged, of_result
from filtersql.filters.resolve.operators import make, make_distinct, make_scalar_array
from filtersql.filters.resolve.pathways import can_coerce
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    Const,
    Node,
    NullTest,
    Op,
    Row,
    RowCompare,
)
from filtersql.filters.tree.walking import reads_column

__all__ = ["between", "distinct", "in_list", "rows"]


def in_list(scope: Scope, name: str, left: Node, items: Sequence[Node], place: int) -> Node:
    """`left IN (items)`, or NOT IN when the operator is <>."""
    any_of = name != "<>"
    constant = [item for item in items if not reads_column(item)]
    rest: Sequence[Node] = items
    result: Node | None = None
    if len(constant) > 1:
        everything = [left, *constant]
        common = common_type(scope, everything, None)
        if common and not all(can_coerce(item.type, common, "i") for item in everything):
            common = ""
        array = facts().type(common).array if common and common != "record" else ""
        if array:
            elements = tuple(to_common(scope, item, common, "IN") for item in constant)
            state = of_result(array, merged(scope, elements))
            listed = ArrayExpr(array, -1, -1, *state, elements)
            result = make_scalar_array(scope, name, left, listed, place, any_of=any_of)
            rest = [item for item in items if reads_column(item)]
    for item in rest:
        if isinstance(left, Row) and isinstance(item, Row):
            one = rows(scope, name, left.args, item.args, place)
        else:
            one = make(scope, name, (left, item), place)
        one = boolean(scope, one, "IN")
        result = one if result is None else _joined("or" if any_of else "and", (result, one), place)
    assert result is not None
    return result


def _joined(kind: str, args: tuple[Node, ...], place: int) -> Bool:
    return Bool("bool", location=place, kind=kind, args=args)  # type: ignore[arg-type]


def between(
    scope: Scope, kind: str, arg: Node, low: Node, high: Callable[[], Node], place: int
) -> Node:
    """All four kinds of BETWEEN. What is wrong with `arg >= low` is seen before `high` is."""
    negated = "NOT" in kind
    names, joined = (("<", ">"), "or") if negated else ((">=", "<="), "and")
    first = _compared(scope, names[0], arg, low, place)
    upper = high()

    def pair(one: Node, other: Node) -> Node:
        return _joined(joined, (one, _compared(scope, names[1], arg, other, place)), place)

    straight = pair(first, upper)
    if not kind.endswith("_SYM"):
        return straight
    turned = pair(_compared(scope, names[0], arg, upper, place), low)
    return _joined("and" if negated else "or", (straight, turned), place)


def _compared(scope: Scope, name: str, left: Node, right: Node, place: int) -> Node:
    if isinstance(left, Row) and isinstance(right, Row):
        return rows(scope, name, left.args, right.args, place)
    return make(scope, name, (left, right), place)


def rows(scope: Scope, name: str, left: Sequence[Node], right: Sequence[Node], place: int) -> Node:
    """A comparison of two rows of expressions."""
    span = scope.span(place)
    if len(left) != len(right):
        raise Wrong("unequal number of entries in row expressions", span)
    if not left:
        raise Wrong("cannot compare rows of zero length", span)
    pairs = [make(scope, name, pair, place) for pair in zip(left, right, strict=True)]
    for pair in pairs:
        if pair.type != "bool":
            message = f"row comparison operator must yield type boolean, not type {pair.type}"
            raise Wrong(message, span)
    if len(pairs) == 1:
        return pairs[0]
    strategy = _strategy(pairs)
    if strategy is None:
        hint = "Row comparison operators must be associated with btree operator families."
        plain = name.removeprefix("pg_catalog.")
        message = f"could not determine interpretation of row comparison operator {plain}"
        raise Wrong(message, span, hint=hint)
    if strategy in (3, 0):
        return _joined("and" if strategy == 3 else "or", tuple(pairs), place)
    kind = {1: "<", 2: "<=", 4: ">=", 5: ">"}[strategy]
    return RowCompare(
        "bool",
        kind=kind,  # type: ignore[arg-type]
        operators=tuple(pair.operator for pair in pairs),
        functions=tuple(pair.function for pair in pairs),
        collations=tuple(pair.input_collation for pair in pairs),
        left=tuple(pair.args[0] for pair in pairs),
        right=tuple(pair.args[1] for pair in pairs),
    )


def _strategy(pairs: Sequence[Op]) -> int | None:
    """The B-tree strategy that all operators share; 0 stands for <>, the negator of =."""
    common: set[int] | None = None
    for pair in pairs:
        found = {strategy for _, strategy in facts().strategies(pair.operator.oid)}
        negator = pair.operator.negator
        if not found and negator:
            found = {0 for _, strategy in facts().strategies(negator) if strategy == 3}
        common = found if common is None else common & found
    return min(common) if common else None


def distinct(scope: Scope, left: Node, right: Node, place: int, *, negated: bool) -> Node:
    """`left IS [NOT] DISTINCT FROM right`; of NULL it asks whether the other is NULL."""
    result: Node
    for null, other in ((right, left), (left, right)):
        if isinstance(null, Const) and null.type == "unknown" and null.value is None:
            return NullTest("bool", -1, place, arg=other, is_null=negated, by_value=False)
    if isinstance(left, Row) and isinstance(right, Row):
        result = _rows_distinct(scope, left.args, right.args, place)
    else:
        result = make_distinct(scope, (left, right), place)
    return _joined("not", (result,), place) if negated else result


def _rows_distinct(scope: Scope, left: Sequence[Node], right: Sequence[Node], place: int) -> Node:
    """`(a, b) IS DISTINCT FROM (c, d)`."""
    if len(left) != len(right):
        raise Wrong("unequal number of entries in row expressions", scope.span(place))
    both = zip(left, right, strict=True)
    pairs: list[Node] = [make_distinct(scope, pair, place) for pair in both]
    if not pairs:
        return Const("bool", value=False, location=place)
    # make_row_distinct_op() joins two at a time, and so the stored text shows it.
    return reduce(lambda known, pair: _joined("or", (known, pair), place), pairs)
