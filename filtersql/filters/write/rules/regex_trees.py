"""The nodes of regular expressions, what their matches are, and sets of characters as ranges.

Example
    >>> complement([(48, 57)])[0]
    (0, 47)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

__all__ = [
    "LAST", "Anchor", "Choice", "Group", "Join", "Kind", "Look", "Node", "Range", "Regex", "Repeat",
    "Same", "Set", "Untranslatable", "complement", "first_set", "has", "least", "merged", "most",
    "without_line_end",
]  # fmt: skip

Range = tuple[int, int]
LAST = 0x10FFFF


#: of an anchor
Kind = Literal["^", "$", "<", ">", "m", "M", "y", "Y"]


class Untranslatable(Exception):
    """What a pattern holds that has no form: the reason, as a sentence."""


class Set(Struct, frozen=True):
    """One character out of these ranges, which are sorted and apart."""

    ranges: tuple[Range, ...]


class Anchor(Struct, frozen=True):
    """`^` and `$` of the text, `<` and `>` of a line, word edges `m`, `M`, `y`, `Y`."""

    kind: Kind


class Join(Struct, frozen=True):
    """One after the other."""

    items: tuple[Node, ...]


class Choice(Struct, frozen=True):
    """One of several."""

    items: tuple[Node, ...]


class Repeat(Struct, frozen=True):
    """So many times; `most` None: without end."""

    item: Node
    least: int
    most: int | None
    greedy: bool = True


class Group(Struct, frozen=True):
    """What parentheses capture, counted from 1."""

    item: Node
    number: int


class Look(Struct, frozen=True):
    """A condition on what comes next, or came before."""

    item: Node
    ahead: bool
    negated: bool


class Same(Struct, frozen=True):
    """The text of a group again."""

    number: int


Node = Set | Anchor | Join | Choice | Repeat | Group | Look | Same


def has(node: Node, *kinds: type[Node]) -> bool:
    """Whether a node of one of these kinds is in it."""
    if isinstance(node, kinds):
        return True
    match node:
        case Join() | Choice():
            return any(has(item, *kinds) for item in node.items)
        case Repeat() | Group() | Look():
            return has(node.item, *kinds)
    return False


def least(node: Node) -> int:
    """How many characters a match has at least."""
    match node:
        case Set():
            return 1
        case Join():
            return sum(map(least, node.items))
        case Choice():
            return min(map(least, node.items))
        case Repeat():
            return node.least * least(node.item)
        case Group():
            return least(node.item)
    return 0


def most(node: Node) -> int | None:
    """How many characters a match has at most; None: any number."""
    match node:
        case Set():
            return 1
        case Join() | Choice():
            found = [most(item) for item in node.items]
            known = [one for one in found if one is not None]
            if len(known) < len(found):
                return None
            return sum(known) if isinstance(node, Join) else max(known)
        case Repeat():
            inner = most(node.item)
            return None if inner is None or node.most is None else node.most * inner
        case Group():
            return most(node.item)
        case Same():
            return None
    return 0


def first_set(items: tuple[Node, ...], *, backwards: bool = False) -> Set | None:
    """The characters that come next (or came before); None if that may be an end of the text."""
    ranges: list[tuple[int, int]] = []
    for item in items:
        found = _first(item, backwards)
        ranges += found
        if least(item):
            return Set(tuple(ranges))
    return None


def _first(node: Node, backwards: bool) -> list[tuple[int, int]]:
    match node:
        case Set():
            return list(node.ranges)
        case Join():
            found: list[tuple[int, int]] = []
            for item in reversed(node.items) if backwards else node.items:
                found += _first(item, backwards)
                if least(item):
                    break
            return found
        case Choice():
            return [one for item in node.items for one in _first(item, backwards)]
        case Repeat() | Group():
            return _first(node.item, backwards)
        case Same():
            return [(0, LAST)]
    return []


class Regex(Struct, frozen=True):
    """A pattern; `doubts` are sets of characters as engines write them."""

    tree: Node
    groups: int
    doubts: tuple[str, ...]
    everywhere: bool = False


def merged(ranges: list[Range]) -> list[Range]:
    """The ranges sorted, those that touch as one."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def complement(ranges: Sequence[Range]) -> list[Range]:
    """All other characters."""
    found, start = [], 0
    for low, high in ranges:
        if low > start:
            found.append((start, low - 1))
        start = high + 1
    return [*found, (start, LAST)] if start <= LAST else found


def without_line_end(ranges: list[Range]) -> list[Range]:
    """The ranges without the new line."""
    return complement(merged([*complement(ranges), (10, 10)]))
