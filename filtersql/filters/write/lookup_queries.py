"""A lookup, written for an engine: what the view of the looked-up table holds, as one array.

Example
    `deptno IN (SELECT id FROM dept_filter_lookup)`: the array of all ids has deptno

    The three values are those of IN: false where the table is empty, whatever the column is; NULL
    where the column is NULL, or where it is not found and the table holds a NULL. Neither engine
    takes IN (SELECT …) everywhere a filter stands; both take a scalar subquery.
"""

from __future__ import annotations

from sqlglot import exp, select

from filtersql.filters.engines.templates import operand
from filtersql.filters.tree.nodes import Lookup, Var
from filtersql.filters.write.rules import numeric_digits
from filtersql.filters.write.rules.numeric_digits import INTEGER_DIGITS
from filtersql.filters.write.writer import Writer
from filtersql.names import view_name

__all__ = ["put"]

_TEXTS = {"text", "varchar"}
#: types whose values are equal where the engine says so
_ALIKE = {"date", "uuid", "bool"}
_FOUND = (
    "CASE WHEN _1 = 0 THEN FALSE WHEN _2 IS NULL THEN NULL WHEN _3 THEN TRUE "
    "WHEN _4 > 0 THEN NULL ELSE FALSE END"
)


def put(writer: Writer, node: Lookup) -> exp.Expr:
    """IN or NOT IN, over the view `filtersql_lookup__<schema>__<table>`."""
    view = exp.to_identifier(view_name("lookup", node.relation))
    value = writer.put(node.arg)
    looked: exp.Expr = exp.column(node.looked.name, quoted=True)
    if node.looked.target_type is not None:
        raise writer.refused(node, f"The target stores its values as {node.looked.target_type}.")
    kind = _common(writer, node)
    if kind is not None:
        value, looked = writer.cast(value, kind), writer.cast(looked, kind)

    def asked(expression: exp.Expr) -> exp.Expr:
        return select(expression).from_(exp.Table(this=view.copy())).subquery()

    rows = exp.Count(this=exp.Star())
    nulls = exp.Sub(this=rows.copy(), expression=exp.Count(this=looked.copy()))
    found = writer.piece(".contains", asked(writer.piece(".collected", looked)), value)
    whole = writer.filled(_FOUND, asked(rows), value, found, asked(nulls))
    return exp.Not(this=operand(whole)) if node.negated else whole


def _common(writer: Writer, node: Lookup) -> str | None:
    """The type that both sides are compared in; None: they have it already."""
    kinds = {node.arg.type, node.looked.type}
    if kinds <= _TEXTS or (len(kinds) == 1 and kinds <= _ALIKE):
        return None
    if kinds <= set(INTEGER_DIGITS):
        return None if len(kinds) == 1 else "BIGINT"
    if kinds <= {*INTEGER_DIGITS, "numeric"}:
        sides = [_digits(side) for side in (node.arg, node.looked)]
        known = [side for side in sides if side is not None]
        if kinds == {"numeric"} and len(known) == 2 and known[0] == known[1]:
            return None
        if len(known) == len(sides):
            digits = numeric_digits.Digits(*map(max, *known))
            if digits.before + digits.behind <= numeric_digits.MOST:
                return digits.sql
    raise writer.refused(
        node,
        "Values are looked up of whole numbers, numeric with declared digits, text, varchar, date, "
        "uuid and boolean, both columns of one kind.",
    )


def _digits(side: Var) -> numeric_digits.Digits | None:
    whole = INTEGER_DIGITS.get(side.type)
    return numeric_digits.Digits(whole, 0) if whole else numeric_digits.digits(side)
