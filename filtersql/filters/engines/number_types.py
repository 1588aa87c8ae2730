"""Functions of numbers and dates in SQL that both engines write alike, but for a few words.

Example
    `gcd(int4,int4)` is DuckDB's own; Spark has none, so Euclid's steps are folded over a sequence.

PostgreSQL
    int.c: int4gcd(), int4lcm(), int2shl(); float.c: width_bucket_float8(); date.c: date_larger();
    varlena.c: int4_bytea(), bytea_int4().
"""

from __future__ import annotations

from filtersql.filters.engines.interval_pieces import Words, words
from filtersql.storage import Engine

__all__ = ["number_kinds"]

_KINDS = ("int2 int4 int8 float4 float8 date_ timestamp_ timestamptz_ text_ time_").split()
_COMPARED = ("date_cmp", "timestamp_cmp", "timestamptz_cmp", "btint4cmp", "btint8cmp")
#: as many steps as Euclid's algorithm can need for 64 bits
_STEPS = 94


def number_kinds(engine: Engine) -> dict[str, str]:
    """The rows of an engine."""
    say = words(engine)
    return {
        **{f"{kind}larger": _chosen(">=", "<") for kind in _KINDS},
        **{f"{kind}smaller": _chosen("<=", ">") for kind in _KINDS},
        **dict.fromkeys(
            _COMPARED, "CASE WHEN _1 > _2 THEN 1 WHEN _1 = _2 THEN 0 WHEN _1 < _2 THEN -1 END"
        ),
        **_divisors(engine),
        **_shifted(engine),
        **_bytes(engine, say),
        "width_bucket(float8,float8,float8,int4)": _bucket(say),
        ".scale": "CASE WHEN NOT _1 IN ('NaN', 'Infinity', '-Infinity') "
        "THEN CAST(LENGTH(SPLIT_PART(_1, '.', 2)) AS INT) END",
        ".min_scale": "CASE WHEN NOT _1 IN ('NaN', 'Infinity', '-Infinity') "
        f"THEN CAST(LENGTH({_without_zeros(engine)}) AS INT) END",
    }


def _chosen(first: str, second: str) -> str:
    return f"CASE WHEN _1 {first} _2 THEN _1 WHEN _1 {second} _2 THEN _2 END"


def _without_zeros(engine: Engine) -> str:
    digits = "SPLIT_PART(_1, '.', 2)"
    return f"RTRIM('0', {digits})" if engine == "spark" else f"RTRIM({digits}, '0')"


def _divisors(engine: Engine) -> dict[str, str]:
    rows = {}
    for kind, sql_type in (("int4", "INT"), ("int8", "BIGINT")):
        if engine == "duckdb":
            wide = "CAST(_1 AS HUGEINT)", "CAST(_2 AS HUGEINT)"
            gcd, lcm = f"GCD({wide[0]}, {wide[1]})", f"LCM({wide[0]}, {wide[1]})"
        else:
            gcd = (
                f"AGGREGATE(SEQUENCE(1, {_STEPS}), NAMED_STRUCT('a', CAST(_1 AS BIGINT), 'b', "
                "CAST(_2 AS BIGINT)), (acc, step) -> CASE WHEN acc.b = 0 THEN acc ELSE "
                "NAMED_STRUCT('a', acc.b, 'b', acc.a % acc.b) END, "
                "acc -> ABS(CAST(acc.a AS DECIMAL(20, 0))))"
            )
            lcm = f"ABS(CAST(_1 AS DECIMAL(19, 0)) DIV {gcd} * CAST(_2 AS DECIMAL(19, 0)))"
        rows[f"gcd({kind},{kind})"] = (
            f"CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN CAST({gcd} AS {sql_type}) END"
        )
        rows[f"lcm({kind},{kind})"] = (
            "CASE WHEN _1 IS NULL OR _2 IS NULL THEN NULL WHEN _1 = 0 OR _2 = 0 THEN 0 "
            f"ELSE CAST({lcm} AS {sql_type}) END"
        )
    return rows


def _shifted(engine: Engine) -> dict[str, str]:
    """C shifts a smallint as an int, by the last five bits of the count."""
    if engine == "spark":
        left, right = "SHIFTLEFT(CAST(_1 AS INT), _2)", "SHIFTRIGHT(CAST(_1 AS INT), _2)"
        wrapped = f"(({left} & 65535) ^ 32768) - 32768"
    else:
        power = "(CAST(1 AS HUGEINT) << (_2 & 31))"
        wide = "CAST(_1 AS HUGEINT)"
        wrapped = f"(({wide} * {power} + 32768) % 65536 + 65536) % 65536 - 32768"
        right = f"({wide} - ({wide} % {power} + {power}) % {power}) // {power}"
    return {
        "int2shl": f"CAST({wrapped} AS SMALLINT)",
        "int2shr": f"CAST({right} AS SMALLINT)",
    }


def _bytes(engine: Engine, say: Words) -> dict[str, str]:
    """A number's bytes, the highest first, and the number that some bytes are."""
    rows, wide, number = {}, "DECIMAL(38, 0)", "CONV('0' || HEX(_1), 16, 10)"
    if engine == "duckdb":
        wide, number = "HUGEINT", "'0x0' || HEX(_1)"
    for kind, sql_type, size in (
        ("int2", "SMALLINT", 2),
        ("int4", "INT", 4),
        ("int8", "BIGINT", 8),
    ):
        digits = "'000000000000000' || HEX(CAST(_1 AS BIGINT))"
        rows[f"bytea({kind})"] = f"UNHEX(RIGHT({digits}, {size * 2}))"
        read = f"CAST({number} AS {wide})"
        half, whole = (f"CAST('{2**bits}' AS {wide})" for bits in (size * 8 - 1, size * 8))
        rows[f"{kind}(bytea)"] = (
            f"CASE WHEN OCTET_LENGTH(_1) > {size} THEN "
            f"CAST({say.fails(f'{sql_type.lower()} out of range')} AS {sql_type}) "
            f"ELSE CAST(({read} + {half}) % {whole} - {half} AS {sql_type}) END"
        )
    return rows


def _bucket(say: Words) -> str:
    """Which of _4 buckets between _2 and _3 holds _1; 0 before the first."""
    inf = "CAST('Infinity' AS DOUBLE)"

    def place(low: str, high: str, value: tuple[str, str]) -> str:
        near = f"({value[0]} - {value[1]}) / ({high} - {low})"
        far = f"({value[0]} / 2 - {value[1]} / 2) / ({high} / 2 - {low} / 2)"
        quotient = f"CASE WHEN {high} - {low} < {inf} THEN {near} ELSE {far} END"
        return f"LEAST(CAST(FLOOR(_4 * {quotient}) AS BIGINT), CAST(_4 AS BIGINT) - 1) + 1"

    def fails(message: str) -> str:
        return f"CAST({say.fails(message)} AS INT)"

    above = "CAST(CAST(_4 AS BIGINT) + 1 AS INT)"
    return (
        "CASE WHEN _1 IS NULL OR _2 IS NULL OR _3 IS NULL OR _4 IS NULL THEN NULL "
        f"WHEN _4 <= 0 THEN {fails('count must be greater than zero')} "
        "WHEN ISNAN(_1) OR ISNAN(_2) OR ISNAN(_3) OR ABS(_2) = "
        f"{inf} OR ABS(_3) = {inf} THEN {fails('bounds must be finite and nothing may be NaN')} "
        f"WHEN _2 = _3 THEN {fails('lower bound cannot equal upper bound')} "
        f"WHEN _2 < _3 AND _1 < _2 OR _2 > _3 AND _1 > _2 THEN 0 "
        f"WHEN _2 < _3 AND _1 >= _3 OR _2 > _3 AND _1 <= _3 THEN {above} "
        f"WHEN _2 < _3 THEN CAST({place('_2', '_3', ('_1', '_2'))} AS INT) "
        f"ELSE CAST({place('_3', '_2', ('_2', '_1'))} AS INT) END"
    )
