"""Which fields extract() finds in a value of a type, under which names, and of how many digits.

Example
    ====================== ================ ======================= ======================
    field                  is called, too   digits before the point behind it
    ====================== ================ ======================= ======================
    `dow` of a date                         3                       0
    `second` of a time     `sec`, `s`       2                       6
    `year` of a timestamp  `yr`, `y`        7                       0
    `year` of an interval  `yr`, `y`        9                       0
    ====================== ================ ======================= ======================

PostgreSQL
    datetime.c, deltatktbl and datetktbl: the names of fields; timestamp.c,
    NonFiniteTimestampTzPart(): the fields that are infinite for an infinite value.
"""

from __future__ import annotations

from typing import NamedTuple

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Func, Node, Op

__all__ = ["ZONE", "Field", "field", "is_moment", "never_ends", "word_of"]


class Field(NamedTuple):
    """What extract gives: digits before and behind the point."""

    before: int
    behind: int


#: fields that are infinite for an infinite value; the others are NULL
_INFINITE = {"year", "isoyear", "decade", "century", "millennium", "julian", "epoch"}
_CLOCK = {
    **dict.fromkeys(("hour", "minute"), Field(2, 0)),
    "second": Field(2, 6),
    "milliseconds": Field(5, 3),
    "microseconds": Field(8, 0),
}
_DATE = {
    **dict.fromkeys(("month", "day", "quarter", "dow", "isodow", "doy", "week"), Field(3, 0)),
    **dict.fromkeys(("year", "isoyear", "decade", "century", "millennium"), Field(7, 0)),
    "julian": Field(10, 0),
    "epoch": Field(15, 6),
}
ZONE = dict.fromkeys(("timezone", "timezone_hour", "timezone_minute"), Field(6, 0))
_OF: dict[str, dict[str, Field]] = {
    "date": _DATE,
    "timestamp": {**_DATE, **_CLOCK},
    "time": {**_CLOCK, "epoch": Field(5, 6)},
    "timetz": {**_CLOCK, **ZONE, "epoch": Field(6, 6)},
    "interval": {
        **dict.fromkeys(("month", "quarter", "minute"), Field(2, 0)),
        **dict.fromkeys(("year", "decade", "century", "millennium"), Field(9, 0)),
        **dict.fromkeys(("day", "week", "hour"), Field(10, 0)),
        **{name: _CLOCK[name] for name in ("second", "milliseconds", "microseconds")},
        "epoch": Field(16, 6),
    },
}
_SYNONYMS = {
    "years": "year", "months": "month", "mon": "month", "mons": "month", "days": "day",
    "hours": "hour", "minutes": "minute", "min": "minute", "mins": "minute", "seconds": "second",
    "sec": "second", "secs": "second", "weeks": "week", "decades": "decade", "decs": "decade",
    "dec": "decade", "cent": "century", "c": "century", "centuries": "century",
    "millennia": "millennium", "mil": "millennium", "mils": "millennium",
    "millisecond": "milliseconds", "msec": "milliseconds", "ms": "milliseconds",
    "microsecond": "microseconds", "usec": "microseconds", "us": "microseconds",
    "usecs": "microseconds", "msecs": "milliseconds", "msecond": "milliseconds",
    "qtr": "quarter", "y": "year", "yr": "year", "yrs": "year", "h": "hour", "hr": "hour",
    "hrs": "hour", "m": "minute", "s": "second", "d": "day", "w": "week",
    "jd": "julian", "j": "julian", "timezone_h": "timezone_hour", "timezone_m": "timezone_minute",
}  # fmt: skip


def never_ends(node: Func | Op) -> bool:
    """Whether the field of an infinite value is infinite."""
    word = word_of(node)
    return word in _INFINITE or (node.args[1].type == "interval" and word in ("day", "hour"))


def is_moment(node: Node) -> bool:
    """Whether it is the Julian date of a timestamp: the day with its fraction."""
    if not isinstance(node, Func) or node.function.name != "extract":
        return False
    return node.args[1].type == "timestamp" and word_of(node) == "julian"


def word_of(node: Func | Op) -> str:
    """The name of the field that a call asks for; empty where no constant says it."""
    name = fold(node.args[0])
    word = str(name.value).lower() if name is not None else ""
    return _SYNONYMS.get(word, word)


def field(node: Func | Op) -> Field | None:
    """What `extract(… FROM …)` gives, where it has a form."""
    return _OF.get(node.args[1].type, {}).get(word_of(node))
