"""time and timetz: moved by intervals modulo a day, and taken of what has a time of day.

Example
    ==================================== ==================================================
    node                                 written as
    ==================================== ==================================================
    `tm + '1 hour'`                      the microseconds of the day, modulo a day, as text
    `tt AT TIME ZONE interval '2 hours'` the microseconds in UTC + those of two hours
    `ts::time`                           the microseconds of the timestamp's day
    ==================================== ==================================================

PostgreSQL
    date.c: time_pl_interval(), timetz_mi_interval(), timetz_izone(), timestamp_time().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, Op
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.intervals import Parts
from filtersql.filters.write import let_binding
from filtersql.filters.write.rules.interval_components import component
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "move_time"]

#: the last number of 64 bits
_LAST = 2**63 - 1


def _time_of(writer: Writer, micros: exp.Expr) -> exp.Expr:
    return writer.piece(".time_of_micros", writer.piece(".day_micros", micros))


def _moved_micros(writer: Writer, micros: exp.Expr, symbol: str, interval: Node) -> exp.Expr:
    """Microseconds of a day and an interval's time, but for whole days.

    PostgreSQL's sum is of 64 bits and wraps around; what is lost is no number of whole days.
    """
    plain = f"_1 {symbol} _2 % {USECS_PER_DAY}"
    by = component(writer, interval, 2)
    constant = fold(interval)
    if constant is not None and _stays(constant):
        return writer.filled(plain, micros, by)
    over = f"_2 > {_LAST} - _1" if symbol == "+" else f"_2 < _1 - {_LAST}"
    lost = f"CASE WHEN {over} THEN {2**64 % USECS_PER_DAY} ELSE 0 END"
    return let_binding.once(
        writer,
        "time_moved",
        micros,
        lambda time: let_binding.once(
            writer, "moved_by", by, lambda each: writer.filled(f"{plain} - {lost}", time, each)
        ),
    )


def _stays(constant: Const) -> bool:
    """Whether no time of a day and this interval are more than 64 bits hold."""
    return not isinstance(constant.value, Parts) or abs(constant.value[2]) < _LAST - USECS_PER_DAY


def move_time(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Time + interval: only the interval's time counts, modulo a day."""
    time, interval = args if args[0].type == "time" else (args[1], args[0])
    symbol = "-" if node.function.name == "time_mi_interval" else "+"
    micros = writer.piece(".time_micros", writer.put(time))
    result = _time_of(writer, _moved_micros(writer, micros, symbol, interval))
    return writer.case([(writer.is_null(writer.put(time)), None)], result)


def _move_timetz(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    symbol = "-" if node.function.name == "timetz_mi_interval" else "+"
    key = writer.put(args[0])
    micros = _moved_micros(writer, writer.piece(".timetz_micros", key), symbol, args[1])
    west = writer.piece(".timetz_west", key)
    return writer.piece(".timetz_of", writer.piece(".day_micros", micros), west)


def _zoned_timetz(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Timetz AT TIME ZONE interval."""
    zone = fold(args[0])
    if zone is None or not isinstance(zone.value, Parts) or any(zone.value[:2]):
        raise writer.refused(node, "The time zone must be a constant of hours and minutes.")
    east = abs(zone.value[2]) // 1_000_000 * (1 if zone.value[2] > 0 else -1)
    utc = writer.piece(".timetz_utc", writer.put(args[1]))
    micros = writer.filled("_1 + _2", utc, east * 1_000_000)
    west = writer.cast(-east, "BIGINT")
    return writer.piece(".timetz_of", writer.piece(".day_micros", micros), west)


def _time(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """The time of a timestamp, an interval or a timetz."""
    match args[0].type:
        case "timestamp":
            return _time_of(writer, writer.piece(".micros_or_null", writer.put(args[0])))
        case "interval":
            return _time_of(writer, component(writer, args[0], 2))
        case _:
            micros = writer.piece(".timetz_micros", writer.put(args[0]))
            return writer.piece(".time_of_micros", micros)


RULES: dict[str, Rule] = {
    **dict.fromkeys(("time_pl_interval", "time_mi_interval", "interval_pl_time"), move_time),
    **dict.fromkeys(("timetz_pl_interval", "timetz_mi_interval"), _move_timetz),
    "timezone(interval,timetz)": _zoned_timetz,
    **dict.fromkeys(("time(timestamp)", "time(interval)", "time(timetz)"), _time),
}
