"""A text that a regular expression matches: the first of each choice, the fewest repeats.

Example
    `^A[0-9]+$` matches A0, `colou?r|x` matches color.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from filtersql.filters.tree.nodes import Const, Node, Op
from filtersql.filters.write.rules import regex_trees as trees
from filtersql.filters.write.rules.regex_syntax import parsed

__all__ = ["samples"]

_OPERATORS = frozenset({"~", "~*", "!~", "!~*"})
_LIKED = "aA0 -.x"
_MOST_REPEATS = 8


def samples(nodes: Iterable[Node]) -> Iterator[str]:
    """A text for each pattern of the nodes whose tree can be read."""
    for node in nodes:
        if isinstance(node, Op) and node.operator.name in _OPERATORS:
            pattern = node.args[-1]
            if isinstance(pattern, Const) and isinstance(pattern.value, str):
                try:
                    yield _sample(parsed(pattern.value).tree)
                except trees.Untranslatable:
                    continue


def _sample(node: trees.Node) -> str:
    match node:
        case trees.Set():
            return _letter(node.ranges)
        case trees.Join():
            return "".join(map(_sample, node.items))
        case trees.Choice():
            return _sample(node.items[0])
        case trees.Repeat():
            return _sample(node.item) * min(node.least, _MOST_REPEATS)
        case trees.Group():
            return _sample(node.item)
    return ""


def _letter(ranges: tuple[trees.Range, ...]) -> str:
    """A character of the set, one that people type where it has one."""
    liked = (sign for sign in _LIKED if any(low <= ord(sign) <= high for low, high in ranges))
    return next(liked, chr(ranges[0][0]) if ranges else "")
