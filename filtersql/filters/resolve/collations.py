"""Which collation an expression has, and which one its function compares by.

Example
    ============================== ============ ============
    expression                     compared by  result has
    ============================== ============ ============
    `s = 'a'`                      default      -
    `s COLLATE "C" < v`            C            -
    `lower(s COLLATE "C")`         C            C (explicit)
    ============================== ============ ============

PostgreSQL
    parse_collate.c, merge_collation_state(): an explicit collation beats an implicit one, the
    default loses to any other implicit one, two different ones of the same strength conflict.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from filtersql.errors.filters import COLLATION_MISMATCH
from filtersql.filters.facts import facts
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Collate, Node, Strength
from filtersql.filters.tree.walking import leftmost

__all__ = ["Merged", "merged", "of_result"]


class Merged(NamedTuple):
    """A collation and how it came about."""

    collation: str | None = None
    strength: Strength = Strength.NONE


_NOTHING = Merged()


def merged(scope: Scope, args: Iterable[Node]) -> Merged:
    """The collation that the arguments together have: the function's input collation."""
    state = _NOTHING
    for arg in args:
        if arg.strength is Strength.NONE:
            continue
        if arg.strength > state.strength:
            state = Merged(arg.collation, arg.strength)
        elif arg.strength == state.strength and arg.collation != state.collation:
            state = _conflict(scope, state, arg)
    return state


def _conflict(scope: Scope, state: Merged, arg: Node) -> Merged:
    if arg.strength is Strength.EXPLICIT:
        raise COLLATION_MISMATCH(
            scope.span(_collate_clause(arg)),
            first=state.collation or "",
            second=arg.collation or "",
        )
    if arg.strength is Strength.IMPLICIT:
        if state.collation == "default":
            return Merged(arg.collation, Strength.IMPLICIT)
        if arg.collation != "default":
            return Merged(None, Strength.CONFLICT)
    return state


def _collate_clause(node: Node) -> int:
    """Where the COLLATE stands: that is the caret's place."""
    return node.location if isinstance(node, Collate) else leftmost(node)


def of_result(type_name: str, state: Merged) -> Merged:
    """The collation of a result of that type: types without collations have none."""
    if not facts().type(type_name).collation:
        return _NOTHING
    if state.strength is Strength.NONE:
        return Merged(facts().type(type_name).collation, Strength.IMPLICIT)
    return state
