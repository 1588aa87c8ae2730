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
    one. `check_end` refuses a pattern unless they end at the same place on every text.

PostgreSQL
    regexec.c, cfind() and longest(); "Regular Expression Matching Rules" in its manual.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from filtersql.filters.write.rules.regex_automaton import (
    KINDS,
    Machine,
    alphabet,
    holds_character,
    kind_of,
)
from filtersql.filters.write.rules.regex_trees import (
    Anchor,
    Choice,
    Group,
    Join,
    Node,
    Repeat,
    Set,
    Untranslatable,
)

__all__ = [
    "all_matches_end",
    "check_end",
    "check_groups",
    "check_not_empty",
    "is_flat",
    "lazy",
    "takes_part",
]

_MOST_STEPS = 4000
_DIFFERS = (
    "PostgreSQL takes the longest match (or the shortest), the engine the first; they can differ."
)


@lru_cache(maxsize=512)
def check_end(tree: Node) -> None:
    """Raises Untranslatable unless the engines' match ends where PostgreSQL's does."""
    machine = Machine(tree)
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


def _stops(machine: Machine, state: int) -> bool:
    return state == machine.end or machine.states[state].accepts is not None


def _walked(machine: Machine, *, shortest: bool) -> Iterator[tuple[list[int], list[int]]]:
    """Every pair of the engine's ordered states and all states, on all texts."""
    signs = [(number, kind_of(number)) for number in alphabet(machine)]
    start: tuple[int, ...] = (machine.start,)
    waiting = [(start, start, before) for before in KINDS]
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


def _moved(machine: Machine, states: list[int], number: int) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_following(machine, states, number)))


def _following(machine: Machine, states: list[int], number: int) -> list[int]:
    """The states behind those that accept a character; none behind the end, which is below 0."""
    return [
        (known.to or [0])[0]
        for known in (machine.states[state] for state in states)
        if known.accepts is not None and holds_character(known.accepts, number)
    ]


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
    machine = Machine(tree)
    for before in KINDS:
        _check_one_way(machine, before)


def _check_one_way(machine: Machine, start: str) -> None:
    signs = [(number, kind_of(number)) for number in alphabet(machine)]
    kernel: tuple[int, ...] = (machine.start,)
    waiting = [(kernel, start)]
    seen = set(waiting)
    while waiting:
        kernel, before = waiting.pop()
        for number, behind in [*signs, (-1, "end")]:
            states, twice = machine.closed(kernel, before, behind)
            following = _following(machine, states, number)
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


def check_not_empty(tree: Node) -> None:
    """Raises Untranslatable if some text has an empty match."""
    machine = Machine(tree)
    if any(
        machine.end in machine.closed((machine.start,), before, behind)[0]
        for before in KINDS
        for behind in KINDS
    ):
        raise Untranslatable("A pattern that can match nothing has no form here.")


def all_matches_end(tree: Node, *, group: int = 0) -> None:
    """Raises Untranslatable unless every match, one after the other, ends alike."""
    (check_groups if group else check_end)(tree)
    check_not_empty(tree)


def takes_part(tree: Node, number: int) -> bool:
    """Whether every match has something for the group."""
    match tree:
        case Group():
            return tree.number == number or takes_part(tree.item, number)
        case Join():
            return any(takes_part(item, number) for item in tree.items)
        case Choice():
            return all(takes_part(item, number) for item in tree.items)
        case Repeat():
            return tree.least > 0 and takes_part(tree.item, number)
    return False
