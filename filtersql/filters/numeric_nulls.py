"""IS NULL of numerics that are computed from columns of any digits: no digit decides it.

Example
    ============================ ====================================================
    filter                       written as
    ============================ ====================================================
    `m + k IS NULL`              m IS NULL OR k IS NULL
    `nullif(m + k, 0) IS NULL`   m + k = 0, else the same
    `coalesce(m * k, n) IS NULL` the first is NULL, and the second is
    ============================ ====================================================

    PostgreSQL computes the sum all the same, and raises where it has more digits than a numeric
    may have: so does a row on which that could be.

PostgreSQL
    fmgr.c: a strict function is not called for NULL. numeric.c, make_result().
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters.approximate_numbers import is_undeclared
from filtersql.filters.choices import conditional
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Case, Coalesce, Func, Node, NullIf, Op, Relabel, Var, walk
from filtersql.filters.numeric_sums import is_of_integer
from filtersql.filters.raising import may_raise
from filtersql.filters.undeclared import OVERFLOW

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = ["computes", "is_null"]

#: strict, and without an error but for too many digits
_PLAIN = {"numeric_add", "numeric_sub", "numeric_mul", "numeric_uminus", "numeric_uplus",
          "numeric_abs", "abs", "sign", "ceil", "ceiling", "floor", "round", "trunc",
          "trim_scale"}  # fmt: skip
#: fewer digits than a numeric may have
_MOST_DIGITS = 131_000


def computes(node: Node) -> bool:
    """Whether something is computed from a column of any digits."""
    return any(
        isinstance(item, (Func, Op)) and item.type == "numeric" and is_undeclared(item)
        for item in walk(node)
        if not isinstance(item, NullIf)
    )


def is_null(writer: Writer, node: Node) -> exp.Expr | None:
    """IS NULL of such a number; None: it is written another way."""
    if node.type != "numeric":
        return None
    known = fold(node)
    if known is not None:
        special = isinstance(known.value, Decimal) and not known.value.is_finite()
        return exp.false() if special else None
    while isinstance(node, Relabel):
        node = node.arg
    if not computes(node):
        return None
    match node:
        case Case():
            return conditional(writer, node, writer.null_of)
        case Coalesce():
            whole = writer.null_of(node.args[-1])
            for arg in node.args[-2::-1]:
                whole = writer.case([(writer.null_of(arg), whole)], exp.false())
            return whole
        case NullIf():
            equal = writer.comparison(node, node.function, *node.args)
            return writer.case([(equal, exp.true())], writer.null_of(node.args[0]))
    leaves = _leaves(node)
    return None if leaves is None else _of_leaves(writer, node, leaves)


def _leaves(node: Node) -> list[Node] | None:
    """What the NULL of an expression hangs on; None: also on values."""
    if isinstance(node, Relabel):
        return _leaves(node.arg)
    known = fold(node)
    if known is not None:
        return [node] if known.value is None else []
    if isinstance(node, Var):
        return [node]
    if isinstance(node, (Func, Op)) and not isinstance(node, NullIf):
        name = node.function.name
        if is_of_integer(node):
            return None if may_raise(node.args[0]) else [node.args[0]]
        if name in _PLAIN and all(arg.type == "numeric" or fold(arg) for arg in node.args):
            found: list[Node] = []
            for arg in node.args:
                leaves = _leaves(arg)
                if leaves is None:
                    return None
                found += leaves
            return found
    return None if is_undeclared(node) or may_raise(node) else [node]


def _of_leaves(writer: Writer, node: Node, leaves: Sequence[Node]) -> exp.Expr:
    distinct = {writer.null_of(leaf).sql(): leaf for leaf in leaves}
    missing = exp.or_(*(writer.null_of(leaf) for leaf in distinct.values()), copy=False)
    grows = any(
        isinstance(item, (Func, Op)) and item.function.name.startswith("numeric_")
        and len(item.args) == 2 for item in walk(node)
    )  # fmt: skip
    if not grows:
        return missing
    constants = [fold(item) for item in walk(node)]
    digits = sum(
        len(one.value.as_tuple().digits) + abs(one.value.adjusted())
        for one in constants
        if one is not None and isinstance(one.value, Decimal) and one.value.is_finite()
    )
    lengths = writer.integer(digits)
    for leaf in leaves:
        if isinstance(leaf, Var) and is_undeclared(leaf):
            lengths = writer.filled("_1 + LENGTH(_2)", lengths, writer.column(leaf))
    overflow = writer.cast(writer.piece(".raise", writer.text(OVERFLOW)), "BOOLEAN")
    return writer.case([(writer.filled(f"_1 > {_MOST_DIGITS}", lengths), overflow)], missing)
