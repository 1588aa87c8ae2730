"""Functions of doubles whose last digits depend on the library: how each engine has them.

Example
    `ln` is the engine's LN; it raises for what is not positive, ln(1) is exactly 0, and where its
    argument is off by a little, the result is off by that over the argument (its slope).

    In the texts `_1` and `_2` are the arguments, `_3` the result, `_4` and `_5` by how much the
    arguments may be off.

PostgreSQL
    float.c: dexp(), dlog1(), dpow(), dcbrt(), dsin(), dsind(), datan2(), dasinh(), …
"""

from __future__ import annotations

import math
from typing import NamedTuple

from filtersql.filters.engines.binding import VALUE
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, Op
from filtersql.storage import Engine

__all__ = ["INF", "Rule", "rule_of"]

INF = "CAST('Infinity' AS DOUBLE)"
_FINITE = f"ABS(_1) <> {INF}"


class Rule(NamedTuple):
    """The engine's function, what PostgreSQL refuses, and where the result is exact (`_3`).

    `slope` is by how much the result may grow with the argument, `doubt` where a little more or
    less of the argument would decide whether it raises, or the slope is not the same around it.
    """

    call: str
    raises: str
    exact: str = "FALSE"
    slope: str = "1"
    doubt: str = "FALSE"
    spark: str = ""

    def of(self, engine: Engine) -> str:
        """The text of an engine."""
        return self.spark if engine == "spark" and self.spark else self.call


_OUT = f"ABS(_1) = {INF}"
_BEYOND = "ABS(_1) > 1 AND NOT ISNAN(_1)"
_AT_END = "ABS(_1) + 100 * _4 > 1"
#: exp, cos and cosh of it are 1
_TINY = "ABS(_1) < CAST('1e-30' AS DOUBLE)"
#: glibc gave 3.0000000000000004 for 27 until 2.40; of these all libraries agree
_CUBE = "ABS(_1) IN (0, 1, 8, 64, 125, 343, 512, 1000, 1000000)"
_TENS = "_1 IN (" + ", ".join(f"CAST('1e{power}' AS DOUBLE)" for power in range(16)) + ")"
_WHOLE = "_1 % 1 = 0 AND _2 % 1 = 0 AND _2 >= 0 AND ABS(POWER(_1, _2)) <= 9007199254740992"
#: of at most 10 binary places: Java promises exact powers of whole numbers alone
_BINARY = _WHOLE.replace("_1", "_1 * 1024")
#: a square root of few digits
_ROOT_OF = "SQRT(ABS(_1))"
_SQUARE = f"_2 = 0.5 AND _1 >= 0 AND {_ROOT_OF} * 1024 % 1 = 0 AND {_ROOT_OF} <= 65536"
#: so small an order that 1 is the nearest double
_NO_ORDER = f"ABS(_2) < CAST('1e-20' AS DOUBLE) AND _1 > 0 AND _1 < {INF}"
_EXACT_POWER = (
    f"WHEN {_BINARY} THEN POWER(_1 * 1024, _2) / POWER(CAST('1024' AS DOUBLE), _2) "
    f"WHEN {_SQUARE} THEN {_ROOT_OF} WHEN {_NO_ORDER} THEN CAST('1' AS DOUBLE) "
    "ELSE POWER(_1, _2) END"
)
_LITTLE = "_4 > CAST('0.01' AS DOUBLE)"
_POWER = Rule(
    f"CASE {_EXACT_POWER}",
    f"(_1 = 0 AND _2 < 0) OR (_1 < 0 AND ABS(_2) < {INF} AND _2 % 1 <> 0) OR "
    f"(ABS(POWER(_1, _2)) = {INF} AND {_FINITE} AND ABS(_2) <> {INF} AND NOT ISNAN(_1)) OR "
    f"(POWER(_1, _2) = 0 AND _1 <> 0 AND {_FINITE} AND ABS(_2) <> {INF})",
    f"_1 = 0 OR ABS(_1) = 1 OR _2 = 0 OR _2 = 1 OR ({_WHOLE}) OR ({_BINARY}) OR "
    f"({_SQUARE}) OR ({_NO_ORDER})",
    # Java has NaN for 1 with NaN, and for 1 and -1 with an infinity; with NULL it stays NULL.
    spark="CASE WHEN (_1 = 1 AND NOT _2 IS NULL) OR "
    f"(_1 = -1 AND ABS(_2) = {INF}) THEN CAST('1' AS DOUBLE) {_EXACT_POWER}",
)
#: of a finite constant order
_PLAIN_POWER = _POWER._replace(spark="")
_EXP = Rule(
    "EXP(_1)",
    f"(EXP(_1) = {INF} AND {_FINITE}) OR (EXP(_1) = 0 AND {_FINITE})",
    f"{_TINY} OR ABS(_1) = {INF}",
    "_3",
    _LITTLE,
)
_LN = Rule("LN(_1)", "_1 <= 0", "_1 = 1", "1 / _1", "_1 <= 100 * _4")
_LOG10 = Rule("LOG10(_1)", "_1 <= 0", _TENS, "1 / _1", "_1 <= 100 * _4")
_CBRT = Rule("CBRT(_1)", "FALSE", _CUBE, "ABS(_3 / _1)", "ABS(_1) <= 100 * _4")
_STEEP = "1 + _3 * _3", "_4 * (1 + ABS(_3)) > CAST('0.01' AS DOUBLE)"
_ARC = "1 / SQRT(1 - _1 * _1)"
_ROOT = Rule("SQRT(_1)", "_1 < 0", "TRUE", "1 / SQRT(_1)", "_1 <= 100 * _4")
_PI = "CAST('3.141592653589793' AS DOUBLE)"
#: Spark's ATAN2 takes -0 for 0
_ATAN2_OF_ZERO = (
    "CASE WHEN _1 = 0 AND (_2 < 0 OR CAST(_2 AS TEXT) LIKE '-%') THEN "
    f"CASE WHEN CAST(_1 AS TEXT) LIKE '-%' THEN -{_PI} ELSE {_PI} END ELSE ATAN2(_1, _2) END"
)
_ATAN2 = Rule(
    "ATAN2(_1, _2)",
    "FALSE",
    "_1 = 0 AND _2 > 0",
    "1 / GREATEST(ABS(_1), ABS(_2))",
    "GREATEST(ABS(_1), ABS(_2)) <= 100 * (_4 + _5) OR (_2 <= _5 AND ABS(_1) <= _4)",
    _ATAN2_OF_ZERO,
)

#: Java's logarithms of these lose digits near 0
_BIG = "CAST('1e8' AS DOUBLE)"
_TWO = "CAST('0.6931471805599453' AS DOUBLE)"
_ASINH = (
    f"CASE WHEN ABS(_1) > {_BIG} THEN SIGN(_1) * (LN(ABS(_1)) + {_TWO}) ELSE SIGN(_1) * "
    "LOG1P(ABS(_1) + _1 * _1 / (1 + SQRT(1 + _1 * _1))) END"
)
_ACOSH = (
    f"CASE WHEN _1 > {_BIG} THEN LN(_1) + {_TWO} ELSE "
    "LOG1P(_1 - 1 + SQRT(2 * (_1 - 1) + (_1 - 1) * (_1 - 1))) END"
)

# -- degrees: brought into the first quarter, where 30, 45, 60 and 90 have exact values -----------
_TURN = "ABS(_1) % 360"
_HALF = f"CASE WHEN {_TURN} > 180 THEN 360 - {_TURN} ELSE {_TURN} END"
_QUARTER = f"CASE WHEN {_HALF} > 90 THEN 180 - {_HALF} ELSE {_HALF} END"
#: the text tells -0 from 0
_SIDE = f"CASE WHEN (CAST(_1 AS TEXT) LIKE '-%') <> ({_TURN} > 180) THEN -1 ELSE 1 END"
_OBTUSE = f"CASE WHEN {_HALF} > 90 THEN -1 ELSE 1 END"
_DEGREE = "CAST('0.017453292519943295' AS DOUBLE)"
_DEGREES = "CAST('57.29577951308232' AS DOUBLE)"
_SIN = (
    "CASE WHEN {0} = 30 THEN CAST('0.5' AS DOUBLE) WHEN {0} = 90 THEN CAST('1' AS DOUBLE) "
    f"ELSE SIN({{0}} * {_DEGREE}) END"
)
_SIN_Q, _COS_Q = _SIN.format("quarter"), _SIN.format("(90 - quarter)")


def _ratio(top: str, bottom: str) -> str:
    return (
        f"CASE WHEN quarter = 45 THEN CAST('1' AS DOUBLE) WHEN {bottom} = 0 THEN {INF} "
        f"ELSE {top} / {bottom} END"
    )


def _in_quarter(sign: str, body: str, exact: str, slope: str = "1") -> Rule:
    def text(engine: Engine) -> str:
        bound = VALUE[engine].format("quarter").replace("_2", body).replace("_1", _QUARTER)
        return f"{sign} * {bound}"

    at = f"{_QUARTER} IN ({exact})"
    return Rule(text("duckdb"), _OUT, at, slope, _LITTLE, text("spark"))


def _arc_degrees(call: str, raises: str, whole: dict[str, str]) -> Rule:
    """An angle in degrees, exact where its sine, cosine or tangent is one of few numbers."""
    whens = " ".join(
        f"WHEN _1 = CAST('{value}' AS DOUBLE) THEN CAST('{angle}' AS DOUBLE)"
        for value, angle in whole.items()
    )
    listed = ", ".join(f"CAST('{value}' AS DOUBLE)" for value in whole)
    exact = f"_1 IN ({listed})"
    rest = _TURNED_BY.get(call, ("1", "FALSE"))
    return Rule(
        f"CASE {whens} ELSE {call} * {_DEGREES} END", raises, exact, f"60 * {rest[0]}", rest[1]
    )


_TURNED_BY = {"ASIN(_1)": (_ARC, _AT_END), "ACOS(_1)": (_ARC, _AT_END)}
_RULES = {
    **dict.fromkeys(("dpow", "power(float8,float8)", "pow(float8,float8)"), _POWER),
    **dict.fromkeys(("dexp", "exp(float8)"), _EXP),
    **dict.fromkeys(("dlog1", "ln(float8)"), _LN),
    **dict.fromkeys(("dlog10", "log(float8)", "log10(float8)"), _LOG10),
    **dict.fromkeys(("dcbrt", "cbrt(float8)"), _CBRT),
    "sin(float8)": Rule("SIN(_1)", _OUT, "_1 = 0"),
    "cos(float8)": Rule("COS(_1)", _OUT, _TINY),
    "tan(float8)": Rule("TAN(_1)", _OUT, "_1 = 0", *_STEEP),
    "cot(float8)": Rule(
        "CASE WHEN _1 <> 0 THEN 1 / TAN(_1) WHEN CAST(_1 AS TEXT) LIKE '-%' THEN "
        f"-{INF} ELSE {INF} * (1 + _1) END",
        _OUT, "FALSE", *_STEEP,
    ),
    "asin(float8)": Rule("ASIN(_1)", _BEYOND, "_1 = 0", _ARC, _AT_END),
    "acos(float8)": Rule("ACOS(_1)", _BEYOND, "_1 = 1", _ARC, _AT_END),
    "atan(float8)": Rule("ATAN(_1)", "FALSE", "_1 = 0"),
    "atan2(float8,float8)": _ATAN2,
    "sinh(float8)": Rule("SINH(_1)", "FALSE", "_1 = 0", "1 + ABS(_3)", _LITTLE),
    "cosh(float8)": Rule("COSH(_1)", "FALSE", _TINY, "1 + ABS(_3)", _LITTLE),
    "tanh(float8)": Rule("TANH(_1)", "FALSE", "_1 = 0 OR ABS(_1) > 22"),
    "asinh(float8)": Rule("ASINH(_1)", "FALSE", "_1 = 0", spark=_ASINH),
    "acosh(float8)": Rule(
        "ACOSH(_1)", "_1 < 1", "_1 = 1", "1 / SQRT((_1 - 1) * (_1 + 1))", "_1 - 100 * _4 < 1",
        spark=_ACOSH,
    ),
    "atanh(float8)": Rule(
        f"CASE WHEN ABS(_1) = 1 THEN _1 * {INF} ELSE ATANH(_1) END", _BEYOND, "_1 = 0",
        "1 / (1 - _1 * _1)", _AT_END,
    ),
    "sind(float8)": _in_quarter(_SIDE, _SIN_Q, "0, 30, 90"),
    "cosd(float8)": _in_quarter(_OBTUSE, _COS_Q, "0, 60, 90"),
    "tand(float8)": _in_quarter(
        f"{_SIDE} * {_OBTUSE}", _ratio(_SIN_Q, _COS_Q), "0, 45, 90", _STEEP[0]
    ),
    "cotd(float8)": _in_quarter(
        f"{_SIDE} * {_OBTUSE}", _ratio(_COS_Q, _SIN_Q), "0, 45, 90", _STEEP[0]
    ),
    "asind(float8)": _arc_degrees(
        "ASIN(_1)", _BEYOND, {"0": "0", "0.5": "30", "-0.5": "-30", "1": "90", "-1": "-90"}
    ),
    "acosd(float8)": _arc_degrees(
        "ACOS(_1)", _BEYOND, {"0": "90", "0.5": "60", "-0.5": "120", "1": "0", "-1": "180"}
    ),
    "atand(float8)": _arc_degrees(
        "ATAN(_1)", "FALSE",
        {"0": "0", "1": "45", "-1": "-45", "Infinity": "90", "-Infinity": "-90"},
    ),
}  # fmt: skip
#: exact by themselves, where their argument is
_STEADY = dict.fromkeys(("dsqrt", "sqrt(float8)"), _ROOT)


def rule_of(node: Node | str, *, rounded: bool = False) -> Rule | None:
    """The rule of a function; `rounded`: also of one that is exact for an exact argument."""
    if isinstance(node, str):
        return _RULES.get(node) or _STEADY.get(node)
    if not isinstance(node, (Func, Op)):
        return None
    for name in (str(node.function), node.function.name):
        found = _RULES.get(name) or (_STEADY.get(name) if rounded else None)
        if found is not None:
            return _PLAIN_POWER if found is _POWER and _is_finite(node.args[1]) else found
    return None


def _is_finite(node: Node) -> bool:
    known = fold(node)
    return known is not None and known.value is not None and math.isfinite(float(str(known.value)))
