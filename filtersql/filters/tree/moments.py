"""An expression over a run's clock at one time: its cuts become constants.

Example
    created_at >= cut('30 days', 'day')  at 2026-11-26 10:30:
    created_at >= '2026-10-27 00:00:00+00'
"""

from __future__ import annotations

from datetime import datetime, timedelta

from filtersql.filters.tree.nodes import Const, Cut, Node
from filtersql.filters.tree.rebuilding import rebuilt
from filtersql.filters.tree.walking import walk

__all__ = ["at_clock"]

_FIRST = datetime(2000, 1, 1)


def at_clock(tree: Node, clock: datetime) -> Node:
    """The same tree where it asks no clock."""
    if not any(isinstance(node, Cut) for node in walk(tree)):
        return tree

    def fixed(node: Node) -> Node:
        if not isinstance(node, Cut):
            return node
        since = node.column.at(clock) - _FIRST
        unit = timedelta(days=1) if node.column.type == "date" else timedelta(microseconds=1)
        return Const(node.type, node.typmod, node.location, value=since // unit)

    return rebuilt(tree, fixed)
