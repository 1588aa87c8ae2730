"""What the parts of an interval add up to, and what each number of it counts.

Example
    `1.5 days 02:00` read from its end: two hours, then one day and half of one.

PostgreSQL
    datetime.c: DecodeInterval(), DecodeTimeForInterval(), AdjustFractDays(), AdjustMicroseconds().
"""

from __future__ import annotations

import math
import re

from filtersql.filters.values.calendar import USECS_PER_DAY
from filtersql.filters.values.datetime_fields import WORDS, Bad, Field

__all__ = ["LIMITS", "Sum", "added_up"]

#: of months, days and microseconds
LIMITS = (2**31, 2**31, 2**63)
_QUARTERS = ("qtr", "quarter")
_UNITS = {
    **dict.fromkeys(("us", "usec", "usecond", "useconds", "usecs", "microsecon"), "microsecond"),
    **dict.fromkeys(("ms", "msec", "msecond", "mseconds", "msecs", "millisecon"), "millisecond"),
    **dict.fromkeys(("s", "sec", "second", "seconds", "secs"), "second"),
    **dict.fromkeys(("m", "mm", "min", "mins", "minute", "minutes"), "minute"),
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
_YEARS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
_INT = 2**31
_WHOLE = re.compile(r"[+-]?[0-9]+")
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
_CLOCK = {"hour", "minute", "second", "millisecond", "microsecond"}


class Sum:
    """What has been added up."""

    __slots__ = ("days", "micros", "months", "years")

    def __init__(self) -> None:
        self.years = self.months = self.days = self.micros = 0

    def add(self, unit: str, whole: int, part: float) -> None:
        """A number of a unit; its fraction spills into the smaller ones."""
        if unit in _MICROS:
            self.micros += whole * _MICROS[unit]
            self.spill(part, _MICROS[unit])
        elif unit in ("day", "week"):
            scale = 7 if unit == "week" else 1
            self.days += whole * scale
            self._spill_days(part * scale)
        elif unit == "month":
            self.months += whole
            self._spill_days(part * 30)
        else:
            self.years += whole * _YEARS[unit]
            self.months += round(part * _YEARS[unit] * 12)
        self.check()

    def check(self) -> None:
        """Each number fits in what PostgreSQL holds it in."""
        parts = (self.months, self.days, self.micros)
        if not -_INT <= self.years < _INT or not all(
            -limit <= part < limit for part, limit in zip(parts, LIMITS, strict=True)
        ):
            raise Bad("field")

    def _spill_days(self, part: float) -> None:
        whole = math.trunc(part)
        self.days += whole
        self.spill(part - whole, USECS_PER_DAY)

    def spill(self, part: float, scale: int) -> None:
        """A fraction of so many microseconds, rounded."""
        exact = part * scale
        whole = math.trunc(exact)
        rest = exact - whole
        self.micros += whole + (1 if rest > 0.5 else -1 if rest < -0.5 else 0)


def added_up(parts: list[Field], chosen: int, *, sql_standard: bool) -> Sum | str:
    """DecodeInterval(): from the last field to the first; `infinity` and `-infinity` as texts.

    In the style sql_standard a sign before the first number, if it is the only one, is that of all.
    """
    signs = [word[0] for _, word in parts if word[0] in "+-"]
    negative = sql_standard and signs == ["-"] and parts[0][1][0] == "-"
    found, have, unit, endless, pending, before = Sum(), set[str](), "", "", False, False
    for place in range(len(parts) - 1, -1, -1):
        kind, word = parts[place]
        last, given = place == len(parts) - 1, set[str]()
        if kind in ("string", "special"):
            if pending:
                raise Bad("format")
            if word in ("infinity", "+infinity", "-infinity"):
                if not last:
                    raise Bad("format")
                endless, have = word.removeprefix("+"), {"year", "month", "day", *_CLOCK}
            elif word == "ago":
                if not last:
                    raise Bad("format")
                unit, before = "ago", True
            elif WORDS.get(word[:10], ("",))[0] == "ignored":
                unit = ""
            else:
                unit, pending = _unit(word), True
            continue
        if kind == "time" or (kind == "zone" and _is_clock(word, chosen)):
            micros = _clock(word, chosen)
            found.micros = -abs(micros) if negative else micros
            given, unit = _CLOCK, "day"
        else:
            unit = unit or _RIGHTMOST.get(chosen, "second")
            given, unit = _number(found, word, unit, negative)
        pending = False
        if given & have:
            raise Bad("format")
        have |= given
    if not have or pending:
        raise Bad("format")
    if endless:
        return endless
    if before:
        found.years, found.months, found.days, found.micros = (
            -found.years,
            -found.months,
            -found.days,
            -found.micros,
        )
        found.check()
    return found


def _unit(word: str) -> str:
    if word[:10] in _QUARTERS:
        return "quarter"
    if word[:10] not in _UNITS:
        raise Bad("format")
    return _UNITS[word[:10]]


def _is_clock(word: str, chosen: int) -> bool:
    """A signed one that is no time is tried as a number."""
    try:
        return ":" in word and _clock(word, chosen) is not None
    except Bad:
        return False


def _clock(word: str, chosen: int) -> int:
    """Microseconds of hh:mm, hh:mm:ss[.fff], mm:ss.fff; digits may be missing behind a colon."""
    sign = -1 if word[0] == "-" else 1
    match = re.fullmatch(
        r"([0-9]+):([+-]?[0-9]*)(?::([+-]?[0-9]*))?(?:\.(.*))?", word.lstrip("+-"), re.DOTALL
    )
    if not match or "-" in (match[2], match[3]) or "+" in (match[2], match[3]):
        raise Bad("format")
    numbers = [int(part or 0) for part in match.groups()[:3] if part is not None]
    if len(numbers) == 2 and (match[4] is not None or chosen == _MINUTE | _SECOND):
        numbers = [0, *numbers]
        if numbers[1] >= _INT:
            raise Bad("field")
    hours, minutes, seconds = (*numbers, 0)[:3]
    micros = round(_fraction(match[4] or "") * 1_000_000)
    if not 0 <= minutes <= 59 or not 0 <= seconds <= 60:
        raise Bad("field")
    total = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + micros
    if total >= LIMITS[2]:
        raise Bad("field")
    return sign * total


def _fraction(digits: str) -> float:
    if digits and not (digits.isascii() and digits.isdigit()):
        raise Bad("format")
    return float(f"0.{digits or 0}")


def _number(found: Sum, word: str, unit: str, negative: bool) -> tuple[set[str], str]:
    """What it filled, and the unit of a number before it that has none."""
    sign = -1 if word[0] == "-" else 1
    match = _WHOLE.match(word)
    whole, rest = (int(match[0]), word[match.end() :]) if match else (0, word.lstrip("+-"))
    if abs(whole) >= LIMITS[2]:
        raise Bad("field")
    part = 0.0
    if rest[:1] == "-":
        months = _WHOLE.match(rest, 1)
        if months and not 0 <= int(months[0]) <= 11:
            raise Bad("field")
        if (months.end() if months else 1) < len(rest):
            raise Bad("format")
        whole, unit = whole * 12 + sign * int(months[0] if months else 0), "month"
    elif rest[:1] == ".":
        part = sign * _fraction(rest[1:])
    elif rest:
        raise Bad("format")
    if unit in ("ago", "quarter"):
        raise Bad("format")
    if negative:
        whole, part = -abs(whole), -abs(part)
    found.add(unit, whole, part)
    if unit == "second" and part:
        return {"second", "millisecond", "microsecond"}, unit
    return {unit}, "day" if unit == "hour" else unit
