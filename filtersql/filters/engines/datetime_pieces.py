"""Dates, timestamps and times with zone in SQL that both engines write alike, but for few words.

Example
    A timetz is one whole number that sorts as PostgreSQL sorts it: the microseconds in UTC, then
    the seconds west of it.

PostgreSQL
    date.c: timetz_cmp_internal(), make_date(), make_time(); timestamp.c: make_timestamp_internal(),
    float8_timestamptz().
"""

from __future__ import annotations

from filtersql.filters.engines.interval_pieces import DAY, Words, words
from filtersql.filters.facts import SYMBOLS
from filtersql.storage import Engine

__all__ = ["moment_pieces"]

_TIMETZ = "^([0-9:.]+)([-+])([0-9]+):?([0-9]*):?([0-9]*)$"
#: microseconds from 1970 to the first moment that PostgreSQL has, in 4714 BC
_FIRST = -210_866_803_200_000_000
#: the same in seconds
_FIRST_SECOND = _FIRST // 1_000_000
#: make_date's arguments that are no date, or one that PostgreSQL does not have; of years BC those
#: are counted from -1
_NO_DATE = (
    "_1 = 0 OR _1 > 5874897 OR (_1 < -4713 AND (_1 < -4714 OR _2 < 11 OR (_2 = 11 AND _3 < 24)))"
)
_MIDDLE = "CAST('2000-01-01' AS TIMESTAMP)"
#: what makes the microseconds in UTC positive
_SHIFT = 1_000_000_000_000


def moment_pieces(engine: Engine) -> dict[str, str]:
    """The pieces, and rows for functions of dates and times."""
    say = words(engine)
    native = _of_spark() if engine == "spark" else _of_duckdb()
    return {**native, **_timetz(say), **_made(say), **_fields(say)}


def _of_spark() -> dict[str, str]:
    micros = "UNIX_MICROS(CAST(_1 AS TIMESTAMP))"
    return {
        ".next_date": "DATE_ADD(_1, _2)",
        ".epoch_micros": micros,
        ".micros_or_null": micros,
        ".unless_infinite": "_2",
        ".binned": "_3",
        ".timestamp_of_micros": "CAST(TIMESTAMP_MICROS(_1) AS TIMESTAMP_NTZ)",
        ".timestamptz_of_micros": "TIMESTAMP_MICROS(_1)",
        ".timestamp_in_range": f"CASE WHEN {micros} < {_FIRST} "
        "THEN CAST(raise_error('timestamp out of range') AS TIMESTAMP_NTZ) ELSE _1 END",
        ".isoyear": "EXTRACT(YEAROFWEEK FROM _1)",
        "to_timestamp(float8)": f"CASE WHEN _1 < {_FIRST_SECOND} "
        "THEN CAST(raise_error('timestamp out of range') AS TIMESTAMP) WHEN NOT ISNAN(_1) "
        "THEN TIMESTAMP_MICROS(CAST(RINT((_1 - 946684800) * 1000000) AS BIGINT) + "
        "946684800000000) WHEN _1 IS NOT NULL "
        "THEN CAST(raise_error('timestamp cannot be NaN') AS TIMESTAMP) END",
        "make_date": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN {_NO_DATE} THEN "
        "CAST(raise_error('date field value out of range') AS DATE) "
        "ELSE MAKE_DATE(CASE WHEN _1 < 0 THEN _1 + 1 ELSE _1 END, _2, _3) END",
    }


def _of_duckdb() -> dict[str, str]:
    return {
        ".next_date": "CASE WHEN ISINF(_1) THEN _1 "
        "WHEN _2 > 0 AND _1 = CAST('5874897-12-31' AS DATE) "
        "THEN error('date out of range') ELSE CAST(_1 + _2 AS DATE) END",
        ".epoch_micros": "CASE WHEN ISINF(_1) THEN error('an infinite timestamp') "
        "ELSE EPOCH_US(_1) END",
        ".micros_or_null": "CASE WHEN NOT ISINF(_1) THEN EPOCH_US(_1) END",
        ".unless_infinite": "CASE WHEN ISINF(_1) THEN _1 ELSE _2 END",
        ".binned": "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN ISINF(_1) THEN _1 "
        "WHEN ISINF(_2) THEN error('origin out of range') ELSE _3 END",
        ".timestamp_in_range": "CASE WHEN _1 < CAST('4714-11-24 (BC)' AS TIMESTAMP) "
        "AND NOT ISINF(_1) THEN error('timestamp out of range') ELSE _1 END",
        ".moved_to_infinity": f"CASE WHEN _1 IS NULL THEN NULL WHEN ISINF(_1) THEN "
        f"CASE WHEN (_1 > {_MIDDLE} AND _2 < 0) OR (_1 < {_MIDDLE} AND _2 > 0) "
        "THEN error('timestamp out of range') ELSE _1 END "
        "WHEN _2 > 0 THEN CAST('infinity' AS TIMESTAMP) "
        "WHEN _2 < 0 THEN CAST('-infinity' AS TIMESTAMP) ELSE _3 END",
        ".infinite_between": "CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN "
        "(CASE WHEN ISINF(_1) THEN CASE WHEN _1 > CAST('2000-01-01' AS "
        "TIMESTAMP) THEN 1 ELSE -1 END ELSE 0 END) - (CASE WHEN ISINF(_2) THEN CASE "
        "WHEN _2 > CAST('2000-01-01' AS TIMESTAMP) THEN 1 ELSE -1 END ELSE 0 END) END",
        ".timestamp_of_micros": "MAKE_TIMESTAMP(_1)",
        ".timestamptz_of_micros": "CAST(MAKE_TIMESTAMP(_1) AS TIMESTAMPTZ)",
        ".isoyear": "CASE WHEN ISINF(_1) THEN error('a field of an infinite date is infinite') "
        "WHEN ISOYEAR(_1) > 0 THEN ISOYEAR(_1) ELSE ISOYEAR(_1) - 1 END",
        "to_timestamp(float8)": "CASE WHEN ISNAN(_1) THEN error('timestamp cannot be NaN') "
        "WHEN ISINF(_1) THEN CASE WHEN _1 > 0 THEN CAST('infinity' AS TIMESTAMPTZ) "
        "ELSE CAST('-infinity' AS TIMESTAMPTZ) END "
        f"WHEN _1 < {_FIRST_SECOND} THEN error('timestamp out of range') "
        "WHEN _1 IS NOT NULL THEN CAST(MAKE_TIMESTAMP(CAST(ROUND_EVEN((_1 - 946684800) * 1000000, "
        "0) AS BIGINT) + 946684800000000) AS TIMESTAMPTZ) END",
        "make_date": "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL THEN NULL "
        f"WHEN {_NO_DATE} THEN error('date field value out of range') "
        "ELSE MAKE_DATE(CASE WHEN _1 < 0 THEN _1 + 1 ELSE _1 END, _2, _3) END",
    }


def _timetz(say: Words) -> dict[str, str]:
    def number(group: int) -> str:
        found = f"REGEXP_EXTRACT(_1, '{_TIMETZ}', {group})"
        return f"CAST(COALESCE(NULLIF({found}, ''), '0') AS BIGINT)"

    west = (
        f"(CASE WHEN REGEXP_EXTRACT(_1, '{_TIMETZ}', 2) = '-' THEN 1 ELSE -1 END) * "
        f"({number(3)} * 3600 + {number(4)} * 60 + {number(5)})"
    )
    time = f"REGEXP_EXTRACT(_1, '{_TIMETZ}', 1)"
    micros = (
        f"(((CAST(SUBSTRING({time}, 1, 2) AS BIGINT) * 60 + CAST(SUBSTRING({time}, 4, 2) AS BIGINT)"
        f") * 60 + CAST(SUBSTRING({time}, 7, 2) AS BIGINT)) * 1000000 + "
        f"CAST(RPAD(SUBSTRING({time}, 10, 6), 6, '0') AS BIGINT))"
    )
    key = "({0} + ({1}) * 1000000 + {2}) * 200000 + ({1}) + 100000"
    utc, seconds = f"(_1 {say.div} 200000 - {_SHIFT})", "(_1 % 200000 - 100000)"
    return {
        ".timetz": key.format(micros, west, _SHIFT),
        ".timetz_of": key.format("_1", "_2", _SHIFT),
        ".timetz_utc": utc,
        ".timetz_west": seconds,
        ".timetz_micros": f"{utc} - {seconds} * 1000000",
        ".timetz_timezone": f"0 - {seconds}",
        ".timetz_timezone_hour": f"(0 - {seconds}) {say.div} 3600",
        ".timetz_timezone_minute": f"(0 - {seconds}) {say.div} 60 % 60",
        **{f"timetz_{name}": f"_1 {symbol} _2" for name, symbol in SYMBOLS.items()},
    }


def _made(say: Words) -> dict[str, str]:
    """make_time(hour, minute, second) as text, make_timestamp."""

    def micros(hour: str, minute: str, second: str) -> str:
        rest = f"CAST({say.rounded(f'{second} * 1000000')} AS BIGINT)"
        return (
            f"(CAST({hour} AS BIGINT) * 3600000000 + CAST({minute} AS BIGINT) * 60000000 + {rest})"
        )

    def bad(hour: str, minute: str, second: str) -> str:
        return (
            f"{hour} NOT BETWEEN 0 AND 24 OR {minute} NOT BETWEEN 0 AND 59 OR ISNAN({second}) "
            f"OR {say.rounded(f'{second} * 1000000')} NOT BETWEEN 0 AND 60000000 "
            f"OR {micros(hour, minute, second)} > {DAY}"
        )

    fails = say.fails("time field value out of range")
    missing = "_1 IS NULL OR _2 IS NULL OR _3 IS NULL"
    return {
        ".made_time": f"CASE WHEN {missing} THEN NULL "
        f"WHEN {bad('_1', '_2', '_3')} THEN CAST({fails} AS BIGINT) "
        f"ELSE {micros('_1', '_2', '_3')} END",
        ".rounded_to": f"CASE WHEN _1 >= 0 THEN (_1 + _2 {say.div} 2) {say.div} _2 * _2 "
        f"ELSE 0 - ((_2 {say.div} 2 - _1) {say.div} _2 * _2) END",
        ".count_of_months": "CAST(_1 AS INT)",
        ".count_of_days": "CAST(_1 AS INT)",
        ".count_of_micros": "CAST(_1 AS BIGINT)",
    }


def _fields(say: Words) -> dict[str, str]:
    of_day = "((_1 % 86400000000 + 86400000000) % 86400000000)"
    return {
        # the day, and as a fraction of one its whole seconds and the rest
        ".julian_double": f"CAST((_1 - {of_day}) {say.div} 86400000000 + 2440588 AS DOUBLE) + "
        f"(CAST({of_day} {say.div} 1000000 AS DOUBLE) + CAST({of_day} % 1000000 AS DOUBLE) / "
        "CAST(1000000 AS DOUBLE)) / CAST(86400 AS DOUBLE)",
        # The least number of months has no positive one of 32 bits: PostgreSQL's wraps around.
        ".interval_quarter": f"CASE WHEN _1 >= 0 THEN _1 % 12 {say.div} 3 + 1 "
        f"WHEN _1 = {-(2**31)} THEN 1 "
        f"ELSE 0 - ((0 - _1) % 12 {say.div} 3 + 1) END",
        ".interval_epoch": f"CAST(1461 * (_1 {say.div} 12) + 120 * (_1 % 12) + 4 * _2 "
        "AS DECIMAL(38, 0)) * 21600000000 + _3",
    }
