"""Nodes that give the value of an argument as it is.

Example
    ============================ =====================================
    node                         its value is that of
    ============================ =====================================
    `v::text`, v being a varchar v (`bare`)
    `CASE WHEN a THEN s END`     s or NULL (`chosen`)
    `COALESCE(s, t)`             s or t (`chosen`)
    `NULLIF(s, t)`               s, if it is not NULL (`chosen`)
    `GREATEST(s, t)`             s or t (`chosen`)
    ============================ =====================================
"""

from __future__ import annotations

from filtersql.filters.tree.nodes import Case, Coalesce, MinMax, Node, NullIf, Relabel

__all__ = ["bare", "chosen"]


def bare(node: Node) -> Node:
    """The node below casts that change nothing but the type's name."""
    while isinstance(node, Relabel):
        node = node.arg
    return node


def chosen(node: Node) -> tuple[Node, ...]:
    """The values among which CASE, COALESCE, NULLIF and GREATEST choose; none of another node."""
    match node:
        case Case():
            return (*(result for _, result in node.whens), node.default)
        case Coalesce() | MinMax():
            return node.args
        case NullIf():
            return node.args[:1]
    return ()
