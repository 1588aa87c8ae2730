"""Numerics whose exact digits no DECIMAL holds: as doubles, with how far they may be off.

Example
    ================================ ===================================================
    filter                           compared
    ================================ ===================================================
    `n / 3 + n2 / 3 > 1`             as doubles; a row on which their last digits decide raises
    `nu * nv > 5` (any digits)       the same; 2.5 * 2 is a double, so nothing decides there
    `exp(n) > n2`                    the same
    ================================ ===================================================

    A numeric of few digits that is a number of eighths is the double itself, and sums and products
    of such are exact as long as they are small. PostgreSQL's own quotients, roots and powers have
    16 digits and more.

PostgreSQL
    numeric.c: select_div_scale(), numeric_exp(), numeric_ln(), numeric_power().
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters.approximate_rules import INF, Rule, rule_of
from filtersql.filters.engines.binding import VALUE
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Func, Node, Op, Var, walk

if TYPE_CHECKING:
    from filtersql.filters.writer import Writer

__all__ = [
    "EIGHTH",
    "NEAR",
    "SUMS",
    "bound",
    "exactly",
    "is_rounded",
    "is_undeclared",
    "leaf",
    "rule_of_numbers",
]

#: much more than the few units by which two libraries can differ
NEAR = "CAST('1e-14' AS DOUBLE)"
SUMS = {"numeric_add": "+", "numeric_sub": "-"}
#: digits of which no two numbers are one double
_FEW = 15
EIGHTH = "CAST('0.125' AS DOUBLE)"
_LOGARITHM = Rule(
    "LN(_2) / LN(_1)",
    "(_1 <= 0 OR _1 = 1) AND NOT _2 IS NULL OR _2 <= 0 AND NOT _1 IS NULL",
    "_2 = 1 OR _1 = _2",
    doubt="_2 <= 100 * _5 OR _1 <= 100 * _4 OR ABS(_1 - 1) <= 100 * _4",
)
_SQUARE = f"_3 % {EIGHTH} = 0 AND _3 * _3 = _1 AND _3 < 4294967296"
_NAMES = {
    **dict.fromkeys(("exp", "numeric_exp"), "exp(float8)"),
    **dict.fromkeys(("ln", "numeric_ln"), "ln(float8)"),
    **dict.fromkeys(("log", "log10", "numeric_log"), "log(float8)"),
    **dict.fromkeys(("power", "pow", "numeric_power"), "power(float8,float8)"),
    **dict.fromkeys(("sqrt", "numeric_sqrt"), "sqrt(float8)"),
}
_EXACT = {"exp(float8)": "_1 = 0", "sqrt(float8)": _SQUARE}


def rule_of_numbers(node: Func | Op) -> Rule | None:
    """The rule of a function of numerics."""
    name = _NAMES.get(node.function.name)
    if name is None or not node.args or node.args[0].type != "numeric":
        return None
    if len(node.args) == 2 and name == "log(float8)":
        return _LOGARITHM
    found = rule_of(name)
    return found._replace(exact=_EXACT.get(name, found.exact)) if found else None


def is_rounded(node: Node) -> bool:
    """Whether a numeric is computed by what rounds, or may have more digits than a DECIMAL."""
    from filtersql.filters.division import is_quotient
    from filtersql.filters.numerics import digits

    return any(
        isinstance(item, (Func, Op))
        and ((is_quotient(item) and digits(item) is None) or rule_of_numbers(item) is not None)
        for item in walk(node)
    )


def is_undeclared(node: Node) -> bool:
    """Whether a column of any digits is in it, of which a DECIMAL holds few."""
    return any(
        isinstance(item, Var) and item.type == "numeric" and not item.decimal for item in walk(node)
    )


def leaf(writer: Writer, node: Node) -> exp.Expr:
    """The pair of a numeric that has a form by itself; else NotTranslated."""
    from filtersql.filters import numerics

    known = fold(node)
    if known is not None and isinstance(known.value, Decimal):
        number = float(known.value)
        exact = not known.value.is_finite() or Decimal(number) == known.value
        if known.value.is_finite() and (math.isinf(number) or (not number and known.value)):
            raise writer.refused(node, "A double cannot hold it.")
        value = writer.cast(writer.text(str(known.value)), "DOUBLE")
        return _pair(writer, value, "FALSE") if not exact else exactly(writer, value)
    if isinstance(node, Var) and not node.decimal and not node.special and not node.target_type:
        column = writer.column(node)
        read = writer.piece(".text_to_float8", column)
        few = f"LENGTH(_2) <= {_FEW} AND _1 % {EIGHTH} = 0"
        held = _pair(writer, exp.column("number"), few, column.copy())
        return bound(writer, [("number", read)], held)
    size = numerics.digits(node)
    if size is None:
        raise writer.refused(node, "filtersql has no exact form for it yet.")
    value = writer.piece(".decimal_to_float8", numerics.put(writer, node))
    few = f"CAST('1e{_FEW - size.behind}' AS DOUBLE)"
    return _pair(writer, value, f"_1 % {EIGHTH} = 0 AND ABS(_1) < {few}")


def bound(writer: Writer, values: list[tuple[str, exp.Expr]], whole: exp.Expr) -> exp.Expr:
    """An expression in which names stand for values."""
    for name, value in reversed(values):
        whole = writer.filled(VALUE[writer.engine].format(name), value, whole)
    return whole


def exactly(writer: Writer, value: exp.Expr) -> exp.Expr:
    """The pair of a double that is the value itself."""
    return writer.piece(".pair", value, writer.filled("CAST('0' AS DOUBLE)"))


def _pair(writer: Writer, value: exp.Expr, exact: str, *more: exp.Expr) -> exp.Expr:
    off = f"CASE WHEN {exact} OR _1 = 0 OR ISNAN(_1) OR ABS(_1) = {INF} THEN CAST('0' AS DOUBLE) "
    error = writer.filled(f"{off}ELSE {NEAR} * ABS(_1) END", value.copy(), *more)
    return writer.piece(".pair", value, error)
