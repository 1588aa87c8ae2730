"""interval: three whole numbers (months, days, microseconds), each an expression of its own.

Example
    ==================================== =======================================================
    node                                 written as
    ==================================== =======================================================
    `iv > '1 mon'`                       the length: a month counts as 30 days, a day as 24 hours
    `iv + '1 day' > iw`                  lengths of sums, number by number
    `extract(day FROM ts - ts2) > 3`     the microseconds between, divided by those of a day
    `ts + i4 * interval '1 day'`         ts + i4 days
    `age(ts, ts2) > '18 years'`          the fields' differences, borrowed from the month before
    ==================================== =======================================================

PostgreSQL
    timestamp.c: interval_pl(), interval_mul(), interval_div(), interval_justify_interval(),
    timestamp_mi(), timestamp_age(), make_interval(), interval_trunc().
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sqlglot import exp

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
    walk,
)
from filtersql.filters.tree.transparent_nodes import chosen
from filtersql.filters.values.intervals import INFINITE_SINCE, Parts, total
from filtersql.filters.write.rules import interval_fields
from filtersql.filters.write.rules.time_zones import unit_of
from filtersql.filters.write.writer import Writer

__all__ = ["DAY", "component", "infinite", "length"]

MONTHS, DAYS, MICROS = range(3)
DAY = 86_400_000_000
_NAMES = ("months", "days", "micros")
#: PostgreSQL holds months and days in 32 bits, microseconds in 64
_TYPES = ("INT", "INT", "BIGINT")
_NO_FORM = "filtersql has no exact form for this interval yet."
_FAR = str(10**30)
#: microseconds of as many months as an interval surely holds, however it is added up
_LONGEST = str((2**31 - 8) * 30 * 86_400_000_000)
_TOO_LONG = "an interval so long that its months may not fit when it is justified"
_INFINITE = "The engine cannot hold an infinite interval."
_BETWEEN = ("timestamp_mi", "timestamptz_mi")
_JUSTIFIED = ("justify_days", "justify_hours", "justify_interval")
_SCALED = ("interval_mul", "mul_d_interval", "interval_div")


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
        case Op() if node.function.name in _BETWEEN:
            only = "" if writer.postgres_version >= INFINITE_SINCE else "finite_"
            return writer.piece(f".{only}micros_between", *map(writer.put, node.args))
        case Func() if node.function.name == "justify_interval":
            return _justified_length(writer, length(writer, node.args[0]))
    parts = [component(writer, node, which) for which in range(3)]
    finite = writer.filled(f"(CAST(_1 AS DECIMAL(38, 0)) * 30 + _2) * {DAY} + _3", *parts)
    sign = infinite(writer, node)
    if sign is None:
        return finite
    far = [writer.cast(writer.text(text), "DECIMAL(38, 0)") for text in (_FAR, f"-{_FAR}")]
    tests = [writer.filled(f"_1 {symbol} 0", sign) for symbol in "><"]
    missing = (writer.is_null(sign.copy()), writer.null())
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
        case Op() | Func() if node.function.name in (*_BETWEEN, "age"):
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
        case Func() if node.function.name in ("interval", *_JUSTIFIED):
            return infinite(writer, node.args[0])
        case Op() if node.function.name in _SCALED:
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
    return writer.null() if constant.value is None else writer.integer(0)


def _justified_length(writer: Writer, whole: exp.Expr) -> exp.Expr:
    """Days become months without another length; months that may not fit raise."""
    text = "WHEN ABS(_1) > CAST(_2 AS DECIMAL(38, 0)) AND ABS(_1) < CAST(_3 AS DECIMAL(38, 0))"
    limits = writer.text(_LONGEST), writer.text(_FAR)
    broken = writer.cast(writer.piece(".raise", writer.text(_TOO_LONG)), "DECIMAL(38, 0)")
    return writer.filled(f"CASE {text} THEN _4 ELSE _1 END", whole, *limits, broken)


def _infinite_product(writer: Writer, node: Op) -> exp.Expr | None:
    """An infinite interval times a number, or a finite one times an infinite number."""
    interval, factor = _factors(node)
    constant = fold(factor)
    if constant is None:
        number = writer.put(factor)
        size = length(writer, interval)
        return writer.piece(f".infinite_{node.function.name}", size, number)
    sign, value = infinite(writer, interval), constant.value
    if sign is None or not isinstance(value, float) or value == 0 or not math.isfinite(value):
        return None
    return sign if value > 0 else writer.filled("0 - _1", sign)


def _factors(node: Func | Op) -> tuple[Node, Node]:
    first, second = node.args
    return (second, first) if node.function.name == "mul_d_interval" else (first, second)


def _constant_length(writer: Writer, constant: Const) -> exp.Expr:
    if constant.value is None:
        return writer.cast(writer.null(), "DECIMAL(38, 0)")
    assert isinstance(constant.value, (Parts, str))
    found = total(constant.value)
    if isinstance(found, str):
        found = -(10**30) if found.startswith("-") else 10**30
    return writer.cast(writer.text(str(found)), "DECIMAL(38, 0)")


def component(writer: Writer, node: Node, which: int) -> exp.Expr:
    """One of the three numbers; NULL where the interval is."""
    constant = fold(node)
    if constant is not None:
        return _of_constant(writer, node, constant, which)
    match node:
        case Relabel():
            return component(writer, node.arg, which)
        case Case() | Coalesce() | NullIf():
            return writer.construct(node, lambda item: component(writer, item, which))
        case Var():
            return writer.piece(f".interval_{_NAMES[which]}", writer.column(node))
        case Op() | Func():
            rule = _RULES.get(node.function.name)
            if rule is not None:
                return rule(writer, node, which)
    raise writer.refused(node, _NO_FORM)


def _of_constant(writer: Writer, node: Node, constant: Const, which: int) -> exp.Expr:
    if constant.value is None:
        return writer.cast(writer.null(), "BIGINT")
    if not isinstance(constant.value, Parts):
        raise writer.refused(node, _INFINITE)
    return writer.integer(constant.value[which])


def _fitted(writer: Writer, which: int, expression: exp.Expr) -> exp.Expr:
    """The number in the width that PostgreSQL holds it in; raises where it does not fit."""
    return writer.cast(writer.cast(expression, _TYPES[which]), "BIGINT")


def _added(symbol: str) -> Callable[[Writer, Func | Op, int], exp.Expr]:
    def rule(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
        pair = [component(writer, arg, which) for arg in node.args]
        text = f"CAST(_1 AS DECIMAL(38, 0)) {symbol} _2"
        return _fitted(writer, which, writer.filled(text, *pair))

    return rule


def _negated(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    inner = component(writer, node.args[0], which)
    return _fitted(writer, which, writer.filled("0 - CAST(_1 AS DECIMAL(38, 0))", inner))


def _between(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """Timestamp - timestamp: whole days of 24 hours, and the rest."""
    between = writer.piece(".finite_micros_between", *map(writer.put, node.args))
    if which == MONTHS:
        return writer.filled("_1 * 0", between)
    piece = ".quotient" if which == DAYS else ".remainder"
    return writer.piece(piece, between, writer.integer(DAY))


def _times(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """Time - time."""
    first, second = (writer.piece(".time_micros", writer.put(arg)) for arg in node.args)
    return writer.filled("_1 - _2" if which == MICROS else "(_1 - _2) * 0", first, second)


def _of_time(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """A time as an interval; interval(p): rounded to digits of a second."""
    if node.args[0].type == "interval":
        return _to_precision(writer, node, which)
    micros = writer.piece(".time_micros", writer.put(node.args[0]))
    return micros if which == MICROS else writer.filled("_1 * 0", micros)


def _to_precision(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    inner = component(writer, node.args[0], which)
    modifier = node.args[1]
    value = modifier.value if isinstance(modifier, Const) else None
    if not isinstance(value, int) or value < 0:
        raise writer.refused(node, "The modifier must be a constant.")
    return interval_fields.adjusted(writer, inner, which, value)


def _age(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    if node.function.args != ("timestamp", "timestamp"):
        raise writer.refused(node, _NO_FORM)
    return writer.piece(f".age_{_NAMES[which]}", *map(writer.put, node.args))


def _made(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """make_interval(years, months, weeks, days, hours, minutes, seconds)."""
    given = [writer.put(arg) for arg in node.args]
    given += [writer.integer(0) for _ in range(7 - len(given))]
    years, months, weeks, days, hours, minutes, seconds = given
    match which:
        case 0:
            wide = writer.filled("CAST(_1 AS DECIMAL(38, 0)) * 12 + _2", years, months)
        case 1:
            wide = writer.filled("CAST(_1 AS DECIMAL(38, 0)) * 7 + _2", weeks, days)
        case _:
            micros = writer.piece(".micros_of_seconds", seconds)
            wide = writer.filled(
                "(CAST(_1 AS DECIMAL(38, 0)) * 60 + _2) * 60000000 + _3", hours, minutes, micros
            )
    # Strict: one NULL makes the whole NULL, the numbers of the other fields too.
    missing = writer.filled(" OR ".join(f"_{n} IS NULL" for n in range(1, 8)), *given)
    return writer.case([(missing, writer.null())], _fitted(writer, which, wide))


def _justified(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    name = node.function.name
    parts = [component(writer, node.args[0], each) for each in range(3)]
    return writer.piece(f".{name}_{_NAMES[which]}", *parts)


def _scaled(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """Interval * factor and interval / divisor, with fractions that spill into smaller fields."""
    divides = node.function.name == "interval_div"
    interval, factor = _factors(node)
    by = writer.put(factor)
    months, days, micros = (
        writer.cast(component(writer, interval, each), "DOUBLE") for each in range(3)
    )
    sign = "/" if divides else "*"
    scaled = [writer.piece(f".float{sign}", part, by) for part in (months, days, micros)]
    return writer.piece(f".scaled_{_NAMES[which]}", *scaled)


_TRUNCATED = {
    "millennium": (12_000, 0), "century": (1200, 0), "decade": (120, 0), "year": (12, 0),
    "quarter": (3, 0), "month": (1, 0), "day": (1, 1), "hour": (3_600_000_000, 2),
    "minute": (60_000_000, 2), "second": (1_000_000, 2), "milliseconds": (1000, 2),
    "microseconds": (1, 2),
}  # fmt: skip


def _truncated(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """date_trunc('unit', interval)."""
    word = unit_of(writer, node, node.args[0])
    if word is None:
        return writer.cast(writer.null(), "BIGINT")
    if word not in _TRUNCATED:
        raise writer.refused(node, f'An interval is not truncated to "{word}".')
    size, of = _TRUNCATED[word]
    inner = component(writer, node.args[1], which)
    if which < of:
        return inner
    if which > of:
        return writer.filled("_1 * 0", inner)
    return writer.filled(
        "_1 * _2", writer.piece(".quotient", inner, writer.integer(size)), writer.integer(size)
    )


_RULES: dict[str, Callable[[Writer, Func | Op, int], exp.Expr]] = {
    "interval_pl": _added("+"),
    "interval_mi": _added("-"),
    "interval_um": _negated,
    **dict.fromkeys(_BETWEEN, _between),
    "time_mi_time": _times,
    "interval": _of_time,
    "age": _age,
    "make_interval": _made,
    **dict.fromkeys(_JUSTIFIED, _justified),
    **dict.fromkeys(_SCALED, _scaled),
    "date_trunc": _truncated,
}
