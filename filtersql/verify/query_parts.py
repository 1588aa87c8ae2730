"""The nodes of a query: its own, and the queries in it.

Example
    of SELECT MAX(a) FROM t WHERE b > (SELECT c FROM u)
    ================= =================================
    own_nodes(query)  MAX(a), a, b > …, b
    inner_queries(…)  SELECT c FROM u
    ================= =================================
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from filtersql.filters.model import CLOCK

__all__ = ["inner_queries", "is_aggregate", "own_nodes"]


def own_nodes(select: exp.Select) -> Iterator[exp.Expr]:
    """The nodes of a query itself, without those of queries in it."""
    for key, value in select.args.items():
        if key in ("with_", "from_", "joins"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                yield from _walk(part)


def _walk(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Query):
        return
    yield node
    for child in node.iter_expressions():
        yield from _walk(child)


def is_aggregate(node: exp.Expr) -> bool:
    """An aggregate function that is not a window's."""
    if not isinstance(node, exp.AggFunc):
        return False
    above = node.parent
    while isinstance(above, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        above = above.parent
    return not isinstance(above, exp.Window)


def inner_queries(node: exp.Expr, *, joined: bool) -> Iterator[exp.Expr]:
    """The outermost queries below a node; of a join those of its condition only."""
    if joined:
        on = node.args.get("on")
        if isinstance(on, exp.Expr):
            yield from inner_queries(on, joined=False)
        return
    if isinstance(node, exp.Select | exp.SetOperation):
        if not _is_clock(node):
            yield node
        return
    for child in node.iter_expressions():
        yield from inner_queries(child, joined=False)


def _is_clock(query: exp.Expr) -> bool:
    """Whether it reads a moment of the run's clock, which is that of all cases."""
    from_ = query.args.get("from_")
    others = {key for key, value in query.args.items() if value} - {"from_", "expressions", "kind"}
    return from_ is not None and not others and from_.this == exp.to_table(CLOCK)
