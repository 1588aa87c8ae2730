"""The sign of a DECIMAL, changed without its digits.

Example
    =========== ========================= ==============================================
    filter      digits                    written for Spark
    =========== ========================= ==============================================
    `-n > 5`    34 and less               `-n > 5`
    `-n > 5`    35 to 38                  the text of n with the other sign, as a DECIMAL
    `abs(n)`    35 to 38                  the text of n without its sign, where it has one
    =========== ========================= ==============================================

    Spark negates a DECIMAL with Scala's BigDecimal, which rounds to 34 digits then.

PostgreSQL
    numeric.c: numeric_uminus(), numeric_abs().
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

    from filtersql.filters.writer import Writer

__all__ = ["MOST_NEGATED", "magnitude", "negated"]

#: java.math.MathContext.DECIMAL128
MOST_NEGATED = 34
_BARE = "SUBSTRING(CAST(_1 AS TEXT), 2)"


def negated(writer: Writer, value: exp.Expr, digits: int, sql: str) -> exp.Expr:
    """The value with the other sign, a DECIMAL of so many digits."""
    if writer.engine != "spark" or digits <= MOST_NEGATED:
        return writer.filled("-_1", value)
    text = writer.filled(f"CASE WHEN _1 < 0 THEN {_BARE} ELSE '-' || CAST(_1 AS TEXT) END", value)
    return writer.cast(text, sql)


def magnitude(writer: Writer, value: exp.Expr, digits: int, sql: str) -> exp.Expr:
    """The value without its sign."""
    if writer.engine != "spark" or digits <= MOST_NEGATED:
        return writer.filled("ABS(_1)", value)
    text = writer.filled(_BARE, value)
    return writer.filled("CASE WHEN _1 < 0 THEN _2 ELSE _1 END", value, writer.cast(text, sql))
