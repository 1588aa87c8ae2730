"""What a row filter may hold: columns, constants, built-in and immutable functions, nothing else.

Example
    ================================== ======================================================
    filter                             refused because
    ================================== ======================================================
    `ctid IS NULL`                     System columns are not allowed.
    `mood = 'sad'` (an enum)           User-defined types are not allowed.
    `tz > now()`                       User-defined or built-in mutable functions …
    `a === 1` (an operator made)       User-defined operators are not allowed.
    `a::text = '1'`, `ai[1] = 1`       Only columns, constants, built-in operators, …
    ================================== ======================================================

    The replication sets of pglogical and BDR allow what a CHECK constraint may hold: casts by text
    and mutable functions too, no subqueries and no system columns; pglogical takes tableoid.

PostgreSQL
    publicationcmds.c, check_simple_rowfilter_expr_walker(): each node in the order in which
    expression_tree_walker() visits it; the first mistake is reported at exprLocation().
"""

from __future__ import annotations

from filtersql.catalog import OwnCollation
from filtersql.errors import Mistake
from filtersql.errors.filters import InvalidExpression, NotTranslated, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.resolve.versions import is_mutable
from filtersql.filters.tree.nodes import Func, Node, Op, Other, RowCompare, Var
from filtersql.filters.tree.walking import leftmost, walk

__all__ = ["MUTABLE", "ONLY", "OPERATORS", "TYPES", "check", "of_own_type"]

SYSTEM = "System columns are not allowed."
OPERATORS = "User-defined operators are not allowed."
COLLATIONS = "User-defined collations are not allowed."
_LOOSE = "No engine knows which texts it holds to be equal."
_XML = "an XML expression"
_NO_TYPE = "The source takes it; filtersql has no exact form for it."
_NO_XML = "A publication may hold it; filtersql has no exact form for it."
TYPES = "User-defined types are not allowed."
MUTABLE = "User-defined or built-in mutable functions are not allowed."
ONLY = (
    "Only columns, constants, built-in operators, built-in data types, built-in collations, and "
    "immutable built-in functions are allowed."
)


def check(scope: Scope, node: Node) -> None:
    """Raises InvalidExpression at the first node that a filter may not hold."""
    for found in walk(node):
        if scope.checked:
            _check_constraint(scope, found)
            continue
        detail = _refusal(scope, found)
        if detail:
            raise InvalidExpression(detail, scope.span(leftmost(found)))


def of_own_type(scope: Scope, detail: str, node: Node) -> Mistake:
    """A value of a type that the files make: a publication refuses it, pglogical and bdr do not."""
    span = scope.span(leftmost(node))
    if scope.checked:
        return NotTranslated("a value of a type of the files", "any engine", _NO_TYPE, span)
    return InvalidExpression(detail, span)


def _check_constraint(scope: Scope, node: Node) -> None:
    """A CHECK constraint refuses system columns but tableoid, bdr that one, too."""
    allowed = "tableoid" if scope.tableoid else ""
    if isinstance(node, Var) and node.special == "system" and node.name != allowed:
        message = f'system column "{node.name}" reference in check constraint is invalid'
        raise Wrong(message, scope.span(node.location))
    for name in _compared_by(node):
        if scope.own_collations.get(name) is OwnCollation.LOOSE:
            what = f'comparing by the nondeterministic collation "{name}"'
            raise NotTranslated(what, "any engine", _LOOSE, scope.span(leftmost(node)))


def _refusal(scope: Scope, node: Node) -> str:
    if isinstance(node, Var) and node.special == "system":
        return SYSTEM
    if isinstance(node, Other):
        if node.what == "XML":
            raise NotTranslated(_XML, "any engine", _NO_XML, scope.span(leftmost(node)))
        return ONLY
    if not facts().type(node.type).oid:
        return TYPES
    if isinstance(node, (Op, Func)) and is_mutable(scope, node.function):
        return MUTABLE
    if isinstance(node, RowCompare) and any(is_mutable(scope, item) for item in node.functions):
        return MUTABLE
    return COLLATIONS if _compared_by(node) & scope.own_collations.keys() else ""


def _compared_by(node: Node) -> set[str]:
    """The collation of its value, and those by which it compares."""
    found = {getattr(node, name, None) for name in ("collation", "input_collation")}
    if isinstance(node, RowCompare):
        found |= {*node.collations}
    return {name for name in found if name}
