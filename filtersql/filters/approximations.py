"""exp, ln, power, sin and their like: compared where the engines' last digits cannot decide.

Example
    `ln(f8) > 0` is written with the engine's own LN. Its result and PostgreSQL's are each less than
    one unit in the last place from the true one, so a comparison is the same unless both sides are
    as near as that: such a row raises, and so do the values outside the function's domain.

    Where the true result is a double (`power(2, 3)`, `exp(0)`, `ln(1)`) every library gives it.

PostgreSQL
    float.c: dexp(), dlog1(), dlog10(), dpow(), dcbrt(), dsin(), …
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sqlglot import exp

from filtersql.filters.nodes import Func, Node, Op

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["compare", "is_approximate"]

_INF = "CAST('Infinity' AS DOUBLE)"
_FINITE = f"ABS(_1) <> {_INF}"
#: much more than the few units by which two libraries can differ
_NEAR = "CAST('1e-14' AS DOUBLE)"


class _Rule(NamedTuple):
    """The engine's function, what PostgreSQL refuses, and where the result is exact (`_3`)."""

    call: str
    raises: str
    exact: str = "FALSE"


_OUT = f"ABS(_1) = {_INF}"
#: exp, cos and cosh of it are 1
_TINY = "ABS(_1) < CAST('1e-30' AS DOUBLE)"
_CUBE = "_3 * _3 * _3 = _1 AND ABS(_3) < 200000"
_TENS = "_1 IN (" + ", ".join(f"CAST('1e{power}' AS DOUBLE)" for power in range(16)) + ")"
_WHOLE = "_1 % 1 = 0 AND _2 % 1 = 0 AND _2 >= 0 AND ABS(_3) <= 9007199254740992"
_POWER = _Rule(
    "POWER(_1, _2)",
    "(_1 = 0 AND _2 < 0) OR (_1 < 0 AND _2 % 1 <> 0) OR "
    f"(ABS(POWER(_1, _2)) = {_INF} AND {_FINITE} AND ABS(_2) <> {_INF} AND NOT ISNAN(_1)) OR "
    f"(POWER(_1, _2) = 0 AND _1 <> 0 AND {_FINITE} AND ABS(_2) <> {_INF})",
    f"_1 = 1 OR _2 = 0 OR _2 = 1 OR ({_WHOLE})",
)
_EXP = _Rule("EXP(_1)", f"(EXP(_1) = {_INF} AND {_FINITE}) OR (EXP(_1) = 0 AND {_FINITE})", _TINY)
_LN = _Rule("LN(_1)", "_1 <= 0", "_1 = 1")
_LOG10 = _Rule("LOG10(_1)", "_1 <= 0", _TENS)
_CBRT = _Rule("CBRT(_1)", "FALSE", _CUBE)
_RULES = {
    **dict.fromkeys(("dpow", "power(float8,float8)", "pow(float8,float8)"), _POWER),
    **dict.fromkeys(("dexp", "exp(float8)"), _EXP),
    **dict.fromkeys(("dlog1", "ln(float8)"), _LN),
    **dict.fromkeys(("dlog10", "log(float8)", "log10(float8)"), _LOG10),
    **dict.fromkeys(("dcbrt", "cbrt(float8)"), _CBRT),
    "sin(float8)": _Rule("SIN(_1)", _OUT, "_1 = 0"),
    "cos(float8)": _Rule("COS(_1)", _OUT, _TINY),
    "tan(float8)": _Rule("TAN(_1)", _OUT, "_1 = 0"),
    "asin(float8)": _Rule("ASIN(_1)", "ABS(_1) > 1 AND NOT ISNAN(_1)", "_1 = 0"),
    "acos(float8)": _Rule("ACOS(_1)", "ABS(_1) > 1 AND NOT ISNAN(_1)", "_1 = 1"),
    "atan(float8)": _Rule("ATAN(_1)", "FALSE", "_1 = 0"),
    "sinh(float8)": _Rule("SINH(_1)", "FALSE", "_1 = 0"),
    "cosh(float8)": _Rule("COSH(_1)", "FALSE", _TINY),
    "tanh(float8)": _Rule("TANH(_1)", "FALSE", f"_1 = 0 OR ABS(_1) = {_INF}"),
}


def is_approximate(node: Node) -> bool:
    """Whether a node is such a function of doubles."""
    return _rule(node) is not None


def _rule(node: Node) -> _Rule | None:
    if not isinstance(node, (Func, Op)):
        return None
    return _RULES.get(str(node.function)) or _RULES.get(node.function.name)


def compare(writer: Writer, symbol: str, pair: Sequence[Node]) -> exp.Expr:
    """`function(…) symbol number`, or the other way round."""
    place = 0 if is_approximate(pair[0]) else 1
    node, other = pair[place], pair[1 - place]
    rule = _rule(node)
    assert rule is not None
    assert isinstance(node, (Func, Op))
    if is_approximate(other):
        raise writer.refused(other, "Only one side of a comparison may be rounded.")
    args = [writer.put(arg) for arg in node.args]
    result = writer.filled(rule.call, *args)
    places = [args[0], args[-1].copy(), result]
    sides = [result.copy(), writer.put(other)]
    test = writer.filled(f"_1 {symbol} _2", *(sides if place == 0 else sides[::-1]))
    # the other side first: beside a NULL it may raise
    nulls = [writer.null_of(other), *map(writer.null_of, node.args)]
    missing = exp.or_(*nulls, copy=False)
    outside = writer.filled(rule.raises, *(part.copy() for part in places))
    exact = writer.filled(rule.exact, *(part.copy() for part in places))
    near = writer.filled(
        f"ABS(_1 - _2) <= {_NEAR} * GREATEST(ABS(_1), ABS(_2)) AND ABS(_1) <> {_INF} "
        f"AND ABS(_2) <> {_INF} AND _1 <> 0 AND NOT ISNAN(_1) AND NOT ISNAN(_2)",
        *(side.copy() for side in sides),
    )
    return writer.case(
        [
            (outside, _raised(writer, "input or result of a function is out of range")),
            (missing, writer.null()),
            (exact, test),
            (near, _raised(writer, "the last digits of a function would decide")),
        ],
        test.copy(),
    )


def _raised(writer: Writer, problem: str) -> exp.Expr:
    return writer.cast(writer.piece(".raise", writer.text(problem)), "BOOLEAN")
