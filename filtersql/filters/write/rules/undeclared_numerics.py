"""A numeric column without declared digits, as a DECIMAL where it fits into one.

Example
    ============ ==============================================================
    filter       written
    ============ ==============================================================
    `m + k > 5`  the sum of both as DECIMALs: what does not fit raises
    ============ ==============================================================

    Such a column is stored as PostgreSQL's text. Nearly all rows fit, and engines are fast with
    them.

PostgreSQL
    numeric.c: up to 131,072 digits before the point and 16,383 behind it, NaN, two infinities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from filtersql.filters.tree.nodes import Var
    from filtersql.filters.write.writer import Writer

__all__ = ["BROKEN", "FITTING", "NARROW", "fitted", "is_asked"]

#: digits before and behind the point
FITTING = (18, 10)
#: the same of the sides of a product, which has as many digits as both
NARROW = (12, 6)
#: said of what no numeric is stored as
BROKEN = "a numeric is not in PostgreSQL's form"
#: what the error of such a column begins with
_GUARD = "numeric column "


def fitted(writer: Writer, node: Var, size: tuple[int, int] = FITTING) -> exp.Expr:
    """The column as a DECIMAL; a value with more digits raises."""
    before, behind = size
    sql = f"DECIMAL({before + behind}, {behind})"
    pattern = rf"^-?[0-9]{{1,{before}}}([.][0-9]{{1,{behind}}}0*)?$"
    column = writer.column(node)
    problem = (
        f'{_GUARD}"{node.name}" has more than {before} digits before or {behind} behind the point'
    )
    fits = writer.piece(".matches", column, writer.text(pattern))
    return writer.case(
        [(fits, writer.cast(column.copy(), sql))],
        writer.case(
            [(writer.is_null(column.copy()), writer.cast(writer.null(), sql))],
            writer.cast(writer.piece(".raise", writer.text(problem)), sql),
        ),
    )


def is_asked(written: exp.Expr, name: str) -> bool:
    """Whether it hangs on the digits of a column whether an expression raises."""
    limit = f'{_GUARD}"{name}" has more than'
    return any(literal.name.startswith(limit) for literal in written.find_all(exp.Literal))
