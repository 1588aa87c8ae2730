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
    parse_expr.c, transformCollateClause();
    parse_collate.c, merge_collation_state(): an explicit collation beats an implicit one, the
    default loses to any other implicit one, two different ones of the same strength conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from filtersql.errors.filters import COLLATION_MISMATCH, MISSING_THING, Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve import versions
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Collate, Node, Strength
from filtersql.filters.tree.walking import leftmost
from filtersql.filters.types import display

__all__ = ["Merged", "collate", "merged", "of_result"]


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


def collate(scope: Scope, arg: Node, names: Sequence[str], place: int) -> Collate:
    """`arg COLLATE schema.name`; raises what PostgreSQL says of a collation that is not there."""
    span = scope.span(place)
    if not facts().type(arg.type).collation and arg.type != "unknown":
        message = f"collations are not supported by type {display(arg.type)}"
        raise Wrong(message, span)
    schema = names[-2] if len(names) > 1 else ""
    if schema and not scope.has_schema(schema):
        raise MISSING_THING(span, thing=f'schema "{schema}"')
    own = schema in ("", "pg_catalog") and versions.has_collation(scope, names[-1])
    if not (own and facts().collation(names[-1])) and (
        schema == "pg_catalog" or names[-1] not in scope.made.collations
    ):
        raise MISSING_THING(span, thing=f'collation "{".".join(names)}" for encoding "UTF8"')
    return Collate(arg.type, arg.typmod, place, names[-1], Strength.EXPLICIT, arg)
