"""Changing a typed tree: a new one, its leaves and branches replaced from below."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    BooleanTest,
    Case,
    Coalesce,
    Collate,
    Func,
    MinMax,
    Node,
    NullTest,
    Op,
    Other,
    Relabel,
    Row,
    RowCompare,
)

__all__ = ["rebuilt"]


def rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """The tree with `change` applied to every node, arguments first."""

    def inner(child: Node) -> Node:
        return rebuilt(child, change)

    match node:
        case Op() | Func() | Bool() | Row() | Coalesce() | MinMax() | Other():
            node = replace(node, args=tuple(map(inner, node.args)))
        case Relabel() | Collate() | NullTest() | BooleanTest():
            node = replace(node, arg=inner(node.arg))
        case ArrayExpr():
            node = replace(node, elements=tuple(map(inner, node.elements)))
        case Case():
            whens = tuple((inner(condition), inner(result)) for condition, result in node.whens)
            arg = inner(node.arg) if node.arg is not None else None
            node = replace(node, arg=arg, whens=whens, default=inner(node.default))
        case RowCompare():
            left, right = tuple(map(inner, node.left)), tuple(map(inner, node.right))
            node = replace(node, left=left, right=right)
    return change(node)
