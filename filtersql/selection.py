"""Which nodes `--select` and `--exclude` mean.

Example
    ============================== =====================================================
    --select t1                    the table t1 and every target of it
    --select s1:public.t1          that target
    --select 'order*'              names by a glob
    --select tag:nsw p3            a union: either
    --select tag:nsw,s1            an intersection: both
    --select publication:p1        what p1 gives rows to
    --select subscription:s1       the targets of s1
    --select path:publications/    what is defined, or published, there
    --select state:modified        targets that are not as in the manifest of --state
    --exclude t3                   leaves t3 out, whatever selects it
    ============================== =====================================================

    Every line that `ls` prints is a selector. One that matches nothing is a mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Protocol, TypeVar

from msgspec import Struct

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.reviewing import NO_TARGET, NOTHING_LEFT, NOTHING_MATCHES, UNKNOWN_METHOD
from filtersql.errors.wording import meant

__all__ = ["METHODS", "STATES", "Selectable", "Traits", "criteria", "select"]


class Traits(Struct, frozen=True):
    """What a selector may ask of a node."""

    #: every name by which the node is known, its line in `ls` first
    names: tuple[str, ...]
    tags: frozenset[str] = frozenset()
    publications: frozenset[str] = frozenset()
    subscriptions: frozenset[str] = frozenset()
    #: the files that define it, as the user types them
    paths: frozenset[str] = frozenset()
    #: how it stands to the manifest of --state: new, old, modified, unmodified
    states: frozenset[str] = frozenset()


class Selectable(Protocol):
    """A node that can be selected."""

    @property
    def traits(self) -> Traits:
        """What selectors ask of it."""


Node = TypeVar("Node", bound=Selectable)

METHODS: dict[str, Callable[[Traits], Iterable[str]]] = {
    "tag": lambda traits: traits.tags,
    "publication": lambda traits: traits.publications,
    "subscription": lambda traits: traits.subscriptions,
    "path": lambda traits: traits.paths,
    "state": lambda traits: traits.states,
}

#: what may stand behind `state:`
STATES = ("modified", "new", "old", "unmodified")


def criteria(selectors: Sequence[str]) -> list[str]:
    """Every criterion of some selectors."""
    return [each for word in _words(selectors) for each in word.split(",") if each]


def select(
    nodes: Sequence[Node],
    select: Sequence[str] = (),
    exclude: Sequence[str] = (),
    others: Sequence[Selectable] = (),
) -> tuple[Node, ...]:
    """The nodes that a selector takes and none excludes, in their order; no selector: all.

    Raises Mistakes for a selector that matches nothing or asks for an unknown method. Of `others`,
    which cannot be taken, one that matches is named in the message.
    """
    mistakes: list[Mistake] = []
    selected = _union("--select", select, nodes, others, mistakes)
    left_out = _union("--exclude", exclude, nodes, others, mistakes)
    if mistakes:
        raise Mistakes(mistakes)
    chosen = tuple(
        node
        for place, node in enumerate(nodes)
        if (not _words(select) or place in selected) and place not in left_out
    )
    if not chosen and left_out:
        raise Mistakes([NOTHING_LEFT()])
    return chosen


def _words(selectors: Sequence[str]) -> list[str]:
    return [word for selector in selectors for word in selector.split()]


def _union(
    flag: str,
    selectors: Sequence[str],
    nodes: Sequence[Selectable],
    others: Sequence[Selectable],
    mistakes: list[Mistake],
) -> set[int]:
    """The places of the nodes that any word matches."""
    places: set[int] = set()
    for word in _words(selectors):
        both = set(range(len(nodes)))
        wrong = False
        for criterion in filter(None, word.split(",")):
            matching, mistake = _matching(flag, criterion, nodes)
            both &= matching
            if mistake is not None:
                wrong = True
                if present := sorted(_matching(flag, criterion, others)[0]):
                    line = others[present[0]].traits.names[0]
                    mistake = NO_TARGET(flag=flag, criterion=criterion, line=line)
                mistakes.append(mistake)
        if not both and not wrong:
            mistakes.append(NOTHING_MATCHES(flag=flag, criterion=word))
        places |= both
    return places


def _matching(
    flag: str, criterion: str, nodes: Sequence[Selectable]
) -> tuple[set[int], Mistake | None]:
    """The nodes that meet one criterion; a mistake when there are none."""
    method, colon, value = criterion.partition(":")
    if colon and method in METHODS:
        asked = [frozenset(METHODS[method](node.traits)) for node in nodes]
        prefix = f"{method}:"
    else:
        asked, prefix, value = [frozenset(node.traits.names) for node in nodes], "", criterion
    matches = _is_path if prefix == "path:" else fnmatchcase
    places = {
        place
        for place, values in enumerate(asked)
        if value in values or any(matches(each, value) for each in values)
    }
    if places:
        return places, None
    if colon and not prefix and not _is_subscription(method, nodes):
        return places, UNKNOWN_METHOD(
            flag=flag,
            criterion=criterion,
            method=method,
            methods=[f"{name}:" for name in METHODS],
            hint=meant(method, METHODS),
        )
    known = sorted({prefix + each for values in asked for each in values})
    if prefix == "state:":
        known = [] if value in STATES else [prefix + each for each in STATES]
    return places, NOTHING_MATCHES(flag=flag, criterion=criterion, hint=meant(criterion, known))


def _is_subscription(name: str, nodes: Iterable[Selectable]) -> bool:
    return any(fnmatchcase(each, name) for node in nodes for each in node.traits.subscriptions)


def _is_path(path: str, asked: str) -> bool:
    """A file, a folder above it, or a glob."""
    folder = asked.removeprefix("./").rstrip("/")
    return path == folder or path.startswith(f"{folder}/") or fnmatchcase(path, folder)
