"""Fields of dates and times, and intervals: compared by their length, added to a timestamp.

Example
    ============================ ====================================================
    node                         written as
    ============================ ====================================================
    `extract(dow FROM d) = 0`    DAYOFWEEK(d) - 1 as a DECIMAL: extract is numeric
    `ts - '1 mon'::interval`     ts + MAKE_YM_INTERVAL(0, -1)
    `ts - ts2 > '36 hours'`      the microseconds between, compared with 129600000000
    `iv > '1 mon'`               the text's microseconds: a month counts as 30 days
    ============================ ====================================================

PostgreSQL
    timestamp.c: timestamp_part_common(), timestamp_pl_interval() (months first, then days, then
    time), interval_cmp_value().
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from filtersql.filters.folding import fold
from filtersql.filters.literals.intervals import Parts, total
from filtersql.filters.nodes import Const, Func, Node, Op, Var

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writing import Writer

__all__ = ["COMPARED", "MOVED", "compare", "field", "move", "part"]

COMPARED = {
    f"interval_{name}": symbol
    for name, symbol in (
        ("eq", "="), ("ne", "<>"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")
    )
}  # fmt: skip
#: functions that add (1) or subtract (-1) an interval
MOVED = {
    "timestamp_pl_interval": 1,
    "timestamp_mi_interval": -1,
    "date_pl_interval": 1,
    "date_mi_interval": -1,
}
_BETWEEN = {"timestamp_mi", "timestamptz_mi"}
#: more months than all the years that a timestamp may have
_MOST_MONTHS = 12 * 290_000


class Field(NamedTuple):
    """What extract gives: digits before and behind the point, and for what."""

    before: int
    behind: int
    of_time: bool = False


_FIELDS = {
    **dict.fromkeys(("month", "day", "quarter", "dow", "isodow", "doy", "week"), Field(3, 0)),
    **dict.fromkeys(("year", "isoyear", "decade", "century", "millennium"), Field(7, 0)),
    "julian": Field(8, 0),
    "epoch": Field(14, 6),
    **dict.fromkeys(("hour", "minute"), Field(2, 0, True)),
    "second": Field(2, 6, True),
    "milliseconds": Field(5, 3, True),
    "microseconds": Field(8, 0, True),
}
_SYNONYMS = {
    "years": "year", "months": "month", "mon": "month", "mons": "month", "days": "day",
    "hours": "hour", "minutes": "minute", "min": "minute", "seconds": "second", "sec": "second",
    "weeks": "week", "decades": "decade", "century": "century", "centuries": "century",
    "millisecond": "milliseconds", "ms": "milliseconds", "microsecond": "microseconds",
    "us": "microseconds", "qtr": "quarter", "y": "year", "h": "hour", "m": "minute",
}  # fmt: skip


def field(node: Func | Op) -> Field | None:
    """What `extract(… FROM …)` gives, where it has a form."""
    name = fold(node.args[0])
    if name is None or node.args[1].type not in ("date", "timestamp"):
        return None
    word = str(name.value).lower()
    found = _FIELDS.get(_SYNONYMS.get(word, word))
    if found is None or (found.of_time and node.args[1].type == "date"):
        return None
    return found


def part(writer: Writer, node: Func | Op) -> exp.Expr:
    """extract: a DECIMAL of the field's digits."""
    found = field(node)
    name = fold(node.args[0])
    if found is None or name is None:
        raise writer.refused(node, "filtersql has no exact form for this field yet.")
    word = str(name.value).lower()
    word = _SYNONYMS.get(word, word)
    kind = node.args[1].type
    key = f".{word}_of_{kind}" if f".{word}_of_{kind}" in writer.rows else f".{word}"
    if key not in writer.rows:
        raise writer.refused(node, "filtersql has no exact form for this field yet.")
    digits = f"DECIMAL({found.before + found.behind}, {found.behind})"
    return writer.cast(writer.piece(key, writer.put(node.args[1])), digits)


def move(writer: Writer, node: Node, name: str, args: Sequence[Node]) -> exp.Expr:
    """A date or timestamp and a constant interval: months, then days, then time."""
    constant = fold(args[1])
    if constant is None:
        raise writer.refused(node, "The interval must be a constant.")
    start = writer.put(args[0])
    if args[0].type == "date":
        start = writer.piece(".timestamp_of_date", start)
    if constant.value is None:
        return writer.piece(".no_timestamp", start)
    if not isinstance(constant.value, tuple):
        raise writer.refused(node, "The engine cannot hold an infinite interval.")
    months, days, micros = (MOVED[name] * number for number in constant.value)
    if abs(months) > _MOST_MONTHS:
        raise writer.refused(node, "The interval leads out of the range of timestamps.")
    for piece, number in ((".add_months", months), (".add_days", days), (".add_micros", micros)):
        if number:
            start = writer.piece(piece, start, writer.integer(number))
    return start


def compare(writer: Writer, node: Node, symbol: str, args: Sequence[Node]) -> exp.Expr:
    """Two intervals, by their length in microseconds."""
    return writer.filled(f"_1 {symbol} _2", *(_length(writer, node, arg) for arg in args))


def _length(writer: Writer, node: Node, arg: Node) -> exp.Expr:
    constant = fold(arg)
    if constant is not None:
        return _of_constant(writer, node, constant)
    if isinstance(arg, Op) and arg.function.name in _BETWEEN:
        return writer.piece(".micros_between", *map(writer.put, arg.args))
    if isinstance(arg, Var):
        return writer.piece(".interval_length", writer.column(arg))
    raise writer.refused(arg, "filtersql has no exact form for it yet.")


def _of_constant(writer: Writer, node: Node, constant: Const) -> exp.Expr:
    if constant.value is None:
        return writer.cast(writer.null(), "DECIMAL(38, 0)")
    assert isinstance(constant.value, (Parts, str))
    length = total(constant.value)
    if isinstance(length, str):
        length = -(10**30) if length.startswith("-") else 10**30
    return writer.cast(writer.text(str(length)), "DECIMAL(38, 0)")
