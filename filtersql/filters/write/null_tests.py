"""IS NULL and IS TRUE of values of any type, and what of a value is written for them.

Example
    ================================ =====================================================
    filter                           written as
    ================================ =====================================================
    `v IS NULL`                      the column, as it is stored
    `(a, b) IS NULL`                 a IS NULL AND b IS NULL
    `a / b IS NULL`                  IS NULL of the quotient, which is computed for it
    `(a > 1) IS NOT TRUE`            NOT (a > 1) IS TRUE
    ================================ =====================================================

PostgreSQL
    execExprInterp.c, ExecEvalRowNullInt(): a row is no NULL by its values.
"""

from __future__ import annotations

from decimal import Decimal

from msgspec.structs import replace
from sqlglot import exp

from filtersql.filters.engines.templates import operand
from filtersql.filters.tree.constant_folding import fold
from filtersql.filters.tree.nodes import (
    Bool,
    BooleanTest,
    Case,
    Coalesce,
    Collate,
    MinMax,
    Node,
    NullIf,
    NullTest,
    Relabel,
    Row,
    Var,
)
from filtersql.filters.write import boolean_logic, evaluation_order, stored_types
from filtersql.filters.write.raising import may_raise
from filtersql.filters.write.rules import (
    arrays,
    division,
    documents,
    intervals,
    numeric_digits,
    numeric_sort_texts,
)
from filtersql.filters.write.writer import Writer

__all__ = ["absent", "boolean_test", "null_of", "null_test", "raw"]

#: nodes that choose one of their arguments
_CHOSEN = (Case, Coalesce, MinMax, NullIf)


def null_test(writer: Writer, node: NullTest) -> exp.Expr:
    """IS [NOT] NULL; of a row, of each of its values, of which a row is no NULL."""
    if isinstance(node.arg, Row):
        if not node.by_value:
            return evaluation_order.after(writer, node.arg, not node.is_null)
        test = NullTest("bool", is_null=node.is_null, by_value=False)
        tests = tuple(replace(test, arg=arg) for arg in node.arg.args)
        return (
            boolean_logic.logic(writer, Bool("bool", kind="and", args=tests))
            if tests
            else exp.true()
        )
    null = writer.null_of(node.arg)
    return null if node.is_null else exp.Not(this=null)


def null_of(writer: Writer, node: Node) -> exp.Expr:
    """IS NULL of a value of any type."""
    known = fold(node)
    if known and isinstance(known.value, Decimal) and not known.value.is_finite():
        return exp.false()  # no DECIMAL holds it
    if numeric_digits.is_inexact_quotient(node):
        return division.is_null(writer, node)
    null = documents.is_null(writer, node) or arrays.is_null(writer, node)
    found = null or writer.absent(writer.raw(node), node)
    return evaluation_order.computed_first(writer, (node,), found)


def raw(writer: Writer, node: Node) -> exp.Expr:
    """A value of which only its being NULL matters: a column as it is stored."""
    while isinstance(node, (Relabel, Collate)):
        node = node.arg
    if isinstance(node, Var):
        return writer.column(node)
    if node.type == "numeric" and not numeric_digits.digits(node) and isinstance(node, _CHOSEN):
        return numeric_sort_texts.sort_text(writer, node)
    if stored_types.is_beyond(writer, node):
        return stored_types.key(writer, node)
    return intervals.length(writer, node) if node.type == "interval" else writer.put(node)


def boolean_test(writer: Writer, node: BooleanTest) -> exp.Expr:
    """IS [NOT] TRUE, FALSE, UNKNOWN."""
    if node.test == "UNKNOWN":
        test = writer.null_of(node.arg)
    else:
        truth = exp.Boolean(this=node.test == "TRUE")
        test = exp.Is(this=operand(writer.put(node.arg)), expression=truth)
    return exp.Not(this=test) if node.negated else test


def absent(writer: Writer, expression: exp.Expr, node: Node, kind: str) -> exp.Expr:
    """IS NULL of an expression that was written for a node."""
    if fold(node) is not None or not may_raise(node):
        return writer.is_null(expression)
    return writer.piece(f".absent{kind}", expression)
