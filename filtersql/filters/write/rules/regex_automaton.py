r"""A regular expression as an automaton, whose ways stand in the engines' order of preference.

Example
    The states of `a*b`, from the first one:

    ===== ============ =====================================
    state accepts      leads to
    ===== ============ =====================================
    2                  3, then 1: another `a` is preferred
    3     `a`          2
    1     `b`          0, the end
    ===== ============ =====================================

    `Machine.closed` is what is reached without a character, in that order.

PostgreSQL
    regc_nfa.c and regcomp.c build one without an order: their match is the longest, or shortest.
"""

from __future__ import annotations

from msgspec import Struct

from filtersql.filters.write.rules.regex_printing import WORD
from filtersql.filters.write.rules.regex_trees import (
    Anchor,
    Choice,
    Group,
    Join,
    Look,
    Node,
    Repeat,
    Same,
    Set,
    Untranslatable,
    least,
)

__all__ = ["KINDS", "Machine", "alphabet", "holds_character", "kind_of"]

_MOST_STATES = 400


class _State(Struct):
    """A place in the pattern: a set leads on, others are passed without a character."""

    accepts: Set | None = None
    anchor: str = ""
    to: list[int] | None = None


class Machine:
    """A pattern's states; the ways out of a state stand in the engines' order of preference."""

    def __init__(self, tree: Node) -> None:
        self.states: list[_State] = []
        self.end = self.new()
        self.start = self.build(tree, self.end)

    def new(self, **given: object) -> int:
        """The number of a new state."""
        if len(self.states) >= _MOST_STATES:
            raise Untranslatable("It is too long to know where its match ends.")
        self.states.append(_State(**given))  # type: ignore[arg-type]
        return len(self.states) - 1

    def build(self, node: Node, then: int) -> int:
        """The state from which the node is matched, and `then` goes on."""
        match node:
            case Set():
                return self.new(accepts=node, to=[then])
            case Anchor():
                return self.new(anchor=node.kind, to=[then])
            case Join():
                for item in reversed(node.items):
                    then = self.build(item, then)
                return then
            case Choice():
                return self.new(to=[self.build(item, then) for item in node.items])
            case Group():
                return self.build(node.item, then)
            case Repeat():
                return self.repeat(node, then)
            case Look() | Same():
                raise Untranslatable(
                    "Where a match ends is not known with look arounds and back references."
                )

    def repeat(self, node: Repeat, then: int) -> int:
        """The same of what is repeated."""
        if node.most != 1 and not least(node.item):
            raise Untranslatable("It repeats what can be empty.")
        if node.most is None:
            again = self.new()
            inside = self.build(node.item, again)
            self.states[again].to = [inside, then] if node.greedy else [then, inside]
            then = again
        else:
            for _ in range(node.most - node.least):
                inside = self.build(node.item, then)
                ways = [inside, then] if node.greedy else [then, inside]
                then = self.new(to=ways)
        for _ in range(node.least):
            then = self.build(node.item, then)
        return then

    def closed(self, kernel: tuple[int, ...], before: str, behind: str) -> tuple[list[int], bool]:
        """All states reached without a character, in order; and whether one is reached twice."""
        found: dict[int, None] = {}
        twice = False
        waiting = list(reversed(kernel))
        while waiting:
            state = waiting.pop()
            if state in found:
                twice = True
                continue
            found[state] = None
            known = self.states[state]
            if known.accepts is None and _holds(known.anchor, before, behind):
                waiting.extend(reversed(known.to or []))
        return list(found), twice


def _holds(anchor: str, before: str, behind: str) -> bool:
    """Whether an anchor holds between two kinds of characters: an end, word, new line, other."""
    match anchor:
        case "^":
            return before == "end"
        case "$":
            return behind == "end"
        case "<":
            return before in ("end", "line")
        case ">":
            return behind in ("end", "line")
        case "m":
            return before != "word" and behind == "word"
        case "M":
            return before == "word" and behind != "word"
        case "y":
            return (before == "word") != (behind == "word")
        case "Y":
            return (before == "word") == (behind == "word")
    return True


def alphabet(machine: Machine) -> list[int]:
    """One character for each class of characters that the pattern tells apart."""
    edges = {0}
    for ranges in [WORD.ranges, ((10, 10),)] + [
        state.accepts.ranges for state in machine.states if state.accepts is not None
    ]:
        for low, high in ranges:
            edges |= {low, high + 1}
    return sorted(edge for edge in edges if edge <= 0x10FFFF)


def kind_of(number: int) -> str:
    """What a character is to an anchor beside it."""
    if number == 10:
        return "line"
    return "word" if holds_character(WORD, number) else "other"


def holds_character(chars: Set, number: int) -> bool:
    """Whether a set holds a character."""
    return any(low <= number <= high for low, high in chars.ranges)


KINDS = ("end", "word", "line", "other")
