"""A numeric column without declared digits, as a DECIMAL where it fits into one.

Example
    ============ ==============================================================
    filter       written
    ============ ==============================================================
    `m + k > 5`  the sum of both as DECIMALs: what does not fit raises
    `m > 5`      the column as a DOUBLE > 5, or its text begins with 5 and goes on
    ============ ==============================================================

    Such a column is stored as PostgreSQL's text. Nearly all rows fit, and engines are fast with
    them. Of two numbers the larger one is never the smaller DOUBLE: only where both are the same
    DOUBLE, the digits decide; those of a constant of few digits stand at the head of the text then.

PostgreSQL
    numeric.c: up to 131,072 digits before the point and 16,383 behind it, NaN, two infinities.
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from filtersql.filters.engines import constants
from filtersql.filters.tree.nodes import Const, Func, Node, Op, Var
from filtersql.filters.tree.walking import walk
from filtersql.filters.write.writer import Writer

__all__ = ["BROKEN", "FITTING", "NARROW", "compared", "fitted", "is_asked", "unless_too_long"]

#: digits before and behind the point
FITTING = (18, 10)
#: the same of the sides of a product, which has as many digits as both
NARROW = (12, 6)
#: said of what no numeric is stored as
BROKEN = "a numeric is not in PostgreSQL's form"
#: digits of which no two numbers are one DOUBLE, and how far they may be from the point
_KEPT_APART, _FAREST = 15, 290
#: what the error of such a column begins with
_GUARD = "numeric column "
#: digits before the point of PostgreSQL's longest numeric, and behind it
_LONGEST, _FINEST = 131_072, 16_383
_PRODUCT = "numeric_mul"
_GROWING = {_PRODUCT, "numeric_add", "numeric_sub", "round", "ceil", "ceiling", "floor"}


def fitted(writer: Writer, node: Var, size: tuple[int, int] = FITTING) -> exp.Expr:
    """The column as a DECIMAL; a value with more digits raises."""
    before, behind = size
    sql = f"DECIMAL({before + behind}, {behind})"
    pattern = rf"^-?[0-9]{{1,{before}}}([.][0-9]{{1,{behind}}}0*)?$"
    column = writer.column(node)
    problem = (
        f'{_GUARD}"{node.name}" has more than {before} digits before or {behind} behind the point'
    )
    fits = writer.piece(".matches", column, pattern)
    return writer.case(
        [(fits, writer.cast(column, sql))],
        writer.case(
            [(writer.is_null(column), writer.cast(None, sql))], writer.raised(problem, sql)
        ),
    )


def compared(writer: Writer, symbol: str, node: Var, value: Decimal) -> exp.Expr | None:
    """The column beside a constant; None where that has more digits than a DOUBLE keeps apart.

    None also where the column has declared digits: the target holds it as a DECIMAL, not as text.
    """
    if node.decimal or not value.is_finite() or abs(value.adjusted()) > _FAREST:
        return None
    shown = format(value.copy_abs(), "f")
    shown = (shown.rstrip("0").rstrip(".") if "." in shown else shown) if value else "0"
    if len(shown.replace(".", "").strip("0")) > _KEPT_APART:
        return None
    # the side of the constant that is farther from zero; the other one is what is left
    farther = ("<", ">=") if value < 0 or (not value and symbol in ("<", ">=")) else (">", "<=")
    sign, digits = "-" if farther[0] == "<" else "", shown.replace(".", "[.]")
    more, zeros = ("[0-9]*", "0*") if "." in shown else ("([.][0-9]+)?", "([.]0+)?")
    beyond = "0*[1-9][0-9]*" if "." in shown else "[.]0*[1-9][0-9]*"
    number = constants.literal("float8", float(value), writer.engine)
    double = writer.piece(".numeric_double", writer.column(node))

    def text_is(pattern: str) -> exp.Expr:
        return writer.piece(".matches", writer.column(node), f"^{pattern}$")

    if symbol in ("=", "<>"):
        digits = f"-?{digits}" if not value else f"{'-' if value < 0 else ''}{digits}"
        equal = writer.filled("_1 = _2 AND _3", double, number, text_is(f"{digits}{zeros}"))
        return equal if symbol == "=" else exp.Not(this=exp.Paren(this=equal))
    strict = symbol in farther if value else symbol in ("<", ">", ">=", "<=")
    tail = beyond if strict else more
    if symbol[0] == farther[0]:
        return writer.filled(
            f"_1 {symbol[0]} _2 OR _3", double, number, text_is(f"{sign}{digits}{tail}")
        )
    return writer.filled(
        f"_1 {symbol[0]}= _2 AND NOT _3", double, number, text_is(f"{sign}{digits}{tail}")
    )


def is_asked(written: exp.Expr, name: str) -> bool:
    """Whether it hangs on the digits of a column whether an expression raises."""
    limit = f'{_GUARD}"{name}" has more than'
    return any(literal.name.startswith(limit) for literal in written.find_all(exp.Literal))


def unless_too_long(writer: Writer, node: Node, found: exp.Expr) -> exp.Expr:
    """Raises for a number so long that PostgreSQL's result is cut off, or too long for it."""
    nodes = list(walk(node))
    calls = [one for one in nodes if isinstance(one, (Func, Op))]
    names = {one.function.name for one in calls}
    if not names & _GROWING:
        return found
    most = _FINEST if _PRODUCT in names else _LONGEST
    held = (writer.held_text(one) for one in nodes if one.type == "numeric")
    undeclared = dict.fromkeys(text for text in held if text is not None)
    numbers = [one.value for one in nodes if isinstance(one, Const)]
    grown = [one.as_tuple() for one in numbers if isinstance(one, Decimal) and one.is_finite()]
    most -= len(nodes) + sum(len(digits) + abs(int(place)) for _, digits, place in grown)
    tests = [writer.filled(f"LENGTH(_1) > {max(most, 1)}", one) for one in undeclared]
    whens = [(test, writer.raised("a numeric has too many digits", "BOOLEAN")) for test in tests]
    return writer.case(whens, found) if whens else found
