r"""Where a match ends: PostgreSQL's longest (or shortest) one, the engines' first one.

Example
    ============== ===================== ============ ==========================
    pattern        on                    PostgreSQL   engines
    ============== ===================== ============ ==========================
    `a|ab`         ab                    ab           a: refused
    `a*b?`         aab                   aab          aab, on every text
    `(a|ab)(c?)`   abc                   ab, c        refused
    ============== ===================== ============ ==========================

    Both are followed through all texts at once, as sets of places in the pattern: the engines' in
    the order of their preference, which ends at the first that is a match, PostgreSQL's without
    one. `same_end` says whether they end at the same place on every text.

PostgreSQL
    regexec.c, cfind() and longest(); "Regular Expression Matching Rules" in its manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from filtersql.filters.write.rules.regex_printing import WORD, least
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
)

__all__ = ["can_be_empty", "check_end", "check_groups", "is_flat", "lazy"]

_MOST_STATES = 400
_MOST_STEPS = 4000
_DIFFERS = (
    "PostgreSQL takes the longest match (or the shortest), the engine the first; they can differ."
)


class _State(Struct):
    """A place in the pattern: a set leads on, others are passed without a character."""

    accepts: Set | None = None
    anchor: str = ""
    to: list[int] | None = None


class _Machine:
    """A pattern's states; the ways out of a state stand in the engines' order of preference."""

    def __init__(self, tree: Node) -> None:
        self.states: list[_State] = []
        self.end = self.new()
        self.start = self.build(tree, self.end)

    def new(self, **given: object) -> int:
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


def _alphabet(machine: _Machine) -> list[int]:
    """One character for each class of characters that the pattern tells apart."""
    edges = {0}
    for ranges in [WORD.ranges, ((10, 10),)] + [
        state.accepts.ranges for state in machine.states if state.accepts is not None
    ]:
        for low, high in ranges:
            edges |= {low, high + 1}
    return sorted(edge for edge in edges if edge <= 0x10FFFF)


def _kind(number: int) -> str:
    if number == 10:
        return "line"
    return "word" if _in(WORD, number) else "other"


def _in(chars: Set, number: int) -> bool:
    return any(low <= number <= high for low, high in chars.ranges)


_KINDS = ("end", "word", "line", "other")


@lru_cache(maxsize=512)
def check_end(tree: Node) -> None:
    """Raises Untranslatable unless the engines' match ends where PostgreSQL's does."""
    machine = _Machine(tree)
    shortest = _preference(tree) is False
    for ordered, everything in _walked(machine, shortest=shortest):
        if machine.end not in everything:
            continue
        if shortest:
            stops = (state for state in ordered if _stops(machine, state))
            fine = next(stops, None) == machine.end
        else:
            fine = machine.end in ordered
        if not fine:
            raise Untranslatable(_DIFFERS)


def _stops(machine: _Machine, state: int) -> bool:
    return state == machine.end or machine.states[state].accepts is not None


def _walked(machine: _Machine, *, shortest: bool) -> Iterator[tuple[list[int], list[int]]]:
    """Every pair of the engine's ordered states and all states, on all texts."""
    signs = [(number, _kind(number)) for number in _alphabet(machine)]
    start: tuple[int, ...] = (machine.start,)
    waiting = [(start, start, before) for before in _KINDS]
    seen = set(waiting)
    while waiting:
        first, everything, before = waiting.pop()
        for number, behind in [*signs, (-1, "end")]:
            ordered, _ = machine.closed(first, before, behind)
            if machine.end in ordered:
                ordered = ordered[: ordered.index(machine.end) + 1]
            whole, _ = machine.closed(everything, before, behind)
            yield ordered, whole
            if number < 0 or (shortest and machine.end in whole):
                continue
            following = _moved(machine, ordered, number), _moved(machine, whole, number), behind
            if following[1] and following not in seen:
                seen.add(following)
                waiting.append(following)
                if len(seen) > _MOST_STEPS:
                    raise Untranslatable("It is too long to know where its match ends.")


def _moved(machine: _Machine, states: list[int], number: int) -> tuple[int, ...]:
    found: dict[int, None] = {}
    for state in states:
        known = machine.states[state]
        if known.accepts is not None and _in(known.accepts, number):
            found[(known.to or [0])[0]] = None
    return tuple(found)


@lru_cache(maxsize=512)
def check_groups(tree: Node) -> None:
    """Raises Untranslatable unless what its groups capture is the same everywhere.

    In a row of repeated sets the earlier one is the longest everywhere; else there must be but
    one way to match a text.
    """
    check_end(tree)
    if is_flat(tree):
        return
    if _keeps_old(tree, False, False):
        raise Untranslatable("A group may be of an earlier round of what is repeated.")
    machine = _Machine(tree)
    for before in _KINDS:
        _check_one_way(machine, before)


def _check_one_way(machine: _Machine, start: str) -> None:
    signs = [(number, _kind(number)) for number in _alphabet(machine)]
    kernel: tuple[int, ...] = (machine.start,)
    waiting = [(kernel, start)]
    seen = set(waiting)
    while waiting:
        kernel, before = waiting.pop()
        for number, behind in [*signs, (-1, "end")]:
            states, twice = machine.closed(kernel, before, behind)
            following = [
                (machine.states[state].to or [0])[0]
                for state in states
                if (accepts := machine.states[state].accepts) is not None
                and number >= 0
                and _in(accepts, number)
            ]
            if twice or len(set(following)) < len(following):
                raise Untranslatable("What its groups capture is not the same everywhere.")
            item = (tuple(sorted(following)), behind)
            if following and item not in seen:
                seen.add(item)
                waiting.append(item)
                if len(seen) > _MOST_STEPS:
                    raise Untranslatable("It is too long to know what its groups capture.")


def _keeps_old(node: Node, repeated: bool, optional: bool) -> bool:
    """Whether a group stands where one round of a repetition may leave it out."""
    match node:
        case Group():
            return (repeated and optional) or _keeps_old(node.item, repeated, optional)
        case Choice():
            return any(_keeps_old(item, repeated, repeated) for item in node.items)
        case Join():
            return any(_keeps_old(item, repeated, optional) for item in node.items)
        case Repeat():
            can_miss = optional or (repeated and not node.least)
            return _keeps_old(node.item, repeated or node.most != 1, can_miss)
    return False


def is_flat(tree: Node) -> bool:
    """A row of sets, anchors and greedily repeated sets, in groups or not."""
    match tree:
        case Set() | Anchor():
            return True
        case Repeat():
            return isinstance(tree.item, Set) and tree.greedy
        case Group():
            return is_flat(tree.item)
        case Join():
            return all(map(is_flat, tree.items))
    return False


def lazy(tree: Node) -> Node:
    """A row of repeated sets, each as short as can be."""
    match tree:
        case Repeat():
            return Repeat(tree.item, tree.least, tree.most, greedy=False)
        case Group():
            return Group(lazy(tree.item), tree.number)
        case Join():
            return Join(tuple(map(lazy, tree.items)))
    return tree


def _preference(node: Node) -> bool | None:
    """True: PostgreSQL takes the longest match, False: the shortest, None: all are as long."""
    match node:
        case Repeat():
            if node.least == node.most and node.greedy:
                return _preference(node.item)
            return node.greedy
        case Group():
            return _preference(node.item)
        case Join():
            return next(
                (found for item in node.items if (found := _preference(item)) is not None), None
            )
        case Choice():
            return True
    return None


def can_be_empty(tree: Node) -> bool:
    """Whether some text has an empty match."""
    machine = _Machine(tree)
    return any(
        machine.end in machine.closed((machine.start,), before, behind)[0]
        for before in _KINDS
        for behind in _KINDS
    )
