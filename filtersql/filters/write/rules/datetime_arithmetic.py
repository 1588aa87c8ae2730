"""Dates and timestamps: moved by intervals, built of numbers, rounded, and their overlaps.

Example
    ============================ ====================================================
    node                         written as
    ============================ ====================================================
    `ts - '1 mon'::interval`     ts + MAKE_YM_INTERVAL(0, -1)
    `d + tm`                     the date as a timestamp, and the microseconds of the time
    `(ts, iv) OVERLAPS (a, b)`   the ends ts and ts + iv, and whether one span begins in the other
    ============================ ====================================================

PostgreSQL
    timestamp.c: timestamp_pl_interval() (months first, then days, then time),
    timestamp_bin(), overlaps_timestamp(), make_timestamp(); date.c: datetime_timestamp().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Const, Func, Node, Op
from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.intervals import Parts
from filtersql.filters.write import let_binding
from filtersql.filters.write.rules import intervals
from filtersql.filters.write.rules.interval_components import component
from filtersql.filters.write.rules.times_of_day import move_time
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "moved"]

#: functions that add (1) or subtract (-1) an interval, and where it stands
_MOVED = {
    "timestamp_pl_interval": (1, 1),
    "timestamp_mi_interval": (-1, 1),
    "date_pl_interval": (1, 1),
    "date_mi_interval": (-1, 1),
    "interval_pl_timestamp": (1, 0),
    "interval_pl_date": (1, 0),
}
#: more months than all the years that a timestamp may have
_MOST_MONTHS = 12 * 290_000
#: the first year of Spark's timestamps is so many months behind PostgreSQL's
_YEARS_BEFORE_CHRIST = 12 * 4000


def _move(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """A date or timestamp and an interval."""
    sign, place = _MOVED[node.function.name]
    interval, start = args[place], args[1 - place]
    written = writer.put(start)
    if start.type == "date":
        written = writer.piece(".timestamp_of_date", written)
    return moved(writer, node, written, interval, sign)


def moved(writer: Writer, node: Node, start: exp.Expr, interval: Node, sign: int) -> exp.Expr:
    """A timestamp and an interval: months, then days, then time."""
    constant = fold(interval)
    if constant is not None and constant.value is None:
        return writer.piece(".no_timestamp", start)
    if constant is None:
        return _moved_by(writer, start, interval, sign)
    if not isinstance(constant.value, Parts):
        raise writer.refused(node, "The engine cannot hold an infinite interval.")
    months, days, micros = (sign * number for number in constant.value)
    if abs(months) > _MOST_MONTHS:
        raise writer.refused(node, "The interval leads out of the range of timestamps.")
    for piece, number in ((".add_months", months), (".add_days", days), (".add_micros", micros)):
        if number:
            start = writer.piece(piece, start, number)
        if number < 0 and (writer.engine == "duckdb" or months < -_YEARS_BEFORE_CHRIST):
            # the engine's timestamps begin earlier
            start = writer.piece(".timestamp_in_range", start)
    return start


def _moved_by(writer: Writer, start: exp.Expr, interval: Node, plus: int) -> exp.Expr:
    first = start
    for which, name in enumerate(("months", "days", "micros")):
        number = component(writer, interval, which)
        if plus < 0:
            number = writer.filled("0 - _1", number)
        start = writer.piece(f".add_{name}", start, writer.piece(f".count_of_{name}", number))
    start = writer.piece(".timestamp_in_range", start)
    sign = intervals.infinite(writer, interval)
    if writer.engine == "spark" or sign is None:  # Spark's timestamps are finite: the numbers raise
        return start
    if plus < 0:
        sign = writer.filled("0 - _1", sign)
    far = writer.piece(".moved_to_infinity", first, sign, start)
    missing = writer.is_null(writer.raw(interval))
    return writer.case([(missing, writer.piece(".no_timestamp"))], far)


def _precision(writer: Writer, node: Node, args: Sequence[Node]) -> int | None:
    modifier = args[1]
    places = modifier.value if isinstance(modifier, Const) else None
    if not isinstance(places, int):
        raise writer.refused(node, "The precision must be a constant.")
    if places > 6 and args[0].type != "time":
        raise writer.refused(node, "PostgreSQL raises on every finite value.")
    return None if places >= 6 or places < 0 else 10 ** (6 - places)


def _rounded(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """timestamp(p), timestamptz(p) and time(p): half away from 2000-01-01."""
    name = node.function.name
    unit, value = _precision(writer, node, args), writer.put(args[0])
    if unit is None:
        return value
    if name == "time":
        micros = writer.piece(".time_micros", value)
        return writer.piece(".time_of_micros", writer.piece(".rounded_to", micros, unit))
    micros = writer.filled("_1 - 946684800000000", writer.piece(".micros_or_null", value))
    rounded = writer.filled("_1 + 946684800000000", writer.piece(".rounded_to", micros, unit))
    moment = writer.piece(f".{name}_of_micros", rounded)
    return writer.piece(".unless_infinite", value, moment)


def _bin(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """date_bin(stride, moment, origin): whole strides from the origin, downwards."""
    kind, moment = args[1].type, writer.put(args[1])
    origin = writer.put(args[2])
    known = [writer.piece(".micros_or_null", each) for each in (moment, origin)]
    start = let_binding.once(
        writer, "stride", _stride(writer, node, args[0]),
        lambda size: writer.filled("_1 - (((_1 - _2) % _3) + _3) % _3", *known, size),
    )  # fmt: skip
    whole = writer.piece(f".{kind}_of_micros", start)
    found = writer.piece(".binned", moment, origin, whole)
    if fold(args[0]) is not None:
        return found
    # strict: where something is NULL, a stride that PostgreSQL refuses is never seen
    missing = [writer.is_null(writer.raw(args[0])), writer.is_null(moment), writer.is_null(origin)]
    return writer.case([(exp.or_(*missing, copy=True), None)], found)


def _stride(writer: Writer, node: Node, interval: Node) -> exp.Expr:
    """The microseconds of a stride; PostgreSQL takes no months, and only what is above 0."""
    known = fold(interval)
    if known is not None:
        if not isinstance(known.value, Parts):
            raise writer.refused(node, "The stride must be finite.")
        months, days, micros = known.value
        if months or days * USECS_PER_DAY + micros <= 0:
            raise writer.refused(node, "PostgreSQL refuses this stride on every row.")
        return writer.integer(days * USECS_PER_DAY + micros)
    parts = (component(writer, interval, part) for part in range(3))
    return writer.piece(
        ".stride", *parts, writer.raised("the stride has months, or is not above 0", "BIGINT")
    )


def _overlaps(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Two spans of time: which end is first does not matter; an unknown end may not."""
    ends = [writer.put(arg) for arg in args if arg.type != "interval"]
    if any(arg.type == "interval" for arg in args):
        ends = []
        for start, end in (args[:2], args[2:]):
            first = writer.put(start)
            if end.type == "interval" and start.type == "time":
                last = move_time(writer, node, (start, end))
            elif end.type == "interval":
                last = moved(writer, node, first, end, 1)
            else:
                last = writer.put(end)
            ends += [first, last]
    return writer.piece(".overlaps", *ends)


def _date_and_time(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """Date + time, date + timetz."""
    day, time = args if args[0].type == "date" else (args[1], args[0])
    start = writer.piece(".timestamp_of_date", writer.put(day))
    if time.type == "time":
        return writer.piece(".add_micros", start, writer.piece(".time_micros", writer.put(time)))
    moved = writer.piece(".add_micros", start, writer.piece(".timetz_utc", writer.put(time)))
    return writer.piece(".timestamptz_in_utc", writer.piece(".timestamp_in_range", moved))


def _make_time(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    made = writer.piece(".made_time", *map(writer.put, args))
    return writer.piece(".time_of_micros", made)


def _make_timestamp(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    given = [writer.put(arg) for arg in args]
    day = writer.filled(writer.rows["make_date"], *given[:3])
    start = writer.piece(".timestamp_of_date", day)
    made = writer.piece(".add_micros", start, writer.piece(".made_time", *given[3:]))
    missing = writer.filled(" OR ".join(f"_{n} IS NULL" for n in range(1, 7)), *given)
    return writer.case([(missing, None)], made)


RULES: dict[str, Rule] = {
    **dict.fromkeys(_MOVED, _move),
    **dict.fromkeys(
        ("time(time,int4)", "timestamp(timestamp,int4)", "timestamptz(timestamptz,int4)"), _rounded
    ),
    "date_bin": _bin,
    "overlaps": _overlaps,
    "make_time": _make_time,
    "make_timestamp": _make_timestamp,
    **dict.fromkeys(
        ("datetime_pl", "timedate_pl", "datetimetz_pl", "timetzdate_pl", "timestamp(date,time)",
         "timestamptz(date,timetz)"),
        _date_and_time,
    ),
}  # fmt: skip
