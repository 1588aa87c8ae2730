"""Casts of nodes, and the common type of several.

Example
    `i4 = 1.5` compares numeric(i4), which is a Func; `v = 'x'` a Relabel of v; the literal becomes
    a Const of the type that its neighbour asks for.

PostgreSQL
    parse_coerce.c: coerce_type(), coerce_type_typmod(), select_common_type(),
    coerce_to_common_type(), coerce_to_boolean().
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from filtersql.errors import Mistake
from filtersql.errors.filters import CANNOT_MATCH, NOT_BOOLEAN, CannotCast, Wrong
from filtersql.filters import values
from filtersql.filters.facts import facts
from filtersql.filters.resolve.collations import merged, of_result
from filtersql.filters.resolve.pathways import (
    POLYMORPHIC,
    TAKES_ANYTHING,
    Context,
    Pathway,
    can_coerce,
    pathway,
    preferred_type,
)
from filtersql.filters.resolve.scope import Scope
from filtersql.filters.tree.nodes import Collate, Const, Display, Func, Node, Other, Relabel
from filtersql.filters.tree.walking import leftmost
from filtersql.filters.types import display

__all__ = [
    "BY_TEXT",
    "OF_ARRAY",
    "boolean",
    "cast",
    "coerce",
    "common_type",
    "shown_type",
    "to_common",
]

#: casts that no row filter may hold
BY_TEXT, OF_ARRAY = "a cast by text", "a cast of an array"


def coerce(
    scope: Scope,
    node: Node,
    target: str,
    context: Context = "i",
    display_as: Display = "implicit",
    location: int = -1,
    modifier: int = -1,
) -> Node:
    """PostgreSQL's coerce_type(): the node as `target`; few casts look at the modifier."""
    if node.type == target or target in TAKES_ANYTHING:
        return node
    if target in POLYMORPHIC and node.type != "unknown":
        return node
    if node.type == "unknown" and isinstance(node, Const):
        return _literal(scope, node, target, -1)
    if isinstance(node, Collate):
        inner = coerce(scope, node.arg, target, context, display_as, location)
        return replace(node, arg=inner, type=inner.type, typmod=inner.typmod)
    way = pathway(node.type, target, context)
    if way.kind != "function" or len(facts().function(way.function).args) < 2:
        modifier = -1
    return _step(scope, node, target, modifier, way, context, display_as, location)


def _literal(scope: Scope, node: Const, target: str, modifier: int) -> Const:
    """An unknown literal read by the type's input function."""
    value: object = None
    if node.value is not None:
        try:
            value = values.read(target, str(node.value), modifier, scope.clock)
        except Mistake as mistake:
            mistake.span = scope.span(node.location)
            raise
    state = of_result(target, merged(scope, ()))
    return Const(target, modifier, node.location, *state, value)


def _step(
    scope: Scope,
    node: Node,
    target: str,
    modifier: int,
    way: Pathway,
    context: Context,
    display_as: Display,
    location: int,
) -> Node:
    state = merged(scope, (node,))
    result = of_result(target, state)
    if way.kind == "relabel":
        return Relabel(target, -1, location, *result, node, display_as)
    if way.kind == "function":
        function = facts().function(way.function)
        args: tuple[Node, ...] = (node,)
        if len(function.args) > 1:
            args += (Const("int4", -1, -1, value=modifier),)
        if len(function.args) > 2:
            args += (Const("bool", -1, -1, value=context == "e"),)
        return Func(
            target, modifier, location, *result, function, args, display_as, False, state.collation
        )
    if way.kind == "none":
        raise CannotCast(shown_type(node), display(target), scope.span(location))
    what = BY_TEXT if way.kind == "text" else OF_ARRAY
    return Other(target, modifier, location, *result, what, (node,))


def cast(scope: Scope, node: Node, target: str, modifier: int, location: int) -> Node:
    """An explicit cast `node::target(modifier)`: coerce_to_target_type()."""
    if not can_coerce(node.type, target, "e"):
        raise CannotCast(shown_type(node), display(target), scope.span(location))
    inner, collate = (node.arg, node) if isinstance(node, Collate) else (node, None)
    if inner.type == "unknown" and isinstance(inner, Const) and target == "interval":
        # The fields of an interval decide how its literal is read.
        result: Node = _literal(scope, inner, target, modifier)
    else:
        result = coerce(scope, inner, target, "e", "explicit", location, modifier)
        if result is inner and isinstance(inner, Relabel):
            result = inner = replace(inner, domain="")
    hide = result is not inner and not isinstance(result, Const)
    result = _with_modifier(scope, result, target, modifier, location, hide=hide)
    if collate is not None and facts().type(target).collation:
        result = replace(collate, arg=result, type=result.type, typmod=result.typmod)
    return result


def _with_modifier(
    scope: Scope, node: Node, target: str, modifier: int, location: int, *, hide: bool
) -> Node:
    """coerce_type_typmod(): a second cast that cuts or rounds to the modifier."""
    if node.typmod == modifier:
        return node
    kind = facts().type(target)
    found = facts().cast(kind.element or target, kind.element or target)
    if hide and isinstance(node, (Func, Relabel)):
        node = replace(node, display="implicit")
    if kind.element and found is not None and modifier >= 0:
        return Other(target, modifier, location, what=OF_ARRAY, args=(node,))
    if modifier < 0 and isinstance(node, Const):
        return replace(node, typmod=modifier)
    if found is None or modifier < 0:
        return Relabel(target, modifier, location, node.collation, node.strength, node, "explicit")
    way = Pathway("function", found.function)
    return _step(scope, node, target, modifier, way, "e", "explicit", location)


def shown_type(node: Node) -> str:
    """The type of a node as mistakes name it: of a column its domain."""
    return (isinstance(node, Relabel) and node.domain) or display(node.type)


def boolean(scope: Scope, node: Node, place: str) -> Node:
    """The node as a condition: coerce_to_boolean()."""
    if node.type == "bool":
        return node
    if not can_coerce(node.type, "bool", "a") or node.type not in ("unknown",):
        raise NOT_BOOLEAN(scope.span(leftmost(node)), place=place, type_name=shown_type(node))
    return coerce(scope, node, "bool", "a")


def common_type(scope: Scope, nodes: Sequence[Node], construct: str | None) -> str:
    """select_common_type(): empty when there is none and no `construct` to complain about."""
    first = nodes[0].type
    if first != "unknown" and all(node.type == first for node in nodes[1:]):
        return first
    common, place = preferred_type([node.type for node in nodes])
    if place and construct is None:
        return ""
    if place:
        raise CANNOT_MATCH(
            scope.span(leftmost(nodes[place])),
            construct=construct,
            first=display(common),
            second=display(nodes[place].type),
        )
    return "text" if common == "unknown" else common


def to_common(scope: Scope, node: Node, target: str, construct: str) -> Node:
    """coerce_to_common_type()."""
    if node.type == target:
        return node
    if not can_coerce(node.type, target, "i"):
        message = f"{construct} could not convert type {display(node.type)} to {display(target)}"
        raise Wrong(message, scope.span(leftmost(node)))
    return coerce(scope, node, target)
