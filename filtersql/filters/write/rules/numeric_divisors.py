"""gcd() and lcm() of numerics: Euclid's steps over numbers with as many places.

Example
    `gcd(n, 2)` over numeric(12,3) is 0.5 for 1.5: the divisor of 1500 and 2000 thousandths.

PostgreSQL
    numeric.c: numeric_gcd(), numeric_lcm().
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.filters.write.writer import Writer

__all__ = ["NAMES", "common", "digits_of", "too_wide"]

NAMES = ("gcd", "lcm")
#: digits of a number that Spark's ABS does not round
_KEPT = 34
#: digits of which Spark's BIGINT can count how often one number fits into another
_COUNTED = 18
_KNOWN = "CASE WHEN NOT _1 IS NULL AND NOT _2 IS NULL THEN {} END"


def digits_of(name: str, first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
    """The digits before and behind the point that the result may have."""
    behind = max(first[1], second[1])
    if name == "gcd":
        return max(first[0], second[0]), behind
    return first[0] + second[0] + behind, behind


def too_wide(writer: Writer, name: str, size: tuple[int, int]) -> bool:
    """Whether the engine cannot hold a number that is met on the way."""
    most = {"lcm": _COUNTED, "gcd": _KEPT}.get(name)
    return writer.engine == "spark" and most is not None and sum(size) > most


def common(
    writer: Writer, name: str, pair: list[exp.Expr], size: tuple[int, int], sql: str
) -> exp.Expr:
    """The divisor, or the multiple, of two decimals of one size, as a decimal `sql`."""
    text = _of_spark(name, size) if writer.engine == "spark" else _of_duckdb(name, size[1])
    return writer.cast(writer.filled(_KNOWN.format(text), *pair), sql)


def _of_spark(name: str, size: tuple[int, int]) -> str:
    digits = max(sum(size), 1)
    divisor = (
        # Euclid's algorithm needs less than five steps for each digit
        f"AGGREGATE(SEQUENCE(1, {5 * digits + 2}), NAMED_STRUCT('a', _1, 'b', _2), (acc, step) -> "
        "CASE WHEN acc.b = 0 THEN acc ELSE NAMED_STRUCT('a', acc.b, 'b', "
        f"CAST(acc.a % acc.b AS DECIMAL({digits}, {size[1]}))) END, acc -> ABS(acc.a))"
    )
    if name == "gcd":
        return divisor
    counted = f"CAST(_1 DIV {divisor} AS DECIMAL({_COUNTED + 1}, 0))"
    return f"CASE WHEN _1 = 0 OR _2 = 0 THEN 0 * _2 ELSE ABS({counted} * _2) END"


def _of_duckdb(name: str, behind: int) -> str:
    """Whole numbers, of the digits without their point."""
    whole = [f"CAST(REPLACE(CAST({one} AS TEXT), '.', '') AS HUGEINT)" for one in ("_1", "_2")]
    found = f"{name.upper()}({whole[0]}, {whole[1]})"
    if not behind:
        return found
    shown = f"'{'0' * behind}' || CAST({found} AS TEXT)"
    return f"REGEXP_REPLACE({shown}, '({'.' * behind})$', '.\\1')"
