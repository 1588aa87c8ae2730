"""Which numeric comparison raises where the last digits of a quotient or power would decide it.

Example
    `n / n2 + n2 / n > 2` is compared as doubles, so it does; `n / n2 > 2` without dividing.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters.approximate_numbers import is_rounded
from filtersql.filters.approximate_pairs import DIGITS
from filtersql.filters.nodes import Func, Node, Op, walk
from filtersql.source import Passage

__all__ = ["decided_by"]

_COMPARISONS = {f"numeric_{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def decided_by(passage: Passage, tree: Node) -> list[Op | Func]:
    """The comparisons of numerics that the last digits may decide."""
    return [
        node
        for node in walk(tree)
        if isinstance(node, (Func, Op))
        and node.function.name in _COMPARISONS
        and any(map(is_rounded, node.args))
        and _raises(passage, node)
    ]


def _raises(passage: Passage, node: Node) -> bool:
    from filtersql.filters.writing import Writer

    try:
        written = Writer("duckdb", exp.column, passage).put(node)
    except NotTranslated:
        return False
    return any(one.name == DIGITS for one in written.find_all(exp.Literal))
