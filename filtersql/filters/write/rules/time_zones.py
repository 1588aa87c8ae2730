"""AT TIME ZONE with a constant zone, and date_trunc.

Example
    ============================================ ==============================================
    node                                         written for Spark
    ============================================ ==============================================
    `tz AT TIME ZONE 'UTC'`                      CAST(tz AS TIMESTAMP_NTZ)
    `tz AT TIME ZONE 'Europe/Berlin'`            CONVERT_TIMEZONE('UTC', 'Europe/Berlin', …)
    `ts AT TIME ZONE '+05'` (POSIX: west)        ts + 5 hours, as a moment
    `date_trunc('month', ts)`                    CAST(DATE_TRUNC('MONTH', ts) AS TIMESTAMP_NTZ)
    `date_add(tz, '1 mon', 'Europe/Berlin')`     there and back, a month later there
    ============================================ ==============================================

    A row on which time zone databases differ raises; a zone whose rules were changed since 2021
    is refused (`zone_rules`). A local time that exists twice is the later moment, one that does
    not exist is read with the offset before the change, as PostgreSQL does.

PostgreSQL
    timestamp.c: timestamp_zone(), timestamptz_zone(), timestamp_trunc(); datetime.c,
    DecodeTimezoneName(), DetermineTimeZoneOffset(); localtime.c, tzparse().
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.facts import facts
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op
from filtersql.filters.values.intervals import Parts
from filtersql.filters.values.time_zone_rules import known_zone, window, zones
from filtersql.filters.write.writer import Rule, Writer

__all__ = ["RULES", "is_sure", "moved", "unit_of"]

_TRUNCATED = {"date_trunc(text,timestamp)", "date_trunc(text,timestamptz,text)"}
_WITHIN_HOURS = {"microseconds", "milliseconds", "second", "minute", "hour"}
_UTC = {"utc", "gmt", "z", "zulu", "universal", "uct", "etc/utc", "etc/gmt", "etc/uct", "greenwich"}
#: a zone of POSIX without summer time: any name or none, and hours to the west
_POSIX = re.compile(
    r"(?:<[^>]*>|[^-+,0-9<][^-+,0-9]*)?([-+]?)(\d{1,3})(?::(\d{1,2})(?::(\d{1,2}))?)?\Z"
)
_MOST_HOURS = 24 * 7 - 1
_MOST_NAME = 255
#: more months than all the years that a timestamp may have
_MOST_MONTHS = 12 * 290_000
_UNITS = {
    "microseconds", "milliseconds", "second", "minute", "hour", "day", "week", "month", "quarter",
    "year", "decade", "century", "millennium",
}  # fmt: skip
_SYNONYMS = {
    "years": "year", "months": "month", "mon": "month", "mons": "month", "days": "day",
    "hours": "hour", "minutes": "minute", "min": "minute", "mins": "minute", "seconds": "second",
    "sec": "second", "secs": "second", "weeks": "week", "decades": "decade", "decs": "decade",
    "centuries": "century", "millennia": "millennium", "millisecond": "milliseconds",
    "msec": "milliseconds", "ms": "milliseconds", "microsecond": "microseconds",
    "usec": "microseconds", "us": "microseconds", "qtr": "quarter",
}  # fmt: skip


def _shifted(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`moment AT TIME ZONE zone`."""
    return _local(writer, node, writer.put(args[1]), args[0], node.type)


def _local(writer: Writer, node: Node, moment: exp.Expr, arg: Node, result: str) -> exp.Expr:
    """A moment in a zone as a timestamp, or a timestamp there as a moment."""
    zone = writer.known(node, arg, "The time zone must be a constant.")
    if zone is None:
        return writer.piece(f".no_{result}")
    east = _east(zone)
    if east is None and isinstance(zone, str):
        return _in_zone(writer, moment, _region(writer, node, zone), result)
    if east is None:
        raise writer.refused(node, "This interval is no offset of a time zone.")
    seconds = east if result == "timestamp" else -east
    if seconds:
        moment = writer.piece(".add_micros", moment, seconds * 1_000_000)
    return writer.piece(f".{result}_in_utc", moment)


def _in_zone(writer: Writer, moment: exp.Expr, name: str, result: str) -> exp.Expr:
    days = window(name)
    written = writer.piece(f".{result}_in_zone", moment, name)
    if not days:
        return written
    ends = [f"{day} 00:00:00" for day in days if day]
    unsure = writer.piece(".between_days" if days[0] else ".before_day", moment, *ends)
    raised = writer.piece(f".unsure_{result}")
    return writer.case([(unsure, raised)], written)


def is_sure(zone: Node) -> bool:
    """Whether a zone is a constant of which all databases say the same on every moment."""
    known = fold(zone)
    if known is None:
        return False
    if known.value is None or _east(known.value) is not None:
        return True
    name = known_zone(str(known.value))
    return name is not None and zones()[name] == []


def _is_offset(zone: Node) -> bool:
    """Whether a zone is a constant number of seconds from UTC."""
    known = fold(zone)
    return known is not None and (known.value is None or _east(known.value) is not None)


def _east(value: object) -> int | None:
    """Seconds east of UTC, where the zone is an offset and no place."""
    if isinstance(value, tuple):
        months, days, micros = value
        return None if months or days or micros % 1_000_000 else micros // 1_000_000
    name = str(value).lower()
    if name in _UTC:
        return 0
    abbreviations = facts().zone_abbreviations()
    if name in abbreviations or known_zone(name) is not None:
        return abbreviations.get(name)
    offset = _POSIX.match(name) if len(name) <= _MOST_NAME else None
    if offset is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in offset.groups()[1:])
    if hours > _MOST_HOURS or minutes > 59 or seconds > 60:
        return None
    size = (hours * 60 + minutes) * 60 + seconds
    return size if offset[1] == "-" else -size  # POSIX counts to the west


def _region(writer: Writer, node: Node, written: str) -> str:
    name = known_zone(written)
    if name is None or written.lower() in facts().zone_abbreviations():
        raise writer.refused(node, "Only a zone that all time zone databases know, or an offset, "
                             "has a form.")  # fmt: skip
    if zones()[name] is None:
        raise writer.refused(node, "The rules of this zone have changed since 2021, so that time "
                             "zone databases of different age disagree.")  # fmt: skip
    return name


def _truncate(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """`date_trunc('unit', timestamp)`, and of a timestamptz in a zone."""
    word = unit_of(writer, node, args[0])
    if word is None:
        return writer.piece(f".no_{args[1].type}")
    if word not in _UNITS:
        raise writer.refused(node, f'date_trunc has no unit "{word}".')
    if len(args) == 2:
        return writer.piece(f".trunc_{word}", writer.put(args[1]))
    moment = writer.put(args[1])
    local = _local(writer, node, moment, args[2], "timestamp")
    cut = writer.piece(f".trunc_{word}", local)
    if word in _WITHIN_HOURS:
        # The offset stays that of the moment, also where the hour exists twice.
        back = writer.filled("0 - _1", writer.piece(".finite_micros_between", local, cut))
        return writer.piece(".unless_infinite", moment, writer.piece(".add_micros", moment, back))
    return _local(writer, node, cut, args[2], "timestamptz")


def moved(writer: Writer, node: Func | Op, args: Sequence[Node]) -> exp.Expr:
    """date_add() and date_subtract() in a zone: months and days are those of its clocks."""
    interval = fold(args[1])
    if interval is None or not isinstance(interval.value, Parts | None):
        raise writer.refused(node, "The interval must be a finite constant.")
    moment = writer.put(args[0])
    if interval.value is None:
        return writer.piece(".no_timestamptz")
    sign = 1 if node.function.name == "date_add" else -1
    months, days, micros = (sign * number for number in interval.value)
    if abs(months) > _MOST_MONTHS:
        raise writer.refused(node, "The interval leads out of the range of timestamps.")
    if months and days and not _is_offset(args[2]):
        # there and back twice: tens of thousands of characters
        raise writer.refused(node, "Months and days in one step have no form in a zone.")
    _local(writer, node, moment.copy(), args[2], "timestamp")  # the zone is looked at in any case
    for piece, number in ((".add_months", months), (".add_days", days)):
        if number:
            local = _local(writer, node, moment, args[2], "timestamp")
            there = writer.piece(piece, local, number)
            moment = _local(writer, node, there, args[2], "timestamptz")
    return writer.piece(".add_micros", moment, micros) if micros else moment


def unit_of(writer: Writer, node: Node, arg: Node) -> str | None:
    """The unit that a constant names, None for NULL."""
    unit = writer.known(node, arg, "The unit must be a constant.")
    word = str(unit).lower()
    return None if unit is None else _SYNONYMS.get(word, word)


RULES: dict[str, Rule] = {
    **{
        f"timezone({zone},{moment})": _shifted
        for zone in ("text", "interval")
        for moment in ("timestamp", "timestamptz")
    },
    **dict.fromkeys(_TRUNCATED, _truncate),
    **dict.fromkeys(
        (
            "date_add(timestamptz,interval,text)",
            "date_subtract(timestamptz,interval,text)",
        ),
        moved,
    ),
}
