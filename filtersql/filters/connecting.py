"""AND, OR and NOT: what PostgreSQL computes of them is computed, and nothing else.

Example
    ============================== ==========================================================
    filter                         written
    ============================== ==========================================================
    `a > 1 AND b > 1`              as it stands
    `a <> 0 AND 9 / a > 1`         FALSE where `a <> 0` is, else after `9 / a > 1`
    `9 / a > 1 AND b > 1`          after `9 / a > 1`
    `lower(c) = 'x' AND b > 1`     as it stands: only an engine raises on it, and may skip it
    ============================== ==========================================================

    PostgreSQL looks at the parts from left to right, and at no more of them once one decides.
    Engines compute both sides, or find out that one decides and leave the other away: Spark makes
    `c AND (a OR b)` of `(a AND c) OR (b AND c)`, knows that `s IS NOT DISTINCT FROM s`, and that no
    smallint is 100000. "After x" is a CASE that first asks for the length of x as text.

PostgreSQL
    execExprInterp.c, EEOP_BOOL_AND_STEP; clauses.c, simplify_and_arguments(), has a constant
    decide before anything is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from filtersql.filters import numeric_order
from filtersql.filters.engines.templates import joined, operand
from filtersql.filters.folding import fold
from filtersql.filters.nodes import Bool, Var, walk
from filtersql.filters.raising import may_raise, raises_there

if TYPE_CHECKING:
    from filtersql.filters.writing import Writer

__all__ = ["logic"]

#: calls that raise
_RAISING = {"error", "raise_error"}


def logic(writer: Writer, node: Bool) -> exp.Expr:
    """AND, OR, NOT; with a CASE where a part may raise."""
    parts = [writer.put(arg) for arg in node.args]
    if node.kind == "not":
        return exp.Not(this=operand(parts[0]))
    kept = [place for place, arg in enumerate(node.args) if raises_there(arg)]
    late = [
        place
        for place, arg in enumerate(node.args)
        if place and (may_raise(arg) or _raises(parts[place]))
    ]
    whole = _whole(node.kind, parts)
    if not kept and not late:
        return whole
    decides = exp.Boolean(this=node.kind == "or")
    whens: list[tuple[exp.Expr, exp.Expr]] = [
        (exp.Is(this=operand(test.copy()), expression=decides.copy()), decides.copy())
        for test in _ahead(node, parts)
    ]
    last = max(kept, default=-1)
    apart = {*kept, *late}
    places = range(max(apart))
    whens += _tests(node.kind, parts, [place for place in places if place < last], apart)
    if kept:
        other = exp.Boolean(this=node.kind == "and")
        whens.append((writer.never(parts[last].copy()), other))
    whens += _tests(node.kind, parts, [place for place in places if place >= last], apart)
    return writer.case(whens, whole)


def _whole(kind: str, parts: Sequence[exp.Expr]) -> exp.Expr:
    connector = exp.And if kind == "and" else exp.Or
    whole, *rest = parts
    for part in rest:
        left = whole if isinstance(whole, connector) else joined(whole)
        whole = connector(this=left, expression=joined(part))
    return whole


def _tests(
    kind: str, parts: Sequence[exp.Expr], places: Sequence[int], apart: set[int]
) -> list[tuple[exp.Expr, exp.Expr]]:
    """Whether one of the parts decides: those that raise alone, others together."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place not in apart and runs[-1][-1] not in apart:
            runs[-1].append(place)
        else:
            runs.append([place])
    decides = exp.Boolean(this=kind == "or")
    return [
        (
            exp.Is(
                this=operand(_whole(kind, [parts[place].copy() for place in run])),
                expression=decides.copy(),
            ),
            decides.copy(),
        )
        for run in runs
    ]


def _ahead(node: Bool, parts: Sequence[exp.Expr]) -> list[exp.Expr]:
    """What is made of constants alone, and not known here: PostgreSQL computes it before all."""
    return [
        part
        for arg, part in zip(node.args, parts, strict=True)
        if fold(arg) is None
        and not may_raise(arg)
        and not any(isinstance(one, Var) for one in walk(arg))
    ]


def _raises(written: exp.Expr) -> bool:
    """Whether the engine raises somewhere, though PostgreSQL may not, on what can be stored."""
    return any(
        isinstance(node, exp.Anonymous)
        and node.name.lower() in _RAISING
        and node.expressions[0].name != numeric_order.BROKEN
        for node in written.walk()
    )
