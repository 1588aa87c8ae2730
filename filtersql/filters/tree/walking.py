"""The nodes below a node, and the place at which PostgreSQL points for one.

Example
    of `a > 5 AND c = 'NSW'`
    ============= ===================================================
    children(and) Op a > 5, Op c = 'NSW'
    walk(and)     Bool AND, Op a > 5, Var a, Const 5, Op c = 'NSW', …
    leftmost(and) 0: the place of a
    ============= ===================================================
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from filtersql.filters.tree.nodes import (
    ArrayExpr,
    Bool,
    BooleanTest,
    Case,
    Coalesce,
    Collate,
    Distinct,
    Func,
    Lookup,
    MinMax,
    Node,
    NullIf,
    NullTest,
    Op,
    Other,
    Relabel,
    Row,
    RowCompare,
    ScalarArrayOp,
    Var,
)

__all__ = ["children", "leftmost", "reads_column", "walk"]


def children(node: Node) -> tuple[Node, ...]:
    """The arguments in the order in which PostgreSQL's expression_tree_walker visits them."""
    rule = _CHILDREN.get(type(node))
    return rule(node) if rule else ()


def walk(node: Node) -> list[Node]:
    """The node and everything below it, each before its arguments, from left to right."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        item = waiting.pop()
        found.append(item)
        # not by children(): half of all nodes have none, and every filter is walked a few times
        rule = _CHILDREN.get(type(item))
        if rule is not None:
            waiting += rule(item)[::-1]
    return found


def reads_column(node: Node) -> bool:
    """Whether it reads a column: the planner computes what is made of constants alone."""
    return any(isinstance(one, Var) for one in walk(node))


def _of_case(node: Case) -> tuple[Node, ...]:
    first = () if node.arg is None else (node.arg,)
    return (*first, *(item for when in node.whens for item in when), node.default)


# Asked for every node of every filter: a dictionary is several times faster than match.
_CHILDREN: dict[type[Node], Callable[..., tuple[Node, ...]]] = {
    **dict.fromkeys(
        (Op, Distinct, NullIf, ScalarArrayOp, Func, Bool, Row, Coalesce, MinMax, Other),
        attrgetter("args"),
    ),
    **dict.fromkeys((Relabel, Collate, NullTest, BooleanTest, Lookup), lambda node: (node.arg,)),
    Case: _of_case,
    ArrayExpr: attrgetter("elements"),
    RowCompare: lambda node: (*node.left, *node.right),
}


def leftmost(node: Node) -> int:
    """Where PostgreSQL puts the caret for a node (nodeFuncs.c, exprLocation)."""
    match node:
        case Op() | Func() | Bool():
            # Of a list, the first place that is known: the arguments of AT TIME ZONE are turned.
            known = (place for place in map(leftmost, node.args) if place >= 0)
            places = [node.location, next(known, -1)]
        case Relabel() | NullTest() | BooleanTest() | Lookup():
            places = [node.location, leftmost(node.arg)]
        case Other():
            places = [node.location, *map(leftmost, node.args)]
        case Collate():
            return leftmost(node.arg)
        case RowCompare():
            places = [leftmost(arg) for arg in node.left][:1]
        case _:
            return node.location
    return min((place for place in places if place >= 0), default=-1)
