"""ARRAY[…]: of which type it is, and what becomes of its elements.

Example
    =========================== =====================================================
    `ARRAY[1, 2.5]`             numeric[]: the elements' common type
    `ARRAY[[1], [2]]`           int4[], of several dimensions
    `ARRAY['1', '2']::int[]`    int4[]: a cast reaches the elements
    `ARRAY[]`                   refused: a cast has to say of which type it is
    =========================== =====================================================

PostgreSQL
    parse_expr.c: transformArrayExpr().
"""

from __future__ import annotations

from collections.abc import Callable

from filtersql.errors.filters import Wrong
from filtersql.filters.facts import facts
from filtersql.filters.resolve.coercion import cast, common_type, to_common
from filtersql.filters.resolve.collations import merged, of_result
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import ArrayExpr, Node
from filtersql.filters.types import display
from filtersql.grammar import Node as Parsed

__all__ = ["array_of"]


def array_of(
    scope: Scope,
    parsed: Parsed,
    transform: Callable[[Scope, Parsed], Node],
    element: str = "",
    modifier: int = -1,
    array: str = "",
) -> Node:
    """The array; `element` and `array` are the types that a cast around it asks for."""
    nested = False
    items: list[Node] = []
    for item in parsed.elements:
        if item.WhichOneof("node") == "a_array_expr":
            items.append(array_of(scope, item.a_array_expr, transform, element, modifier, array))
            nested = True
        else:
            items.append(transform(scope, item))
            nested = nested or bool(facts().type(items[-1].type).element)
    place = parsed.location
    if not items and not element:
        hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[]."
        raise Wrong("cannot determine type of empty array", scope.span(place), hint=hint)
    if element:
        target = array if nested else element
        items = [cast(scope, item, target, modifier, -1) for item in items]
    else:
        target = common_type(scope, items, "ARRAY")
        items = [to_common(scope, item, target, "ARRAY") for item in items]
        if facts().type(target).element:
            nested, array = True, target
        else:
            array = facts().type(target).array
    if not array:
        message = f"could not find array type for data type {display(target)}"
        raise Wrong(message, scope.span(place))
    state = of_result(array, merged(scope, items))
    return ArrayExpr(array, -1, place, *state, tuple(items), nested)
