"""Intervals and times of day in SQL that both engines write alike, but for a few words.

Example
    `.interval_days` reads the days out of PostgreSQL's text `1 year 2 mons -3 days +04:05:06.7`;
    `.age_months` is the part of age() that is months.

PostgreSQL
    timestamp.c: timestamp_age(), interval_justify_hours(), interval_justify_days(),
    interval_justify_interval(), interval_mul().
"""

from __future__ import annotations

from typing import NamedTuple

from filtersql.storage import Engine

__all__ = ["DAY", "Words", "interval_pieces", "words"]

DAY = 86_400_000_000
_INTERVAL = (
    "^([-+]?[0-9]+ years?)?( ?[-+]?[0-9]+ mons?)?( ?[-+]?[0-9]+ days?)?"
    "( ?[-+]?[0-9]+:[0-9]{2}:[0-9]{2}([.][0-9]+)?)?$"
)
_CLOCK = "([-+]?)([0-9]+):([0-9]+):([0-9]+)[.]?([0-9]*)"


class Words(NamedTuple):
    """What the engines call differently."""

    div: str
    text: str
    error: str
    rint: str

    def matches(self, value: str, pattern: str) -> str:
        """Whether a text has the pattern somewhere."""
        if self.div == "DIV":
            return f"{value} RLIKE '{pattern}'"
        return f"REGEXP_MATCHES({value}, '{pattern}')"

    def fails(self, message: str) -> str:
        """An expression that raises."""
        return f"{self.error}('{message}')"

    def trunc(self, value: str) -> str:
        """A double cut to a 32-bit integer; raises beyond."""
        return f"CAST({value} AS INT)" if self.div == "DIV" else f"CAST(TRUNC({value}) AS INT)"

    def rounded(self, value: str) -> str:
        """rint()."""
        return f"RINT({value})" if self.div == "DIV" else f"ROUND_EVEN({value}, 0)"

    def bigint(self, value: str) -> str:
        """A double rounded to a bigint; Spark's cast of 2^63 gives the largest one."""
        if self.div != "DIV":
            return f"CAST({self.rounded(value)} AS BIGINT)"
        return (
            f"TRY_ELEMENT_AT(TRANSFORM(ARRAY({self.rounded(value)}), whole -> CASE "
            "WHEN whole >= CAST(9223372036854775808 AS DOUBLE) "
            f"THEN CAST({self.fails('bigint out of range')} AS BIGINT) "
            "ELSE CAST(whole AS BIGINT) END), 1)"
        )


def words(engine: Engine) -> Words:
    """An engine's words."""
    if engine == "spark":
        return Words("DIV", "STRING", "raise_error", "RINT")
    return Words("//", "TEXT", "error", "ROUND_EVEN")


def interval_pieces(engine: Engine) -> dict[str, str]:
    """The pieces."""
    say = words(engine)
    return {**_read(say), **_clock(say), **_age(engine), **_justified(say), **_scaled(say)}


def _number(pattern: str, group: int = 1) -> str:
    return f"CAST(COALESCE(NULLIF(REGEXP_EXTRACT(_1, '{pattern}', {group}), ''), '0') AS BIGINT)"


def _read(say: Words) -> dict[str, str]:
    """The numbers in PostgreSQL's text."""
    clock = [_number(_CLOCK, group) for group in (2, 3, 4)]
    micros = (
        f"(CASE WHEN REGEXP_EXTRACT(_1, '{_CLOCK}', 1) = '-' THEN -1 ELSE 1 END) * "
        f"((({clock[0]} * 60 + {clock[1]}) * 60 + {clock[2]}) * 1000000 + "
        f"CAST(RPAD(REGEXP_EXTRACT(_1, '{_CLOCK}', 5), 6, '0') AS BIGINT))"
    )
    parts = {
        "months": f"{_number('([-+]?[0-9]+) year')} * 12 + {_number('([-+]?[0-9]+) mon')}",
        "days": _number("([-+]?[0-9]+) day"),
        "micros": micros,
    }
    bad = say.fails("an infinite interval, or one that is not in the form of PostgreSQL")
    return {
        f".interval_{name}": f"CASE WHEN {say.matches('_1', _INTERVAL)} THEN {part} "
        f"WHEN _1 IS NOT NULL THEN CAST({bad} AS BIGINT) END"
        for name, part in parts.items()
    }


def _clock(say: Words) -> dict[str, str]:
    """Times of day, held as text, and their microseconds."""
    text = say.text

    def two(value: str) -> str:
        return f"LPAD(CAST({value} AS {text}), 2, '0')"

    return {
        ".quotient": f"_1 {say.div} _2",
        ".remainder": "_1 % _2",
        ".time_micros": "((CAST(SUBSTRING(_1, 1, 2) AS BIGINT) * 60 + CAST(SUBSTRING(_1, 4, 2) AS "
        "BIGINT)) * 60 + CAST(SUBSTRING(_1, 7, 2) AS BIGINT)) * 1000000 + "
        "CAST(RPAD(SUBSTRING(_1, 10, 6), 6, '0') AS BIGINT)",
        ".time_of_micros": f"{two(f'_1 {say.div} 3600000000')} || ':' || "
        f"{two(f'_1 {say.div} 60000000 % 60')} || ':' || {two(f'_1 {say.div} 1000000 % 60')} || "
        f"CASE WHEN _1 % 1000000 = 0 THEN '' ELSE '.' || "
        f"REGEXP_REPLACE(LPAD(CAST(_1 % 1000000 AS {text}), 6, '0'), '0+$', '') END",
        ".micros_of_seconds": say.bigint("_1 * 1000000"),
        ".day_micros": f"(_1 % {DAY} + {DAY}) % {DAY}",
    }


def _age(engine: Engine) -> dict[str, str]:
    """The months, days and microseconds from the smaller to the larger moment, and the sign."""
    if engine == "spark":
        micros, known = "UNIX_MICROS(CAST({} AS TIMESTAMP))", ""
        day, last = "DAYOFMONTH({})", "DAYOFMONTH(LAST_DAY({}))"
    else:
        micros, day, last = "EPOCH_US({})", "DAY({})", "DAY(LAST_DAY({}))"
        known = "WHEN ISINF(_1) OR ISINF(_2) THEN error('an infinite age') "

    def tod(moment: str) -> str:
        return f"(({micros.format(moment)} % {DAY} + {DAY}) % {DAY})"

    high, low = "GREATEST(_1, _2)", "LEAST(_1, _2)"
    short = f"(CASE WHEN {tod(high)} < {tod(low)} THEN 1 ELSE 0 END)"
    days = f"({day.format(high)} - {day.format(low)} - {short})"
    parts = {
        "months": f"(YEAR({high}) - YEAR({low})) * 12 + MONTH({high}) - MONTH({low}) - "
        f"(CASE WHEN {days} < 0 THEN 1 ELSE 0 END)",
        "days": f"{days} + (CASE WHEN {days} < 0 THEN {last.format(low)} ELSE 0 END)",
        "micros": f"{tod(high)} - {tod(low)} + {short} * {DAY}",
    }
    return {
        f".age_{name}": f"CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL {known}"
        f"ELSE CAST({part} AS BIGINT) * (CASE WHEN _1 < _2 THEN -1 ELSE 1 END) END"
        for name, part in parts.items()
    }


def _justified(say: Words) -> dict[str, str]:
    """_1 months, _2 days, _3 microseconds; each step carries what is too much, then the signs."""

    def carried(high: str, low: str, size: int) -> tuple[str, str]:
        return f"({high} + {low} {say.div} {size})", f"({low} % {size})"

    def aligned(high: str, low: str, size: int, tie: str = "0") -> tuple[str, str]:
        down = f"{high} > 0 AND ({low} < 0 OR ({low} = 0 AND {tie} < 0))"
        up = f"{high} < 0 AND ({low} > 0 OR ({low} = 0 AND {tie} > 0))"

        def step(value: str, number: int) -> str:
            return (
                f"(CASE WHEN {down} THEN {value} - {number} WHEN {up} THEN {value} + {number} "
                f"ELSE {value} END)"
            )

        return step(high, 1), step(low, -size)

    months, days = aligned(*carried("_1", "_2", 30), 30)
    hour_days, hour_micros = aligned(*carried("_2", "_3", DAY), DAY)
    whole_days, rest = carried("_2", "_3", DAY)
    all_months, all_days = aligned(*carried("_1", whole_days, 30), 30, rest)
    last_days, last_micros = aligned(all_days, rest, DAY)
    found = {
        ".justify_days": (months, days, "_3"),
        ".justify_hours": ("_1", hour_days, hour_micros),
        ".justify_interval": (all_months, last_days, last_micros),
    }
    widths = ("INT", "INT", "BIGINT")
    return {
        f"{name}_{part}": f"CAST(CAST({text} AS {width}) AS BIGINT)"
        for name, texts in found.items()
        for part, text, width in zip(("months", "days", "micros"), texts, widths, strict=True)
    }


def _scaled(say: Words) -> dict[str, str]:
    """_1 months, _2 days, _3 microseconds, each multiplied as a double: whole numbers of them."""

    def to_micros(value: str) -> str:
        return f"({say.rounded(f'({value}) * 1000000')} / 1000000)"

    more_days = to_micros(f"(_1 - {say.trunc('_1')}) * 30")
    left = f"_2 - {say.trunc('_2')} + {more_days} - {say.trunc(more_days)}"
    bad = f"CAST({say.fails('interval out of range')} AS INT)"

    def fitting(value: str) -> str:
        # FLOAT8_FITS_IN_INT32 asks before the fraction is cut, the engines' casts behind it.
        return f"CASE WHEN {value} < -2147483648 THEN {bad} ELSE {say.trunc(value)} END"

    seconds = to_micros(f"({left}) * 86400")
    over = f"(CASE WHEN ABS({seconds}) >= 86400 THEN {say.trunc(f'{seconds} / 86400')} ELSE 0 END)"
    far, inf = f"ABS(_1) > {10**29}", "CAST('Infinity' AS DOUBLE)"
    return {
        # _1 the interval's length, 10^30 where it is infinite
        **dict.fromkeys(
            (".infinite_interval_mul", ".infinite_mul_d_interval"),
            f"CASE WHEN ({far} OR ABS(_2) = {inf}) AND _1 <> 0 AND _2 <> 0 AND NOT ISNAN(_2) "
            "THEN CAST(SIGN(_1) AS INT) * CAST(SIGN(_2) AS INT) "
            "WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN 0 END",
        ),
        ".infinite_interval_div": f"CASE WHEN {far} AND _2 <> 0 AND NOT ISNAN(_2) "
        f"AND ABS(_2) <> {inf} THEN CAST(SIGN(_1) AS INT) * CAST(SIGN(_2) AS INT) "
        "WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN 0 END",
        ".float*": "_1 * _2",
        ".float/": "_1 / _2",
        ".scaled_months": f"CAST({fitting('_1')} AS BIGINT)",
        ".scaled_days": f"CAST(CAST(CAST({fitting('_2')} AS BIGINT) + {over} "
        f"+ {say.trunc(more_days)} AS INT) AS BIGINT)",
        ".scaled_micros": say.bigint(f"_3 + ({seconds} - {over} * 86400) * 1000000"),
    }
