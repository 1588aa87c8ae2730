"""The three whole numbers of an interval (months, days, microseconds), each by itself.

Example
    ==================================== =======================================================
    node                                 written as
    ==================================== =======================================================
    `iv + '1 day'`                       the column's months; its days + 1; its microseconds
    `extract(day FROM ts - ts2) > 3`     the microseconds between, divided by those of a day
    `ts + i4 * interval '1 day'`         ts + i4 days
    `age(ts, ts2)`                       the fields' differences, borrowed from the month before
    ==================================== =======================================================

PostgreSQL
    timestamp.c: interval_pl(), interval_mul(), interval_div(), interval_justify_interval(),
    timestamp_age(), make_interval(), interval_trunc().
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Case, Coalesce, Const, Func, Node, NullIf, Op, Relabel, Var
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.intervals import Parts
from filtersql.filters.write.rules import interval_fields
from filtersql.filters.write.rules.time_zones import unit_of
from filtersql.filters.write.writer import Writer

__all__ = ["BETWEEN", "JUSTIFIED", "MONTHS", "SCALED", "component", "factors"]

MONTHS, DAYS, MICROS = range(3)
_NAMES = ("months", "days", "micros")
#: PostgreSQL holds months and days in 32 bits, microseconds in 64
_TYPES = ("INT", "INT", "BIGINT")
_NO_FORM = "filtersql has no exact form for this interval yet."
_INFINITE = "The engine cannot hold an infinite interval."
BETWEEN = ("timestamp_mi", "timestamptz_mi")
JUSTIFIED = ("justify_days", "justify_hours", "justify_interval")
SCALED = ("interval_mul", "mul_d_interval", "interval_div")


def factors(node: Func | Op) -> tuple[Node, Node]:
    """The interval and the number of a product or quotient."""
    first, second = node.args
    return (second, first) if node.function.name == "mul_d_interval" else (first, second)


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
        return writer.cast(None, "BIGINT")
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
    return writer.piece(piece, between, USECS_PER_DAY)


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
    return writer.case([(missing, None)], _fitted(writer, which, wide))


def _justified(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    name = node.function.name
    parts = [component(writer, node.args[0], each) for each in range(3)]
    return writer.piece(f".{name}_{_NAMES[which]}", *parts)


def _scaled(writer: Writer, node: Func | Op, which: int) -> exp.Expr:
    """Interval * factor and interval / divisor, with fractions that spill into smaller fields."""
    divides = node.function.name == "interval_div"
    interval, factor = factors(node)
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
        return writer.cast(None, "BIGINT")
    if word not in _TRUNCATED:
        raise writer.refused(node, f'An interval is not truncated to "{word}".')
    size, of = _TRUNCATED[word]
    inner = component(writer, node.args[1], which)
    if which < of:
        return inner
    if which > of:
        return writer.filled("_1 * 0", inner)
    return writer.filled("_1 * _2", writer.piece(".quotient", inner, size), size)


_RULES: dict[str, Callable[[Writer, Func | Op, int], exp.Expr]] = {
    "interval_pl": _added("+"),
    "interval_mi": _added("-"),
    "interval_um": _negated,
    **dict.fromkeys(BETWEEN, _between),
    "time_mi_time": _times,
    "interval": _of_time,
    "age": _age,
    "make_interval": _made,
    **dict.fromkeys(JUSTIFIED, _justified),
    **dict.fromkeys(SCALED, _scaled),
    "date_trunc": _truncated,
}
