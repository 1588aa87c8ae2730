"""Moments that are counted back from a run's clock: `cut(30 days)`, by the day.

Example
    >>> column = ClockColumn("cut_1_mon_by_day_date", Parts(1, 0, 0), "day", "date")
    >>> print(column.at(datetime(2026, 3, 31, 10, 30)))
    2026-02-28 00:00:00

The clock is cut off to the grain first, then the interval is taken from it. A date is the first
day that is not before the moment, so `column >= cut` says the same of dates as of timestamps.

PostgreSQL
    timestamp.c, timestamp_trunc(), timestamp_mi_interval(): months first, where a day that the
    month lacks becomes its last one, then days, then the time.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from datetime import datetime, timedelta

from msgspec import Struct

from filtersql.filters.values.intervals import Parts

__all__ = ["GRAINS", "ClockColumn", "finest", "grain_of", "truncated"]

_SECOND = 1_000_000
#: what a clock can be cut off to, finest first: the interval, and date_trunc()'s word
GRAINS: dict[Parts, str] = {
    Parts(0, 0, _SECOND): "second",
    Parts(0, 0, 60 * _SECOND): "minute",
    Parts(0, 0, 3600 * _SECOND): "hour",
    Parts(0, 1, 0): "day",
    Parts(0, 7, 0): "week",
    Parts(1, 0, 0): "month",
    Parts(3, 0, 0): "quarter",
    Parts(12, 0, 0): "year",
}
_ORDER = tuple(GRAINS.values())
_DAY = timedelta(days=1)
#: of a timestamp, and the last clock that is asked for
_TICK = timedelta(microseconds=1)
_LAST = datetime(9999, 12, 31)


class ClockColumn(Struct, frozen=True):
    """A column of the view `filtersql_clock`: the clock cut off to `grain`, minus `interval`.

    `type` is date, timestamp or timestamptz. Clocks and moments are UTC, without a zone.
    """

    name: str
    interval: Parts
    grain: str
    type: str

    def at(self, clock: datetime) -> datetime:
        """The moment, of a date midnight."""
        moment = _minus(truncated(clock, self.grain), self.interval)
        if self.type == "date" and moment != truncated(moment, "day"):
            return truncated(moment, "day") + _DAY
        return moment

    def over_at(self, value: datetime) -> datetime | None:
        """The first clock at which a value of the column is older than the cut; None: none is.

        >>> column = ClockColumn("", Parts(1, 0, 0), "day", "timestamp")
        >>> print(column.over_at(datetime(2026, 2, 28)), column.over_at(datetime(2026, 2, 28, 1)))
        2026-04-01 00:00:00 2026-04-01 00:00:00
        """
        if self.at(_LAST) <= value:
            return None
        low, high = 0, (_LAST - value) // _TICK
        while low < high:
            middle = (low + high) // 2
            if self.at(value + middle * _TICK) > value:
                high = middle
            else:
                low = middle + 1
        return value + low * _TICK


def grain_of(interval: object) -> str | None:
    """The word for an interval that a clock can be cut off to."""
    return GRAINS.get(interval) if isinstance(interval, Parts) else None


def finest(grains: Iterable[str]) -> str:
    """The grain that decides when any of these moves; of weeks and longer ones it is the day."""
    given = sorted(set(grains), key=_ORDER.index)
    return "day" if given[0] == "week" and len(given) > 1 else given[0]


def truncated(clock: datetime, grain: str) -> datetime:
    """The clock cut off, as date_trunc() does: a week begins on Monday."""
    if grain in ("second", "minute", "hour"):
        kept = _ORDER.index(grain)
        return clock.replace(
            microsecond=0,
            second=0 if kept > 0 else clock.second,
            minute=0 if kept > 1 else clock.minute,
        )
    day = clock.replace(hour=0, minute=0, second=0, microsecond=0)
    match grain:
        case "week":
            return day - day.weekday() * _DAY
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(day=1, month=day.month - (day.month - 1) % 3)
        case "year":
            return day.replace(day=1, month=1)
    return day


def _minus(moment: datetime, interval: Parts) -> datetime:
    year, month = divmod(moment.year * 12 + moment.month - 1 - interval.months, 12)
    day = min(moment.day, monthrange(year, month + 1)[1])
    moved = moment.replace(year=year, month=month + 1, day=day)
    return moved - interval.days * _DAY - timedelta(microseconds=interval.micros)
