"""Sums, differences and bits of addresses, which are keys of zeros and ones (`literals.networks`).

Example
    `ip + 1`: the bits become a number, or two of 64 bits each, and the sum becomes bits again.

PostgreSQL
    network.c: internal_inetpl(), inetmi(), inetand(), inetor(), inet_merge().
"""

from __future__ import annotations

from filtersql.filters.engines.interval_pieces import Words, words
from filtersql.storage import Engine

__all__ = ["network_kinds"]

_HALF = 2**64
#: in C, the least bigint is its own negative
_NEGATED = (
    f"(CASE WHEN CAST(_2 AS DECIMAL(38, 0)) = {-(2**63)} THEN 1 ELSE -1 END "
    "* CAST(_2 AS DECIMAL(19, 0)))"
)


def network_kinds(engine: Engine) -> dict[str, str]:
    """The rows of an engine."""
    say = words(engine)
    plus = _moved(say, engine, "_1", "CAST(_2 AS DECIMAL(38, 0))")
    return {
        "inetpl": plus,
        "int8pl_inet": _moved(say, engine, "_2", "CAST(_1 AS DECIMAL(38, 0))"),
        "inetmi_int8": _moved(say, engine, "_1", _NEGATED),
        "inetmi": _difference(say, engine),
        "inet_merge": _merged(say, engine),
        "inetand": _paired(say, engine, "{0} = '1' AND {1} = '1'", "{0} & {1}"),
        "inetor": _paired(say, engine, "{0} = '1' OR {1} = '1'", "{0} | {1}"),
    }


def _bits(key: str) -> str:
    return f"REPLACE(SUBSTRING({key}, 2), ' ', '')"


def _number(bits: str, engine: Engine) -> str:
    if engine == "spark":
        return f"CAST(CONV({bits}, 2, 10) AS DECIMAL(38, 0))"
    return f"CAST(CAST('0b' || {bits} AS HUGEINT) AS DECIMAL(38, 0))"


def _shown(number: str, size: int, engine: Engine) -> str:
    if engine == "spark":
        return f"LPAD(CONV(CAST({number} AS STRING), 10, 2), {size}, '0')"
    return f"LPAD(BIN(CAST({number} AS UHUGEINT)), {size}, '0')"


def _let(name: str, value: str, result: str, engine: Engine) -> str:
    """`result`, in which `name` stands for `value`."""
    if engine == "spark":
        return f"TRY_ELEMENT_AT(TRANSFORM(ARRAY({value}), {name} -> {result}), 1)"
    return f"LIST_EXTRACT([{result} FOR {name} IN [{value}]], 1)"


def _spaced(bits: str, size: str) -> str:
    return f"LEFT({bits}, {size}) || ' ' || SUBSTRING({bits}, {size} + 1)"


def _of_known(result: str) -> str:
    return f"CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN {result} END"


def _moved(say: Words, engine: Engine, given: str, count: str) -> str:
    key = "a6"
    bits = _bits(key)
    size = f"CAST(INSTR({key}, ' ') - 2 AS INT)"
    out = say.fails("result is out of range")
    result = _spaced("sum_", size)
    short = _let(
        "n4",
        f"{_number(bits, engine)} + {count}",
        f"CASE WHEN n4 BETWEEN 0 AND {2**32 - 1} THEN {_shown('n4', 32, engine)} ELSE {out} END",
        engine,
    )
    high, low = _number(f"LEFT({bits}, 64)", engine), _number(f"SUBSTRING({bits}, 65)", engine)
    total = f"{low} + {count}"
    carry = f"CASE WHEN n6 < 0 THEN -1 WHEN n6 >= {_HALF} THEN 1 ELSE 0 END"
    upper, lower = f"{high} + {carry}", f"n6 - ({carry}) * CAST('{_HALF}' AS DECIMAL(38, 0))"
    fits = f"{upper} BETWEEN 0 AND {_HALF - 1}"
    both = f"{_shown(f'({upper})', 64, engine)} || {_shown(f'({lower})', 64, engine)}"
    long = _let("n6", total, f"CASE WHEN {fits} THEN {both} ELSE {out} END", engine)
    added = f"CASE WHEN LEFT({key}, 1) = '4' THEN {short} ELSE {long} END"
    moved = f"LEFT({key}, 1) || {_let('sum_', added, result, engine)}"
    return _of_known(_let("a6", given, moved, engine))


def _difference(say: Words, engine: Engine) -> str:
    first, second = _bits("a6"), _bits("b6")
    differ = say.fails("cannot subtract inet values of different sizes")
    short = f"{_number(first, engine)} - {_number(second, engine)}"
    upper = " - ".join(_number(f"LEFT({bits}, 64)", engine) for bits in (first, second))
    lower = " - ".join(_number(f"SUBSTRING({bits}, 65)", engine) for bits in (first, second))
    near = f"CAST(({upper}) AS DECIMAL(3, 0)) * CAST('{_HALF}' AS DECIMAL(20, 0)) + ({lower})"
    # What is farther than this from zero is no bigint, whatever the lower half is.
    far = say.fails("result is out of range")
    long = f"CASE WHEN ABS({upper}) > 1 THEN CAST({far} AS BIGINT) ELSE CAST({near} AS BIGINT) END"
    return _of_both(
        f"CASE WHEN LEFT(a6, 1) <> LEFT(b6, 1) THEN CAST({differ} AS BIGINT) "
        f"WHEN LEFT(a6, 1) = '4' THEN CAST({short} AS BIGINT) ELSE {long} END",
        engine,
    )


def _merged(say: Words, engine: Engine) -> str:
    """The smallest network that has both in it: as many bits as they begin with alike."""
    first, second = _bits("a6"), _bits("b6")
    size = "CAST(LEAST(INSTR(a6, ' '), INSTR(b6, ' ')) - 2 AS INT)"
    alike = f"LEFT({first}, i) = LEFT({second}, i)"
    if engine == "spark":
        count = f"SIZE(FILTER(SEQUENCE(1, {size}), i -> {alike}))"
        count = f"CASE WHEN {size} > 0 THEN {count} ELSE 0 END"
    else:
        count = f"CAST(LENGTH([i FOR i IN RANGE(1, {size} + 1) IF {alike}]) AS INT)"
    rest = f"REPEAT('0', CAST(LENGTH({first}) - n4 AS INT))"
    network = f"LEFT(a6, 1) || LEFT({first}, n4) || ' ' || {rest}"
    differ = say.fails("cannot merge addresses from different families")
    return _of_both(
        f"CASE WHEN LEFT(a6, 1) <> LEFT(b6, 1) THEN {differ} "
        f"ELSE {_let('n4', count, network, engine)} END",
        engine,
    )


def _of_both(result: str, engine: Engine) -> str:
    """`result` of two addresses, the keys of which are called `a6` and `b6` in it."""
    array, item = ("ARRAY({})", "TRY_ELEMENT_AT") if engine == "spark" else ("[{}]", "LIST_EXTRACT")
    result = result.replace("a6", f"{item}(ab, 1)").replace("b6", f"{item}(ab, 2)")
    return _of_known(_let("ab", array.format("_1, _2"), result, engine))


def _paired(say: Words, engine: Engine, test: str, native: str) -> str:
    first, second = _bits("a6"), _bits("b6")
    if engine == "duckdb":
        both = native.format(f"CAST({first} AS BIT)", f"CAST({second} AS BIT)")
        both = f"CAST({both} AS TEXT)"
    else:
        condition = test.format(f"SUBSTRING({first}, i, 1)", f"SUBSTRING({second}, i, 1)")
        both = (
            f"ARRAY_JOIN(TRANSFORM(SEQUENCE(1, LENGTH({first})), i -> "
            f"CASE WHEN {condition} THEN '1' ELSE '0' END), '')"
        )
    size = "CAST(GREATEST(INSTR(a6, ' '), INSTR(b6, ' ')) - 2 AS INT)"
    differ = say.fails("cannot combine inet values of different sizes")
    return _of_both(
        f"CASE WHEN LEFT(a6, 1) <> LEFT(b6, 1) THEN {differ} "
        f"ELSE LEFT(a6, 1) || {_let('both_', both, _spaced('both_', size), engine)} END",
        engine,
    )
