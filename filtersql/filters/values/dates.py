"""date, time, timetz, timestamp, timestamptz: read.

What is read is held, and shown, as `calendar` says.

PostgreSQL
    date.c: date_in(), time_in(), timetz_in(); timestamp.c: timestamp_in(), timestamptz_in().
"""

from __future__ import annotations

import datetime
import re

from filtersql.errors.filters import UNSURE_ZONE, BadLiteral, FrozenTime
from filtersql.filters.values.calendar import (
    DATE_INFINITY,
    EPOCH,
    MINUS_DATE_INFINITY,
    MINUS_TIMES_INFINITY,
    TIMES_INFINITY,
    USECS_PER_DAY,
    TimeAndZone,
    civil,
    days_of,
    show_date,
    show_time,
    show_timestamp,
    show_timestamptz,
    show_timetz,
)
from filtersql.filters.values.clock import Clock, Types
from filtersql.filters.values.datetime_digits import Moment
from filtersql.filters.values.datetime_fields import Bad, fields
from filtersql.filters.values.datetimes import decode
from filtersql.filters.values.time_zone_rules import is_sure, known_zone
from filtersql.filters.values.times import decode_clock

__all__ = ["TYPES"]

#: since when `+infinity` is one
_PLUS_SINCE = 16

_UNIX_EPOCH = -10_957
_JULIAN_EPOCH = 2_451_545
#: 4714-11-24 BC and the first day behind 5874897-12-31; the first day behind 294276-12-31
_FIRST_DAY, _LAST_DAY, _LAST_STAMP_DAY = -_JULIAN_EPOCH, 2_145_031_949, 106_751_983
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?)?\Z", re.ASCII
)


def _read(text: str, clock: Clock, type_name: str) -> tuple[int, int, int | str | None] | str:
    """(days, microseconds of the day, zone), or `infinity` or `-infinity`."""
    match = _ISO.match(text)
    if match and 1 <= int(match[2]) <= 12 and match[1] != "0000":
        try:
            days = days_of(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            days = None
        hour = int(match[4] or 0)
        if days is not None and hour < 24:
            seconds = (hour * 60 + int(match[5] or 0)) * 60 + int(match[6] or 0)
            return days, seconds * 1_000_000 + int((match[7] or "0").ljust(6, "0")), None
    try:
        found = decode(fields(text), clock.session.date_order)
        return _moment(found, clock)
    except Bad as problem:
        raise problem.mistake(type_name, text, clock.postgres_version) from None


def _moment(found: Moment, clock: Clock) -> tuple[int, int, int | str | None] | str:
    match found.word:
        case "+infinity" if clock.postgres_version < _PLUS_SINCE:
            raise Bad("format")
        case "infinity" | "+infinity" | "-infinity":
            return found.word.removeprefix("+")
        case "epoch":
            return _UNIX_EPOCH, 0, 0
        case "now" | "today" | "tomorrow" | "yesterday":
            return _frozen(found, clock)
    if found.julian is not None:
        return found.julian - _JULIAN_EPOCH, found.microseconds, found.zone
    if not found.have >= {"year", "month", "day"}:
        raise Bad("format")
    if found.day_of_year is not None:
        return days_of(found.year, 1, 1) + found.day_of_year - 1, found.microseconds, found.zone
    return days_of(found.year, found.month, found.day), found.microseconds, found.zone


def _frozen(found: Moment, clock: Clock) -> tuple[int, int, int | str | None]:
    """A word whose meaning was frozen when the publication was created."""
    if clock.created is None:
        raise FrozenTime(found.word)
    created = clock.created
    if created.tzinfo is not None:
        created = created.astimezone(datetime.UTC)
    days = created.toordinal() - EPOCH
    if found.word == "now":
        seconds = (created.hour * 60 + created.minute) * 60 + created.second
        return days, seconds * 1_000_000 + created.microsecond, 0
    days += {"today": 0, "tomorrow": 1, "yesterday": -1}[found.word]
    return days, found.microseconds, found.zone


def _east(zone: int | str | None, days: int, micros: int) -> int:
    """Seconds east of UTC; a zone by name as it was on that day."""
    if zone is None or isinstance(zone, int):
        return zone or 0
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    name = known_zone(zone)
    if name is None:
        name = {name.lower(): name for name in available_timezones()}.get(zone, zone)
    try:
        place = ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        raise Bad("format" if zone.isalpha() else "zone", zone) from None
    year, month, day = civil(days)
    # The rules of the first and last years hold before and after them.
    near = min(max(year, 2), 9998)
    seconds = micros // 1_000_000
    local = datetime.datetime(near, month, min(day, 28) if near != year else day, tzinfo=place)
    local += datetime.timedelta(seconds=min(seconds, 86_399))
    # A time that the clocks skip counts as before the change, one that they show twice as after it.
    offsets = (local.replace(fold=fold).utcoffset() for fold in (0, 1))
    return min(int(offset.total_seconds()) for offset in offsets if offset is not None)


def read_date(text: str, modifier: int, clock: Clock) -> int:
    """Days since 2000-01-01."""
    found = _read(text, clock, "date")
    if isinstance(found, str):
        return DATE_INFINITY if found == "infinity" else MINUS_DATE_INFINITY
    _check_zone(found, text, clock, "date")
    if not _FIRST_DAY <= found[0] < _LAST_DAY:
        raise BadLiteral(f'date out of range: "{text}"')
    return found[0]


def _check_zone(
    found: tuple[int, int, int | str | None], text: str, clock: Clock, type_name: str
) -> int:
    try:
        return _east(found[2], found[0], found[1])
    except Bad as problem:
        raise problem.mistake(type_name, text, clock.postgres_version) from None


def _stamp(text: str, clock: Clock, type_name: str, *, with_zone: bool) -> int:
    found = _read(text, clock, type_name)
    if isinstance(found, str):
        return TIMES_INFINITY if found == "infinity" else MINUS_TIMES_INFINITY
    days, micros, zone = found
    if with_zone and zone is None:
        zone = clock.session.time_zone
    east = _check_zone((days, micros, zone), text, clock, type_name)
    if with_zone:
        _check_sure(zone, days)
    value = days * USECS_PER_DAY + micros - (east * 1_000_000 if with_zone else 0)
    if not _FIRST_DAY * USECS_PER_DAY <= value < _LAST_STAMP_DAY * USECS_PER_DAY:
        raise BadLiteral(f'timestamp out of range: "{text}"')
    return value


def _check_sure(zone: int | str | None, days: int) -> None:
    if not isinstance(zone, str) or zone.startswith("etc/"):
        return
    year, month, day = civil(days)
    if not is_sure(zone, f"{min(max(year, 0), 9999):04}-{month:02}-{day:02}"):
        raise UNSURE_ZONE(zone=zone)


def read_timestamp(text: str, modifier: int, clock: Clock) -> int:
    """Microseconds since 2000-01-01; a zone is read and ignored."""
    return _stamp(text, clock, "timestamp", with_zone=False)


def read_timestamptz(text: str, modifier: int, clock: Clock) -> int:
    """Microseconds since 2000-01-01 UTC; without a zone, the session's is meant."""
    return _stamp(text, clock, "timestamp with time zone", with_zone=True)


def read_time(text: str, modifier: int, clock: Clock) -> int:
    """Microseconds of the day; a zone is read and ignored."""
    return _clock(text, clock, "time")[0]


def read_timetz(text: str, modifier: int, clock: Clock) -> TimeAndZone:
    """Microseconds of the day, and seconds east of UTC."""
    return _clock(text, clock, "time with time zone")


def _clock(text: str, clock: Clock, type_name: str) -> TimeAndZone:
    """The offset of a zone by name is that of the day, where it has several."""
    try:
        dated = decode_clock(fields(text), clock.session.date_order)
        if dated.word == "now":
            return TimeAndZone(_frozen(dated, clock)[1], 0)
        if "day" not in dated.have:
            if isinstance(dated.zone, str) and not dated.zone.startswith("etc/"):
                raise Bad("format")
            day = 0
        elif dated.julian is not None:
            day = dated.julian - _JULIAN_EPOCH
        elif dated.day_of_year is not None:
            day = days_of(dated.year, 1, 1) + dated.day_of_year - 1
        else:
            day = days_of(dated.year, dated.month, dated.day)
        zone = dated.zone
        if type_name != "time":
            if zone is None:
                zone = clock.session.time_zone
            _check_sure(zone, day)
        return TimeAndZone(dated.microseconds, _east(zone, day, dated.microseconds))
    except Bad as problem:
        raise problem.mistake(type_name, text, clock.postgres_version) from None


TYPES: Types = {
    "date": (read_date, show_date),
    "time": (read_time, show_time),
    "timetz": (read_timetz, show_timetz),
    "timestamp": (read_timestamp, show_timestamp),
    "timestamptz": (read_timestamptz, show_timestamptz),
}
