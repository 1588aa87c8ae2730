"""A DECIMAL rounded, or cut, to places behind the point or before it.

Example
    `round(n, 1)` is ROUND(n, 1); `n::numeric(3, -1)` rounds to tens; `round(n, -20)` is 0, for
    no value has so many digits.

PostgreSQL
    numeric.c: round_var(), trunc_var(), apply_typmod().
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import Node
from filtersql.filters.write.writer import Writer

__all__ = ["at", "given"]


def at(
    writer: Writer, name: str, part: exp.Expr, given: tuple[int, int], places: int, sql: str
) -> exp.Expr:
    """The DECIMAL rounded, or cut, to so many places; before the point where they are negative."""
    if places >= given[1]:
        return writer.cast(part, sql)
    if -places > given[0] - (name == "trunc"):
        known = writer.is_not_null(part)
        return writer.case([(known, writer.cast(0, sql))], None)
    return writer.cast(writer.piece(f".{name}", part, places), sql)


def given(args: Sequence[Node]) -> int | None:
    """The places that a call names, None where they are no constant."""
    if len(args) == 1:
        return 0
    constant = fold(args[1])
    return constant.value if constant and isinstance(constant.value, int) else None
