"""Which numeric comparison raises where the last digits of a quotient or power would decide it.

Example
    `n / n2 + n2 / n > 2` is compared as doubles, so it does; `n / n2 > 2` without dividing; and of
    `n / 3 = 3.3333333333333333` the last digit decides.
"""

from __future__ import annotations

from sqlglot import exp

from filtersql.errors.filters import NotTranslated
from filtersql.filters import writing
from filtersql.filters.approximate_numbers import is_rounded, is_undeclared
from filtersql.filters.approximate_pairs import DIGITS
from filtersql.filters.division import QUOTIENT, is_quotient
from filtersql.filters.nodes import Func, Node, Op, walk
from filtersql.filters.numerics import MOST, digits
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
        and any(map(_may_lose_digits, node.args))
        and _raises(passage, node)
    ]


def _may_lose_digits(node: Node) -> bool:
    if not isinstance(node, (Func, Op)):
        return False
    if is_rounded(node) or any(map(is_quotient, walk(node))):
        return True
    # more digits than a DECIMAL has; of columns of any digits the notice is another
    size = digits(node)
    return (size is None or sum(size) > MOST) and not is_undeclared(node)


def _raises(passage: Passage, node: Node) -> bool:

    try:
        written = writing.writer_of("duckdb", exp.column, passage).put(node)
    except NotTranslated:
        return False
    return any(one.name in (DIGITS, QUOTIENT) for one in written.find_all(exp.Literal))
