"""A numeric column without declared digits, as a DECIMAL where it fits into one.

Example
    ============ ==============================================================
    filter       written
    ============ ==============================================================
    `m + 1 > 5`  `CASE WHEN m fits THEN CAST(m AS DECIMAL) + 1 > 5 ELSE … END`
    the same     with `m` fitted in its place, which raises where it does not
    ============ ==============================================================

    Such a column is stored as PostgreSQL's text. Nearly all rows fit, and engines are fast with
    them; what is asked of others is written behind them.

PostgreSQL
    numeric.c: up to 131,072 digits before the point and 16,383 behind it, NaN, two infinities.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from filtersql.filters.nodes import Var
    from filtersql.filters.writer import Writer

__all__ = ["BROKEN", "FITTING", "OVERFLOW", "fitted", "is_asked", "without_guards"]

#: digits before and behind the point
FITTING = (18, 10)
_SQL = f"DECIMAL({sum(FITTING)}, {FITTING[1]})"
_PATTERN = rf"^-?[0-9]{{1,{FITTING[0]}}}([.][0-9]{{1,{FITTING[1]}}}0*)?$"
#: said of what no numeric is stored as
BROKEN = "a numeric is not in PostgreSQL's form"
#: what PostgreSQL says of more digits than a numeric has
OVERFLOW = "value overflows numeric format"
#: what the error of such a column begins with
_GUARD = "numeric column "
_RAISING = {"error", "raise_error"}


def fitted(writer: Writer, node: Var) -> exp.Expr:
    """The column as a DECIMAL; a value with more digits raises."""
    column = writer.column(node)
    problem = (
        f'{_GUARD}"{node.name}" has more than {FITTING[0]} digits before '
        f"or {FITTING[1]} behind the point"
    )
    fits = writer.piece(".matches", column, writer.text(_PATTERN))
    return writer.case(
        [(fits, writer.cast(column.copy(), _SQL))],
        writer.case(
            [(writer.is_null(column.copy()), writer.cast(writer.null(), _SQL))],
            writer.cast(writer.piece(".raise", writer.text(problem)), _SQL),
        ),
    )


def without_guards(written: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """An expression in which every such column fits, and the tests that they do."""
    if not any(map(_is_guard, written.find_all(exp.Case))):
        return written, []
    tests: dict[str, exp.Expr] = {}

    def fitting(node: exp.Expr) -> exp.Expr:
        if not _is_guard(node):
            return node
        (matches,), (missing,) = node.args["ifs"], node.args["default"].args["ifs"]
        test = exp.or_(missing.this, matches.this)
        tests.setdefault(test.sql(), test)
        cast: exp.Expr = matches.args["true"]
        return cast.copy()

    return written.transform(fitting), list(tests.values())


def is_asked(written: exp.Expr, name: str) -> bool:
    """Whether it hangs on the digits of a column whether an expression raises."""
    limit = f'{_GUARD}"{name}" has more than'
    return any(
        literal.name.startswith(limit)
        or (
            literal.name == _PATTERN
            and literal.parent is not None
            and any(column.name == name for column in literal.parent.find_all(exp.Column))
            and _raises_beyond(literal)
        )
        for literal in written.find_all(exp.Literal)
    )


def _raises_beyond(pattern: exp.Expr) -> bool:
    """Whether what is written behind a test of digits raises, where PostgreSQL does not."""
    choice = pattern.find_ancestor(exp.Case)
    beyond = choice.args.get("default") if choice is not None else None
    return beyond is not None and any(
        call.name.lower() in _RAISING and call.expressions[0].name not in (OVERFLOW, BROKEN)
        for call in beyond.find_all(exp.Anonymous)
    )


def _is_guard(node: exp.Expr) -> bool:
    """Whether it is what `fitted` writes."""
    beyond = node.args.get("default") if isinstance(node, exp.Case) else None
    cast = beyond.args.get("default") if isinstance(beyond, exp.Case) else None
    raised = cast.this if isinstance(cast, exp.Cast) else None
    return isinstance(raised, exp.Anonymous) and raised.expressions[0].name.startswith(_GUARD)
