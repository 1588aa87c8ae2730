"""exp, ln, power, sin and their like: compared where the engines' last digits cannot decide.

Example
    `ln(f8) > 0` is written with the engine's own LN. Its result and PostgreSQL's are each less than
    one unit in the last place from the true one, so a comparison is the same unless both sides are
    as near as that: such a row raises, and so do the values outside the function's domain.
    `1 / (1 + exp(-f8)) > 0.5` carries along how far each value may be off (`approximate_pairs`).

    Where the true result is a double (`power(2, 3)`, `exp(0)`, `ln(1)`) every library gives it.

PostgreSQL
    float.c: dexp(), dlog1(), dlog10(), dpow(), dcbrt(), dsin(), …
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters import approximate_pairs
from filtersql.filters.approximate_numbers import NEAR, bound, is_rounded
from filtersql.filters.approximate_pairs import is_approximate, whole
from filtersql.filters.approximate_rules import INF, rule_of
from filtersql.filters.facts import SYMBOLS, Function
from filtersql.filters.nodes import Func, Node, Op

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = [
    "call",
    "compare",
    "is_approximate",
    "is_number_without_form",
    "null_of",
    "of_pairs",
    "whole",
]


_COMPARED = {
    f"float{kind}{name}": symbol for name, symbol in SYMBOLS.items() for kind in ("8", "48", "84")
}
_WHOLE = {"int2", "int4", "int8"}


def call(writer: Writer, function: Function, args: Sequence[Node]) -> exp.Expr | None:
    """A comparison of such doubles, or a cast of one to an integer; None for all else."""
    if not any(map(is_approximate, args)):
        return None
    if function.name in _COMPARED:
        return compare(writer, _COMPARED[function.name], args)
    return whole(writer, args[0], str(function)) if function.name in _WHOLE else None


def compare(writer: Writer, symbol: str, pair: Sequence[Node]) -> exp.Expr:
    """`function(…) symbol number`, or the other way round."""
    place = 0 if is_approximate(pair[0]) else 1
    node, other = pair[place], pair[1 - place]
    alone = rule_of(node) is not None and not is_approximate(other)
    if not alone or any(map(is_approximate, getattr(node, "args", ()))):
        return of_pairs(writer, symbol, pair)
    rule = rule_of(node)
    assert rule is not None
    assert isinstance(node, (Func, Op))
    args = [writer.put(arg) for arg in node.args]
    result = writer.filled(rule.of(writer.engine), *args)
    places = [args[0], args[-1].copy(), result]
    sides = [result.copy(), writer.put(other)]
    test = writer.filled(f"_1 {symbol} _2", *(sides if place == 0 else sides[::-1]))
    # the other side first: beside a NULL it may raise
    nulls = [writer.null_of(other), *map(writer.null_of, node.args)]
    missing = exp.or_(*nulls, copy=False)
    outside = writer.filled(rule.raises, *(part.copy() for part in places))
    exact = writer.filled(rule.exact, *(part.copy() for part in places))
    near = writer.filled(
        f"ABS(_1 - _2) <= {NEAR} * GREATEST(ABS(_1), ABS(_2)) AND ABS(_1) <> {INF} "
        f"AND ABS(_2) <> {INF} AND _1 <> 0 AND NOT ISNAN(_1) AND NOT ISNAN(_2)",
        *(side.copy() for side in sides),
    )
    return writer.case(
        [
            (outside, _raised(writer, "input or result of a function is out of range")),
            (missing, writer.null()),
            (exact, test),
            (near, _raised(writer, approximate_pairs.DIGITS)),
        ],
        test.copy(),
    )


def of_pairs(writer: Writer, symbol: str, sides: Sequence[Node]) -> exp.Expr:
    """A comparison of values that are each off by little; raises where that would decide."""
    names = ("side1", "side2")
    values = [
        (name, approximate_pairs.pair(writer, side, f"_{name}_"))
        for name, side in zip(names, sides, strict=True)
    ]

    shown = [writer.piece(".pair_value", exp.column(name)) for name in names]
    test = writer.filled(f"_1 {symbol} _2", *shown)
    near = approximate_pairs.doubtful(writer, *names)
    decided = _raised(writer, approximate_pairs.DIGITS)
    return bound(writer, values, writer.case([(near, decided)], test))


def null_of(writer: Writer, node: Node) -> exp.Expr:
    """Whether such a value is NULL."""
    value = writer.piece(".pair_value", approximate_pairs.pair(writer, node, "_null_"))
    return writer.is_null(value)


def is_number_without_form(writer: Writer, node: Node) -> bool:
    """Whether a numeric can be compared, but has no DECIMAL by itself."""
    if node.type != "numeric" or not is_rounded(node):
        return False
    try:
        writer.put(node)
    except NotTranslated:
        return True
    return False


def _raised(writer: Writer, problem: str) -> exp.Expr:
    return writer.cast(writer.piece(".raise", writer.text(problem)), "BOOLEAN")
