"""The length of an interval, by which PostgreSQL compares it, and whether it is infinite.

Example
    ==================================== =======================================================
    node                                 written as
    ==================================== =======================================================
    `iv > '1 mon'`                       the length: a month counts as 30 days, a day as 24 hours
    `iv + '1 day' > iw`                  lengths of sums, number by number
    `ts - ts2 > '36 hours'`              the microseconds between, compared with 129600000000
    ==================================== =======================================================

    `interval_components` writes the three numbers of which a length is made.

PostgreSQL
    timestamp.c: interval_cmp_value(), interval_pl(), timestamp_mi().
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.facts import SYMBOLS
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    Case,
    Coalesce,
    Const,
    Func,
    MinMax,
    Node,
    NullIf,
    Op,
    Relabel,
    Var,
)
from filtersql.filters.tree.transparent_nodes import chosen
from filtersql.filters.tree.walking import walk
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.intervals import INFINITE_SINCE, Parts, total
from filtersql.filters.write.rules.interval_components import (
    BETWEEN,
    JUSTIFIED,
    MONTHS,
    SCALED,
    component,
    factors,
)
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "infinite", "length"]

_FAR = str(10**30)
#: microseconds of as many months as an interval surely holds, however it is added up
_LONGEST = str((2**31 - 8) * 30 * USECS_PER_DAY)
_TOO_LONG = "an interval so long that its months may not fit when it is justified"


def length(writer: Writer, node: Node) -> exp.Expr:
    """The microseconds by which PostgreSQL compares an interval, as DECIMAL(38, 0)."""
    constant = fold(node)
    if constant is not None:
        return _constant_length(writer, constant)
    match node:
        case Relabel():
            return length(writer, node.arg)
        case MinMax():
            name = "GREATEST" if node.greatest else "LEAST"
            lengths = [length(writer, item) for item in node.args]
            return exp.Anonymous(this=name, expressions=lengths) if lengths[1:] else lengths[0]
        case Case() | Coalesce() | NullIf():
            return writer.construct(node, lambda item: length(writer, item))
        case Var():
            return writer.piece(".interval_length", writer.column(node))
        case Op() if node.function.name in BETWEEN:
            only = "" if writer.postgres_version >= INFINITE_SINCE else "finite_"
            return writer.piece(f".{only}micros_between", *map(writer.put, node.args))
        case Func() if node.function.name == "justify_interval":
            return _justified_length(writer, length(writer, node.args[0]))
    parts = [component(writer, node, which) for which in range(3)]
    finite = writer.filled(f"(CAST(_1 AS DECIMAL(38, 0)) * 30 + _2) * {USECS_PER_DAY} + _3", *parts)
    sign = infinite(writer, node)
    if sign is None:
        return finite
    far = [writer.cast(text, "DECIMAL(38, 0)") for text in (_FAR, f"-{_FAR}")]
    tests = [writer.filled(f"_1 {symbol} 0", sign) for symbol in "><"]
    missing = (writer.is_null(sign), None)
    return writer.case([missing, *zip(tests, far, strict=True)], finite)


def infinite(writer: Writer, node: Node) -> exp.Expr | None:
    """1 where an interval is infinity, -1 where it is -infinity, else 0; None: it never is."""
    match node:
        case Relabel():
            return infinite(writer, node.arg)
        case Var():
            return writer.filled(
                "CASE WHEN _1 = 'infinity' THEN 1 WHEN _1 = '-infinity' THEN -1 "
                "WHEN NOT _1 IS NULL THEN 0 END",
                writer.column(node),
            )
        case Op() | Func() if node.function.name in (*BETWEEN, "age"):
            if writer.engine == "spark" or writer.postgres_version < INFINITE_SINCE:
                return None
            return writer.piece(".infinite_between", *map(writer.put, node.args))
        case Op() | Func() if node.function.name in ("interval_pl", "interval_mi", "interval_um"):
            if not any(infinite(writer, arg) for arg in node.args):
                return None
            known = [_sign(writer, arg) for arg in node.args]
            if len(known) == 1:
                return writer.filled("0 - _1", known[0])
            symbol = "+" if node.function.name == "interval_pl" else "-"
            if any(map(_is_sum, walk(node)[1:])):
                # the sum of two infinities is as far as each of them
                known = [writer.filled("CAST(SIGN(_1) AS INT)", one) for one in known]
            # infinity - infinity is neither: the numbers raise
            return writer.filled(f"_1 {symbol} _2", *known)
        case Case() | Coalesce() | NullIf():
            if not any(infinite(writer, item) for item in chosen(node)):
                return None
            return writer.construct(node, lambda item: _sign(writer, item))
        case Func() if node.function.name == "date_trunc":
            return infinite(writer, node.args[1])
        case Func() if node.function.name in ("interval", *JUSTIFIED):
            return infinite(writer, node.args[0])
        case Op() if node.function.name in SCALED:
            return _infinite_product(writer, node)
    return None


def _is_sum(node: Node) -> bool:
    return isinstance(node, (Op, Func)) and node.function.name in ("interval_pl", "interval_mi")


def _sign(writer: Writer, node: Node) -> exp.Expr:
    """The same of an interval that need not be infinite; NULL where the interval is."""
    found = infinite(writer, node)
    if found is not None:
        return found
    constant = fold(node)
    if constant is None:
        return writer.filled("_1 * 0", component(writer, node, MONTHS))
    if isinstance(constant.value, str):
        return writer.integer(-1 if constant.value.startswith("-") else 1)
    return exp.Null() if constant.value is None else writer.integer(0)


def _justified_length(writer: Writer, whole: exp.Expr) -> exp.Expr:
    """Days become months without another length; months that may not fit raise."""
    text = "WHEN ABS(_1) > CAST(_2 AS DECIMAL(38, 0)) AND ABS(_1) < CAST(_3 AS DECIMAL(38, 0))"
    broken = writer.raised(_TOO_LONG, "DECIMAL(38, 0)")
    return writer.filled(f"CASE {text} THEN _4 ELSE _1 END", whole, _LONGEST, _FAR, broken)


def _infinite_product(writer: Writer, node: Op) -> exp.Expr | None:
    """An infinite interval times a number, or a finite one times an infinite number."""
    interval, factor = factors(node)
    constant = fold(factor)
    if constant is None:
        number = writer.put(factor)
        size = length(writer, interval)
        return writer.piece(f".infinite_{node.function.name}", size, number)
    sign, value = infinite(writer, interval), constant.value
    if sign is None or not isinstance(value, float) or value == 0 or not math.isfinite(value):
        return None
    return sign if value > 0 else writer.filled("0 - _1", sign)


def _constant_length(writer: Writer, constant: Const) -> exp.Expr:
    if constant.value is None:
        return writer.cast(None, "DECIMAL(38, 0)")
    assert isinstance(constant.value, (Parts, str))
    found = total(constant.value)
    if isinstance(found, str):
        found = -(10**30) if found.startswith("-") else 10**30
    return writer.cast(str(found), "DECIMAL(38, 0)")


def _compare(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    pair = [length(writer, arg) for arg in args]
    return writer.filled(f"_1 {_SYMBOLS[node.function.name]} _2", *pair)


def _is_finite(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """isfinite(interval)."""
    size = length(writer, args[0])
    return writer.filled("ABS(_1) < CAST('1e30' AS DECIMAL(38, 0))", size)


def _cmp(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """interval_cmp()."""
    pair = [length(writer, arg) for arg in args]
    text = "CASE WHEN _1 > _2 THEN 1 WHEN _1 = _2 THEN 0 WHEN _1 < _2 THEN -1 END"
    return writer.filled(text, *pair)


_SYMBOLS = {f"interval_{name}": symbol for name, symbol in SYMBOLS.items()}
RULES: dict[str, Rule] = {
    "isfinite(interval)": _is_finite,
    "interval_cmp": _cmp,
    **dict.fromkeys(_SYMBOLS, _compare),
}
