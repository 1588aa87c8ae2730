"""interval literals: `1 day 02:03:04`, `1-2`, `P1Y2M`, `@ 3 hours ago`, `infinity`.

Held as (months, days, microseconds); the infinities as the texts that PostgreSQL prints.

PostgreSQL
    datetime.c: DecodeInterval(), DecodeTimeForInterval(), DecodeISO8601Interval(),
    EncodeInterval() in the style postgres; timestamp.c, AdjustIntervalForTypmod().
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from filtersql.errors.filters import BadLiteral
from filtersql.filters.literals.clock import Clock
from filtersql.filters.literals.fields import Bad, Field, fields

__all__ = ["TYPES", "Interval", "Parts", "total"]


class Parts(NamedTuple):
    """The three numbers of a finite interval."""

    months: int
    days: int
    micros: int


Interval = Parts | str

_DAY = 86_400_000_000
#: of months, days and microseconds
_LIMITS = (2**31, 2**31, 2**63)
_INFINITE_SINCE = 17
_UNITS = {
    **dict.fromkeys(("us", "usec", "usecond", "useconds", "usecs", "microsecon"), "microsecond"),
    **dict.fromkeys(("ms", "msec", "msecond", "mseconds", "msecs", "millisecon"), "millisecond"),
    **dict.fromkeys(("s", "sec", "second", "seconds", "secs"), "second"),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), "minute"),
    **dict.fromkeys(("h", "hour", "hours", "hr", "hrs"), "hour"),
    **dict.fromkeys(("d", "day", "days"), "day"),
    **dict.fromkeys(("w", "week", "weeks"), "week"),
    **dict.fromkeys(("mon", "mons", "month", "months"), "month"),
    **dict.fromkeys(("y", "year", "years", "yr", "yrs"), "year"),
    **dict.fromkeys(("dec", "decade", "decades", "decs"), "decade"),
    **dict.fromkeys(("c", "cent", "centuries", "century"), "century"),
    **dict.fromkeys(("mil", "mils", "millennia", "millennium"), "millennium"),
}
_MICROS = {
    "microsecond": 1,
    "millisecond": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
}
_MONTHS = {"month": 1, "year": 12, "decade": 120, "century": 1200, "millennium": 12000}
_ISO = re.compile(
    r"P(?:(?P<year>{n})Y)?(?:(?P<month>{n})M)?(?:(?P<week>{n})W)?(?:(?P<day>{n})D)?"
    r"(?:T(?:(?P<hour>{n})H)?(?:(?P<minute>{n})M)?(?:(?P<second>{n})S)?)?\Z".replace(
        "{n}", r"[+-]?(?:\d+\.?\d*|\.\d+)"
    ),
    re.ASCII,
)
_HMS = re.compile(r"(\d+):(\d+)(?::(\d+))?(?:\.(\d*))?\Z", re.ASCII)
_YEAR, _MONTH, _DAYS, _HOUR, _MINUTE, _SECOND = 1 << 2, 1 << 1, 1 << 3, 1 << 10, 1 << 11, 1 << 12
#: what the rightmost number means when a typmod names the fields
_RIGHTMOST = {
    _YEAR: "year",
    _MONTH: "month",
    _YEAR | _MONTH: "month",
    _DAYS: "day",
    _HOUR: "hour",
    _DAYS | _HOUR: "hour",
    _MINUTE: "minute",
    _HOUR | _MINUTE: "minute",
    _DAYS | _HOUR | _MINUTE: "minute",
}


class _Sum:
    """What has been added up, and which fields were there."""

    __slots__ = ("days", "have", "micros", "months")

    def __init__(self) -> None:
        self.months = self.days = self.micros = 0
        self.have: set[str] = set()

    def add(self, unit: str, whole: int, part: float) -> None:
        """A number of a unit; its fraction spills into the smaller fields."""
        if unit in self.have:
            raise Bad("format")
        self.have.add(unit)
        if unit == "second" and part:
            self.have |= {"millisecond", "microsecond"}
        if unit in _MICROS:
            self.micros += whole * _MICROS[unit]
            self._spill(part, _MICROS[unit])
        elif unit in ("day", "week"):
            scale = 7 if unit == "week" else 1
            self.days += whole * scale
            self._spill_days(part * scale)
        else:
            self.months += whole * _MONTHS[unit]
            if unit == "month":
                self._spill_days(part * 30)
            else:
                self.months += round(part * _MONTHS[unit])

    def _spill_days(self, part: float) -> None:
        whole = math.trunc(part)
        self.days += whole
        self._spill(part - whole, _DAY)

    def _spill(self, part: float, scale: int) -> None:
        exact = part * scale
        whole = math.trunc(exact)
        rest = exact - whole
        self.micros += whole + (1 if rest > 0.5 else -1 if rest < -0.5 else 0)


def read_interval(text: str, modifier: int, clock: Clock) -> Interval:
    """(months, days, microseconds)."""
    chosen = modifier >> 16 & 0x7FFF if modifier >= 0 else 0x7FFF
    try:
        found = _decode(fields(text), chosen, clock)
    except Bad as problem:
        iso = _ISO.match(text)
        if problem.kind != "format" or not iso or text[-1] in "PT":
            if problem.kind == "format" and re.match(r"P\d+-|P\d{4,}", text, re.ASCII):
                raise BadLiteral.unread("interval", text) from None
            kind = "interval" if problem.kind == "field" else problem.kind
            raise Bad(kind, problem.zone).mistake("interval", text) from None
        found = _iso(iso)
    if isinstance(found, str):
        return found
    if not all(-limit <= part < limit for part, limit in zip(found, _LIMITS, strict=True)):
        raise BadLiteral(f'interval field value out of range: "{text}"')
    fitted = _fitted(found, chosen, modifier & 0xFFFF if modifier >= 0 else 0xFFFF)
    if clock.postgres_version >= _INFINITE_SINCE:
        # PostgreSQL holds the infinite ones as the largest and the smallest numbers.
        if all(part == limit - 1 for part, limit in zip(fitted, _LIMITS, strict=True)):
            return "infinity"
        if all(part == -limit for part, limit in zip(fitted, _LIMITS, strict=True)):
            return "-infinity"
    return Parts(*fitted)


def _decode(parts: list[Field], chosen: int, clock: Clock) -> Interval:
    found, unit, pending, before = _Sum(), "", False, False
    for place in range(len(parts) - 1, -1, -1):
        kind, word = parts[place]
        if kind in ("string", "special"):
            if pending:
                raise Bad("format")
            if word in ("infinity", "+infinity", "-infinity"):
                if len(parts) > 1 or clock.postgres_version < _INFINITE_SINCE:
                    raise Bad("format")
                return word.removeprefix("+")
            if word == "ago":
                if place != len(parts) - 1:
                    raise Bad("format")
                before = True
                continue
            if word[:10] not in _UNITS:
                raise Bad("format")
            unit, pending = _UNITS[word[:10]], True
            continue
        if kind == "time" or (kind == "zone" and ":" in word):
            _add_time(found, word, chosen)
            unit, pending = "day", False
            continue
        unit = unit or _RIGHTMOST.get(chosen, "second")
        _add_number(found, word, unit)
        pending = False
    if not found.have or pending:
        raise Bad("format")
    sign = -1 if before else 1
    return Parts(sign * found.months, sign * found.days, sign * found.micros)


def _add_time(found: _Sum, word: str, chosen: int) -> None:
    sign = -1 if word[0] == "-" else 1
    match = _HMS.match(word.lstrip("+-"))
    if not match or found.have & {"hour", "minute", "second"}:
        raise Bad("format")
    numbers = [int(part) for part in match.groups()[:3] if part is not None]
    if len(numbers) == 2 and (match[4] is not None or chosen == _MINUTE | _SECOND):
        numbers = [0, *numbers]
    hours, minutes, seconds = (*numbers, 0)[:3]
    if minutes > 59 or seconds > 60:
        raise Bad("field")
    micros = round(float(f"0.{match[4] or 0}") * 1_000_000)
    total = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros
    if total >= _LIMITS[2]:
        # A signed one that is too large is no time to PostgreSQL, which then tries a number.
        raise Bad("format" if word[0] in "+-" else "field")
    found.micros += sign * total
    found.have |= {"hour", "minute", "second", "millisecond", "microsecond"}


def _add_number(found: _Sum, word: str, unit: str) -> None:
    sign = -1 if word[0] == "-" else 1
    bare = word.lstrip("+-")
    years, dash, months = bare.partition("-")
    if dash:
        if not years.isdigit() or not months.isdigit():
            raise Bad("format")
        if int(months) > 11:
            raise Bad("field")
        found.add("month", sign * (int(years) * 12 + int(months)), 0.0)
        return
    whole, _, part = bare.partition(".")
    if not (whole + part).isdigit():
        raise Bad("format")
    found.add(unit, sign * int(whole or 0), sign * float(f"0.{part or 0}"))


def _iso(match: re.Match[str]) -> Interval:
    found = _Sum()
    for unit, number in match.groupdict().items():
        if number is not None:
            sign = -1 if number[0] == "-" else 1
            whole, _, part = number.lstrip("+-").partition(".")
            found.add(unit, sign * int(whole or 0), sign * float(f"0.{part or 0}"))
    return Parts(found.months, found.days, found.micros)


def _fitted(found: tuple[int, int, int], chosen: int, precision: int) -> tuple[int, int, int]:
    """Cut to the typmod's fields, rounded to its precision."""
    months, days, micros = found
    if chosen != 0x7FFF:
        if chosen == _YEAR:
            months = math.trunc(months / 12) * 12
        if chosen in (_YEAR, _MONTH, _YEAR | _MONTH):
            days = micros = 0
        smallest = next(
            (size for bit, size in ((_SECOND, 1), (_MINUTE, 60), (_HOUR, 3600)) if chosen & bit),
            86_400,
        )
        if smallest > 1:
            micros = math.trunc(micros / (smallest * 1_000_000)) * smallest * 1_000_000
    if precision < 6:
        unit = 10 ** (6 - precision)
        half = unit // 2 if micros >= 0 else -(unit // 2)
        micros = math.trunc((micros + half) / unit) * unit
    return months, days, micros


def total(value: Interval) -> int | str:
    """Microseconds by which intervals are compared: a month has 30 days, a day 24 hours."""
    if isinstance(value, str):
        return value
    months, days, micros = value
    return (months * 30 + days) * _DAY + micros


def show_interval(value: object) -> str:
    """The style postgres."""
    if isinstance(value, str):
        return value
    assert isinstance(value, tuple)
    months, days, micros = value
    text, before = "", False
    years = math.trunc(months / 12)
    for number, unit in ((years, "year"), (months - years * 12, "mon"), (days, "day")):
        if number:
            plus = "+" if before and number > 0 else ""
            text += f"{' ' if text else ''}{plus}{number} {unit}{'' if number == 1 else 's'}"
            before = number < 0
    if micros or not text:
        sign = "-" if micros < 0 else "+" if before else ""
        seconds, part = divmod(abs(micros), 1_000_000)
        tail = f".{part:06d}".rstrip("0") if part else ""
        clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{tail}"
        text += f"{' ' if text else ''}{sign}{clock}"
    return text


TYPES = {"interval": (read_interval, show_interval)}
