"""What is computed from approximate values: a value, and by how much PostgreSQL's may be another.

Example
    ============================ ==========================================================
    node                         its pair
    ============================ ==========================================================
    `f8`                         f8, 0
    `exp(f8)`                    EXP(f8), its last digits; 1 and 0 where f8 is 0
    `1 + exp(f8)`                the sum, the same and the sum's own last digits
    `ln(1 + exp(f8))`            LN of the value; the error over the value, and LN's last digits
    `floor(ln(f8))`              exact, but where the error reaches over a step
    ============================ ==========================================================

    Both engines hold a pair as an array of two doubles, which is the value of a variable where a
    text reads it several times. Where an error would decide whether PostgreSQL raises, the row
    raises; the comparison that reads the last pair raises where the error decides.

PostgreSQL
    float.c, float8_pl() and its like: overflow, underflow and division by zero raise.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters.approximate_numbers import (
    EIGHTH,
    NEAR,
    SUMS,
    bound,
    exactly,
    is_rounded,
    is_undeclared,
    leaf,
    rule_of_numbers,
)
from filtersql.filters.approximate_rules import INF, rule_of
from filtersql.filters.choices import conditional
from filtersql.filters.nodes import Case, Coalesce, Func, MinMax, Node, NullIf, Op, Relabel

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["DIGITS", "doubtful", "is_approximate", "pair", "parts", "whole"]

_LEAST = "CAST('1e-320' AS DOUBLE)"
_MOST = "CAST('1.79e308' AS DOUBLE)"
_KINDS = ("8", "48", "84")
_SUMS = {
    **{f"float{kind}pl": "+" for kind in _KINDS},
    **{f"float{kind}mi": "-" for kind in _KINDS},
    **SUMS,
}
_PRODUCTS = {*(f"float{kind}mul" for kind in _KINDS), "numeric_mul"}
_QUOTIENTS = {*(f"float{kind}div" for kind in _KINDS), "numeric_div"}
_UNARY = {
    **dict.fromkeys(("float8um", "numeric_uminus"), "-_1"),
    **dict.fromkeys(("float8up", "numeric_uplus", "trim_scale"), "_1"),
    **dict.fromkeys(("float8abs", "abs(float8)", "numeric_abs", "abs(numeric)"), "ABS(_1)"),
}
_SCALED = {"degrees(float8)", "radians(float8)"}
#: names of functions whose steps are one wide
_STEPS = {
    **dict.fromkeys(("dround", "round(float8)"), "round(float8)"),
    **dict.fromkeys(("dtrunc", "trunc(float8)"), "trunc(float8)"),
    **{
        f"{name}({kind})": f"{name}(float8)"
        for name in ("ceil", "ceiling", "floor", "sign")
        for kind in ("float8", "numeric")
    },
    "trunc(numeric)": "trunc(float8)",
}
_ARITHMETIC = {*_SUMS, *_PRODUCTS, *_QUOTIENTS, *_UNARY, *_SCALED, *_STEPS}
_TO_DOUBLE, _FROM_DOUBLE = "float8(numeric)", "numeric(float8)"
DIGITS = "the last digits of a function would decide"
_RANGE = "input or result of a function is out of range"


def _names(node: Func | Op) -> tuple[str, str]:
    return str(node.function), node.function.name


def is_approximate(node: Node) -> bool:
    """Whether a double is computed from what libraries round in their own way."""
    match node:
        case Relabel():
            return is_approximate(node.arg)
        case Case():
            return any(map(is_approximate, (*(result for _, result in node.whens), node.default)))
        case Coalesce() | MinMax():
            return any(map(is_approximate, node.args))
    if not isinstance(node, (Func, Op)) or isinstance(node, NullIf) or node.type != "float8":
        return False
    if rule_of(node) is not None:
        return True
    if str(node.function) == _TO_DOUBLE:
        return is_rounded(node.args[0])
    known = rule_of(node, rounded=True) or not _ARITHMETIC.isdisjoint(_names(node))
    return bool(known) and any(map(is_approximate, node.args))


def pair(writer: Writer, node: Node, depth: str = "") -> exp.Expr:
    """The pair of a node; `depth` keeps the names of variables apart."""
    if node.type == "numeric":
        return _of_number(writer, node, depth)
    if not is_approximate(node):
        return exactly(writer, writer.cast(writer.put(node), "DOUBLE"))
    match node:
        case Relabel():
            return pair(writer, node.arg, depth)
        case Case():
            return conditional(writer, node, lambda item: pair(writer, item, depth))
        case Coalesce() | MinMax():
            return _chosen(writer, node, depth)
    assert isinstance(node, (Func, Op))
    if str(node.function) == _TO_DOUBLE:
        return pair(writer, node.args[0], depth)
    return _of_call(writer, node, depth)


def _of_number(writer: Writer, node: Node, depth: str) -> exp.Expr:
    """The pair of a numeric: by itself where it has a form, else of what it is computed from."""
    while isinstance(node, Relabel):
        node = node.arg
    if isinstance(node, Case) and is_rounded(node):
        return conditional(writer, node, lambda item: pair(writer, item, depth))
    if isinstance(node, (Coalesce, MinMax)) and is_rounded(node):
        return _chosen(writer, node, depth)
    if not isinstance(node, (Func, Op)) or isinstance(node, NullIf):
        return leaf(writer, node)
    computed = not _ARITHMETIC.isdisjoint(_names(node)) or rule_of_numbers(node) is not None
    if str(node.function) == _FROM_DOUBLE or (computed and is_undeclared(node)):
        return _of_call(writer, node, depth)
    if not computed:
        return leaf(writer, node)
    with suppress(NotTranslated):
        return leaf(writer, node)
    return _of_call(writer, node, depth)


def parts(writer: Writer, name: str) -> list[exp.Expr]:
    """Value and error of the pair that a variable holds."""
    return [writer.piece(f".pair_{part}", exp.column(name)) for part in ("value", "error")]


def _raised(writer: Writer, problem: str) -> exp.Expr:
    return writer.cast(writer.piece(".raise", writer.text(problem)), "DOUBLE")


def _of_call(writer: Writer, node: Func | Op, depth: str) -> exp.Expr:
    names = [f"pair{depth}{place}" for place in range(len(node.args))]
    inner = [
        (name, pair(writer, arg, f"{depth}{place}_"))
        for place, (name, arg) in enumerate(zip(names, node.args, strict=True))
    ]

    args = [parts(writer, name) for name in names]
    places = [args[0][0], args[-1][0], exp.column(f"result{depth}"), args[0][1], args[-1][1]]
    texts = _texts(writer, node, len(args))
    value = (f"result{depth}", _filled(writer, texts[0], places))
    return bound(writer, [*inner, value], _checked(writer, texts[1:], places))


def _filled(writer: Writer, text: str, places: list[exp.Expr]) -> exp.Expr:
    return writer.filled(text, *(place.copy() for place in places))


def _checked(writer: Writer, texts: tuple[str, ...], places: list[exp.Expr]) -> exp.Expr:
    """The pair of the result; raises where it is out of range, or may be."""
    outside, doubt, error = (_filled(writer, text, places) for text in texts)
    value = writer.case(
        [(outside, _raised(writer, _RANGE)), (doubt, _raised(writer, DIGITS))], places[2].copy()
    )
    return writer.piece(".pair", value, error)


def _texts(writer: Writer, node: Func | Op, count: int) -> tuple[str, str, str, str]:
    """The value, what raises, where it is in doubt whether it raises, and the error."""
    off = "_4 > 0" if count == 1 else "(_4 > 0 OR _5 > 0)"
    name = node.function.name
    of_numbers = node.type == "numeric"
    rule = rule_of_numbers(node) if of_numbers else rule_of(node, rounded=True)
    last = f"{NEAR} * ABS(_3) + {_LEAST}"
    odd = f"ISNAN(_3) OR ABS(_3) = {INF}"
    if rule is not None:
        grown = f"2 * ({rule.slope}) * _4" if count == 1 else _grown(name)
        exact = f"NOT {off} AND ({rule.exact})"
        doubt = f"({rule.doubt})" if count == 1 else f"({_doubt_of_two(name, rule.doubt)})"
        error = (
            f"CASE WHEN {exact} OR {odd} THEN CAST('0' AS DOUBLE) WHEN {off} THEN {last} + {grown} "
            f"ELSE {last} END"
        )
        high = f"ABS(_3) > {_MOST} AND ABS(_3) <> {INF}"
        return rule.of(writer.engine), rule.raises, f"{off} AND ({doubt} OR {high})", error
    if str(node.function) == _FROM_DOUBLE:
        few = f"ABS(_1) < CAST('1e12' AS DOUBLE) AND _1 % {EIGHTH} = 0"
        error = (
            f"CASE WHEN ({few} AND _4 = 0) OR {odd} THEN CAST('0' AS DOUBLE) ELSE {last} + _4 END"
        )
        return "_1", "FALSE", "FALSE", error
    for one in _names(node):
        if one in _UNARY:
            return _UNARY[one], "FALSE", "FALSE", "_4"
        if one in _STEPS:
            return _step(writer, _STEPS[one])
        if one in _SCALED:
            text = writer.rows[one]
            return text, "FALSE", "FALSE", f"_4 * 60 + CASE WHEN _4 > 0 THEN {last} ELSE 0 END"
    infinite = f"(ABS(_1) = {INF} OR ABS(_2) = {INF} OR ISNAN(_1) OR ISNAN(_2))"
    high = f"ABS(_3) > {_MOST} AND NOT {infinite}"
    zero = "(_1 = 0 AND _4 = 0) OR (_2 = 0 AND _5 = 0)"
    exact = _plain(name) if of_numbers else "TRUE"
    none = (
        f"CASE WHEN (NOT {off} AND {exact}) OR {infinite} THEN CAST('0' AS DOUBLE) ELSE {last} + "
    )
    times = none.replace(" THEN", f" OR {zero} THEN", 1)
    if name in _SUMS:
        value = f"_1 {_SUMS[name]} _2"
        over = f"ABS(_3) = {INF} AND NOT {infinite}"
        return value, over, f"{off} AND {high}", f"{none}_4 + _5 END"
    small = f"ABS(_3) < CAST('1e-300' AS DOUBLE) AND NOT {infinite}"
    if name in _PRODUCTS:
        outside = f"NOT {infinite} AND (ABS(_3) = {INF} OR (_3 = 0 AND _1 <> 0 AND _2 <> 0))"
        undecided = "(_4 > 0 AND ABS(_1) <= _4) OR (_5 > 0 AND ABS(_2) <= _5)"
        doubt = f"{off} AND ({high} OR ({small} AND _3 <> 0) OR ({infinite} AND ({undecided})))"
        return "_1 * _2", outside, doubt, f"{times}ABS(_1) * _5 + ABS(_2) * _4 + _4 * _5 END"
    outside = (
        f"(_2 = 0 AND NOT _1 IS NULL AND NOT ISNAN(_1)) OR (ABS(_3) = {INF} AND NOT {infinite}) OR "
        f"(_3 = 0 AND _1 <> 0 AND NOT {infinite})"
    )
    doubt = (
        f"{off} AND ({high} OR ({small} AND _3 <> 0) OR ABS(_2) <= 100 * _5 OR "
        f"({infinite} AND _4 > 0 AND ABS(_1) <= _4))"
    )
    value = "CASE WHEN _2 <> 0 THEN _1 / _2 WHEN _2 = 0 THEN _1 * CAST('NaN' AS DOUBLE) END"
    return value, outside, doubt, f"{times}2 * (_4 + ABS(_3) * _5) / ABS(_2) END"


def _plain(name: str) -> str:
    """Where doubles of eighths make a number that is exact for numerics too."""
    if name in _QUOTIENTS:
        return f"ABS(_3) < 4294967296 AND _3 % {EIGHTH} = 0 AND ABS(_1) < 1099511627776"
    return "ABS(_3) < 4294967296 AND _3 % CAST('0.0009765625' AS DOUBLE) = 0"


def _grown(name: str) -> str:
    """The error of a result of two arguments that may be off."""
    if name == "atan2":
        return "2 * (_4 + _5) / GREATEST(ABS(_1), ABS(_2))"
    if name in _LOGARITHMS:
        return "2 * (_5 / _2 + ABS(_3) * _4 / _1) / ABS(LN(_1))"
    whole = "2 * _2 * POWER(ABS(_1) + _4, _2 - 1) * _4"
    relative = "2 * ABS(_3) * (ABS(_2) * _4 / ABS(_1) + ABS(LN(ABS(_1))) * _5)"
    return f"CASE WHEN {_FEW} THEN {whole} WHEN _3 <> 0 THEN {relative} ELSE 0 END"


#: of a base and a number
_LOGARITHMS = {"log", "numeric_log"}
_PLAIN = "ISNAN(_1) OR ISNAN(_2) OR (_1 = 0 AND _4 = 0 AND _2 > 100 * _5)"
_FEW = "_5 = 0 AND _2 % 1 = 0 AND _2 BETWEEN 1 AND 64"


def _doubt_of_two(name: str, doubt: str) -> str:
    if name == "atan2" or name in _LOGARITHMS:
        return doubt
    return (
        f"CASE WHEN ({_FEW}) OR {_PLAIN} THEN FALSE ELSE _1 <= 100 * _4 "
        "OR (ABS(_2) + 1) * _4 > _1 / 100 OR ABS(LN(_1)) * _5 > CAST('0.01' AS DOUBLE) END"
    )


def _step(writer: Writer, function: str) -> tuple[str, str, str, str]:
    """What is exact where the error reaches over no step, and else off by it and a step."""
    text = writer.rows[function]
    ends = [text.replace("_1", f"(_1 {sign} _4)") for sign in "-+"]
    same = f"_4 = 0 OR ISNAN(_1) OR {ends[0]} = {ends[1]}"
    return text, "FALSE", "FALSE", f"CASE WHEN {same} THEN CAST('0' AS DOUBLE) ELSE _4 + 2 END"


def _chosen(writer: Writer, node: Coalesce | MinMax, depth: str) -> exp.Expr:
    """The first that is not NULL, the largest or the smallest."""
    first = pair(writer, node.args[0], f"{depth}0_")
    for place, arg in enumerate(node.args[1:], 1):
        names = [f"pair{depth}{place}{side}" for side in "ab"]
        rest = (names[1], pair(writer, arg, f"{depth}{place}_"))
        if isinstance(node, Coalesce):
            known = writer.is_null(parts(writer, names[0])[0])
            chosen = writer.case([(exp.Not(this=known), exp.column(names[0]))], rest[1])
            first = bound(writer, [(names[0], first)], chosen)
            continue
        name = "GREATEST" if node.greatest else "LEAST"
        (one, off), (other, wrong) = (parts(writer, each) for each in names)
        value = exp.Anonymous(this=name, expressions=[one, other])
        texts = ("_2", "_4") if node.greatest else ("_4", "_2")
        error = writer.filled(
            f"CASE WHEN _1 - _3 > _2 + _4 THEN {texts[0]} WHEN _3 - _1 > _2 + _4 THEN {texts[1]} "
            "ELSE GREATEST(_2, _4) END",
            one.copy(), off, other.copy(), wrong,
        )  # fmt: skip
        both = writer.piece(".pair", value, error)
        first = bound(writer, [(names[0], first), rest], both)
    return first


def doubtful(writer: Writer, first: str, second: str) -> exp.Expr:
    """Whether the errors of two pairs would decide how they compare."""
    (one, off), (other, wrong) = (parts(writer, name) for name in (first, second))
    return writer.filled(
        f"_2 + _4 > 0 AND ABS(_1 - _3) <= _2 + _4 AND ABS(_1) <> {INF} AND ABS(_3) <> {INF} "
        "AND NOT ISNAN(_1) AND NOT ISNAN(_3)",
        one, off, other, wrong,
    )  # fmt: skip


def whole(writer: Writer, node: Node, signature: str, rounding: str = "round(float8)") -> exp.Expr:
    """A cast of an approximate number to an integer: exact, or the row raises."""
    ends = [writer.rows[rounding].replace("_1", f"(_1 {sign} _2)") for sign in "-+"]

    value, error = parts(writer, "whole")
    doubt = writer.filled(f"_2 > 0 AND {ends[0]} <> {ends[1]}", value, error)
    rounded = writer.piece(rounding, value.copy())
    safe = writer.case([(doubt, _raised(writer, DIGITS))], rounded)
    return bound(
        writer, [("whole", pair(writer, node))], writer.filled(writer.rows[signature], safe)
    )
