"""Two dates or times of a jsonpath beside each other.

Example
    ============================== ===================================================
    beside each other              the condition
    ============================== ===================================================
    dates and local timestamps     compared; a date is its midnight
    timestamps with zones          compared as the moments that they are
    a date and a time              unknown
    a date and one with a zone     raises, as PostgreSQL does outside of `jsonb_path_…_tz`
    ============================== ===================================================

PostgreSQL
    jsonpath_exec.c, compareDatetime().
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters.literals import jsonpath_moments
from filtersql.filters.literals.jsonpath_trees import TURNED, Compare, Sum

if TYPE_CHECKING:
    from filtersql.filters.json_walks import Walker
    from filtersql.filters.writer import Writer

__all__ = ["compare"]

_NEEDS_ZONE = "cannot convert the value without time zone usage"


def compare(walker: Walker, tree: Compare, current: exp.Expr | None, depth: int) -> exp.Expr:
    """A comparison of dates and times."""
    left, right, symbol = tree.left, tree.right, tree.symbol
    if isinstance(left, Sum) or isinstance(right, Sum):
        raise walker.refused()
    if left.base == "=":
        left, right, symbol = right, left, TURNED[symbol]
    writer = walker.writer
    if right.base == "=":
        known = jsonpath_moments.constant(right)
        if left.base == "=" or known is None:
            raise walker.refused()
        text = writer.text(known)
        return walker.some(left, current, depth, lambda one: _compared(writer, one, symbol, text))
    pairs = walker.some(
        left,
        current,
        depth,
        lambda one: walker.some(
            right, current, depth + 1, lambda other: _compared(writer, one.copy(), symbol, other)
        ),
    )
    return walker.known(right, current, depth, pairs)


def _compared(writer: Writer, one: exp.Expr, symbol: str, other: exp.Expr) -> exp.Expr:
    """Two texts that a method of `item_moments` made."""
    sign = {"==": "=", "!=": "<>"}.get(symbol, symbol)
    problem = writer.cast(writer.piece(".raise", writer.text(_NEEDS_ZONE)), "BOOLEAN")
    return writer.filled(
        f"CASE WHEN LEFT(_1, 1) = LEFT(_2, 1) THEN _1 {sign} _2 "
        "WHEN LEFT(_1, 1) <> 't' AND LEFT(_2, 1) <> 't' THEN _3 END",
        one, other, problem,
    )  # fmt: skip
