"""extract and date_part: the fields of dates, times, timestamps and intervals.

Example
    ============================== ===================================================
    node                           written as
    ============================== ===================================================
    `extract(dow FROM d) = 0`      DAYOFWEEK(d) - 1 as a DECIMAL: extract is numeric
    `date_part('hour', ts) > 9`    the same hour as a DOUBLE: date_part is a double
    `extract(day FROM iv) = 1`     the days of the interval's text
    `extract(epoch FROM tm) > 60`  the microseconds of the day, as a DECIMAL of 6 places
    ============================== ===================================================

    Of an infinite date, year and epoch are infinite and the day is NULL: a comparison with the
    former is decided beside it.

PostgreSQL
    timestamp.c: timestamp_part_common(), interval_part_common(); date.c: extract_date(),
    time_part_common(), timetz_part_common().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.tree.transparent_nodes import bare
from filtersql.filters.write.rules import intervals
from filtersql.filters.write.rules.extract_fields import ZONE, field, never_ends, word_of
from filtersql.filters.write.rules.interval_components import component
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "infinities", "part"]

#: since when quarters of a negative interval are negative, and an interval has weeks
_COUNTS_BACK = 18
_NO_WEEK = "Before PostgreSQL 18 an interval has no week."
_NO_FORM = "filtersql has no exact form for this field yet."


def part(writer: Writer, node: Func | Op) -> exp.Expr:
    """extract: a DECIMAL of the field's digits."""
    found = field(node)
    if found is None:
        raise writer.refused(node, _NO_FORM)
    digits = f"DECIMAL({found.before + found.behind}, {found.behind})"
    value = _value(writer, node, word_of(node))
    if node.args[1].type in ("date", "timestamp"):
        return writer.cast(value, digits)
    if not found.behind:
        return writer.cast(value, digits)
    # The field is a whole number of its smallest digit.
    unit = writer.cast(format(10.0**-found.behind, f".{found.behind}f"), "DECIMAL(6, 6)")
    whole = writer.cast(value, f"DECIMAL({found.before + found.behind}, 0)")
    return writer.cast(writer.filled("_1 * _2", whole, unit), digits)


def _double(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """date_part: the double that PostgreSQL computes, from whole numbers."""
    word, value = word_of(node), args[1]
    found = field(node)
    if found is None:
        raise writer.refused(node, _NO_FORM)
    if word == "julian" and value.type == "timestamp":
        result = writer.piece(".julian_double", writer.piece(".epoch_micros", writer.put(value)))
    elif not found.behind:
        result = writer.cast(_value(writer, node, word), "DOUBLE")
        if value.type == "date":
            # PostgreSQL makes a timestamp of it, which may be out of range
            midnight = writer.piece(".timestamp_of_date", writer.put(value))
            result = writer.case([(writer.is_null(midnight), None)], result)
    elif word == "epoch":
        result = _epoch(writer, node)
    else:
        micros = writer.cast(_value(writer, node, "microseconds"), "BIGINT")
        text = "CAST({} AS DOUBLE) + CAST(_1 % 1000000 AS DOUBLE) / CAST(1000000 AS DOUBLE)"
        if word == "milliseconds":
            text = "CAST({} * 1000 AS DOUBLE) + CAST(_1 % 1000000 AS DOUBLE) / CAST(1000 AS DOUBLE)"
        seconds = writer.piece(".quotient", micros, 1_000_000)
        result = writer.filled(text.format("_2"), micros, seconds)
    tests = infinities(writer, value)
    if tests is None:
        return result
    known = [
        writer.cast(text, "DOUBLE") if never_ends(node) else exp.Null()
        for text in ("Infinity", "-Infinity")
    ]
    return writer.case(list(zip(tests, known, strict=True)), result)


def infinities(writer: Writer, node: Node) -> tuple[exp.Expr, exp.Expr] | None:
    """Whether a value is infinity, and whether it is -infinity; None where it never is."""
    node = bare(node)
    if node.type == "interval":
        sign = intervals.infinite(writer, node)
        if sign is None:
            return None
        return writer.filled("_1 > 0", sign), writer.filled("_1 < 0", sign)
    if node.type in ("date", "timestamp") and writer.engine == "duckdb":
        value = writer.put(node)
    else:
        return None
    first, second = (
        writer.filled("_1 = _2", value, writer.cast(word, node.type.upper()))
        for word in ("infinity", "-infinity")
    )
    return first, second


def _epoch(writer: Writer, node: Func | Op) -> exp.Expr:
    kind = node.args[1].type
    if kind == "interval":
        months, days, micros = (component(writer, node.args[1], which) for which in range(3))
        text = (
            "CAST(_3 AS DOUBLE) / CAST(1000000 AS DOUBLE) + "
            "CAST(31557600 AS DOUBLE) * CAST(_4 AS DOUBLE) + "
            "CAST(2592000 AS DOUBLE) * CAST(_5 AS DOUBLE) + CAST(86400 AS DOUBLE) * _2"
        )
        years = writer.piece(".quotient", months, 12)
        rest = writer.piece(".remainder", months, 12)
        return writer.filled(text, months, writer.cast(days, "DOUBLE"), micros, years, rest)
    if kind == "date":
        return writer.cast(_value(writer, node, "epoch"), "DOUBLE")
    if kind == "timestamp":
        micros = writer.piece(".epoch_micros", writer.put(node.args[1]))
    else:
        micros = _value(writer, node, "epoch")
    return writer.filled("CAST(_1 AS DOUBLE) / CAST(1000000 AS DOUBLE)", micros)


def _value(writer: Writer, node: Func | Op, word: str) -> exp.Expr:
    """The field; of times and intervals, as a whole number of its smallest digit."""
    value, kind = node.args[1], node.args[1].type
    if kind == "interval":
        return _of_interval(writer, node, word)
    if kind == "time":
        return _of_clock(writer, writer.piece(".time_micros", writer.put(value)), word)
    if kind == "timetz":
        if word in ZONE:
            return writer.piece(f".timetz_{word}", writer.put(value))
        if word == "epoch":
            return writer.piece(".timetz_utc", writer.put(value))
        return _of_clock(writer, writer.piece(".timetz_micros", writer.put(value)), word)
    key = f".{word}_of_{kind}" if f".{word}_of_{kind}" in writer.rows else f".{word}"
    if key not in writer.rows:
        raise writer.refused(node, _NO_FORM)
    return writer.piece(key, writer.put(value))


_OF_CLOCK = {
    "hour": (3_600_000_000, 0),
    "minute": (60_000_000, 60),
    "epoch": (1, 0),
    **dict.fromkeys(("second", "milliseconds", "microseconds"), (1, 60_000_000)),
}


def _of_clock(writer: Writer, micros: exp.Expr, word: str) -> exp.Expr:
    size, most = _OF_CLOCK[word]
    if size > 1:
        micros = writer.piece(".quotient", micros, size)
    return writer.piece(".remainder", micros, most) if most else micros


_OF_MONTHS = {"year": 12, "decade": 120, "century": 1200, "millennium": 12_000}


def _of_interval(writer: Writer, node: Func | Op, word: str) -> exp.Expr:
    if word == "week" and writer.postgres_version < _COUNTS_BACK:
        raise writer.refused(node, _NO_WEEK)
    tests = infinities(writer, node.args[1])
    written = _finite(writer, node.args[1], word)
    # What is infinite for an infinite interval is decided by the comparison beside it.
    if tests is None or never_ends(node):
        return written
    return writer.case([(test, None) for test in tests], written)


def _finite(writer: Writer, value: Node, word: str) -> exp.Expr:
    def of(which: int) -> exp.Expr:
        return component(writer, value, which)

    if word in _OF_MONTHS:
        return writer.piece(".quotient", of(0), _OF_MONTHS[word])
    match word:
        case "month":
            return writer.piece(".remainder", of(0), 12)
        case "quarter" if writer.postgres_version >= _COUNTS_BACK:
            return writer.piece(".interval_quarter", of(0))
        case "quarter":
            month = writer.piece(".remainder", of(0), 12)
            return writer.filled("_1 + 1", writer.piece(".quotient", month, 3))
        case "day":
            return of(1)
        case "week":
            return writer.piece(".quotient", of(1), 7)
        case "epoch":
            return writer.piece(".interval_epoch", of(0), of(1), of(2))
    return _of_clock(writer, of(2), word)


RULES: dict[str, Rule] = {"date_part": _double}
