"""crc32() and crc32c(): a fold over the halves of the bytes.

Example
    `crc32c('\\x313233343536373839')` is 3808858755: the lower half of a byte is taken first, and a
    table of sixteen words says what four bits do to the rest.

PostgreSQL
    src/common/pg_crc.c, the tables pg_crc32_table; varlena.c: crc32_bytea(), crc32c_bytea().
"""

from __future__ import annotations

from filtersql.filters.write.writer import Family
from filtersql.storage import Engine

__all__ = ["FAMILY"]

_WORD = 4294967295
#: the polynomials, lowest bit first
_POLYNOMIALS = {"crc32": 0xEDB88320, "crc32c": 0x82F63B78}
_DIGITS = "'123456789ABCDEF'"
#: of the digits of byte after byte, the second of each comes first
_DIGIT = "SUBSTRING(HEX(_1), CAST(i + 2 - 2 * (i % 2) AS INT), 1)"


def _rows(engine: Engine) -> dict[str, str]:
    """The rows of an engine."""
    return {name: _row(engine, polynomial) for name, polynomial in _POLYNOMIALS.items()}


def _words(polynomial: int) -> str:
    """What each four bits do."""
    found = []
    for word in range(16):
        for _ in range(4):
            word = word >> 1 ^ (polynomial if word & 1 else 0)
        found.append(f"CAST({word} AS BIGINT)")
    return ", ".join(found)


def _row(engine: Engine, polynomial: int) -> str:
    table = _words(polynomial)
    if engine == "spark":
        half = f"LOCATE({_DIGIT}, {_DIGITS})"
        step = f"SHIFTRIGHT(s, 4) ^ ARRAY({table})[CAST((s & 15) ^ {half} AS INT)]"
        whole = (
            f"AGGREGATE(SEQUENCE(0, 2 * OCTET_LENGTH(_1) - 1), CAST({_WORD} AS BIGINT), "
            f"(s, i) -> {step}) ^ {_WORD}"
        )
    else:
        halves = (
            "LIST_TRANSFORM(RANGE(0, 2 * OCTET_LENGTH(_1)), "
            f"i -> CAST(INSTR({_DIGITS}, {_DIGIT}) AS BIGINT))"
        )
        step = f"XOR(s >> 4, LIST_EXTRACT([{table}], XOR(s & 15, k) + 1))"
        whole = f"XOR(LIST_REDUCE({halves}, (s, k) -> {step}, CAST({_WORD} AS BIGINT)), {_WORD})"
    return (
        "CASE WHEN OCTET_LENGTH(_1) = 0 THEN CAST(0 AS BIGINT) "
        f"WHEN NOT _1 IS NULL THEN {whole} END"
    )


FAMILY = Family(rows={"spark": _rows("spark"), "duckdb": _rows("duckdb")})
