"""Which paths of a jsonpath have methods that fail for some items, and which of them have a form.

Example
    >>> from filtersql.filters.literals.jsonpaths import parsed
    >>> paths = [parsed(text).tree for text in ("$.a.floor()", "$.a.size()")]
    >>> [can_fail(path) for path in paths]
    [True, False]

PostgreSQL
    jsonpath_exec.c, executeItemOptUnwrapTarget().
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.filters.literals import jsonpath_moments
from filtersql.filters.literals.jsonpath_moments import MOMENTS
from filtersql.filters.literals.jsonpath_trees import (
    Compare,
    Exists,
    Junction,
    Like,
    Not,
    Path,
    Starts,
    Step,
    Sum,
    Tree,
    Unknown,
)

__all__ = ["METHODS", "can_fail", "covered", "keeps_digits", "reads_moments", "reads_numbers"]

#: methods that raise for some items
METHODS = {"abs", "floor", "ceiling", "double", "number", "decimal", "bigint", "integer",
           "boolean", "string", "keyvalue", *MOMENTS}  # fmt: skip
#: methods for which 1.0 is not 1
_OF_DIGITS = {"boolean", "string"}
#: methods for which a string may be a number
_OF_TEXT = {"double", "number", "decimal", "bigint", "integer"}


def reads_numbers(tree: Tree) -> bool:
    """Whether a method reads the number that a string may hold."""
    return any(step.kind in _OF_TEXT for path in _paths(tree) for step in path.steps)


def reads_moments(tree: Tree) -> bool:
    """Whether a method reads the date or time that a string may hold."""
    return any(step.kind in MOMENTS for path in _paths(tree) for step in path.steps)


def can_fail(path: Tree) -> bool:
    """Whether a step may fail for one of the items before it."""
    return isinstance(path, Path) and any(step.kind in METHODS for step in path.steps)


def keeps_digits(tree: Tree) -> bool:
    """Whether a method looks at how a number is written."""
    return any(step.kind in _OF_DIGITS for path in _paths(tree) for step in path.steps)


def covered(tree: Tree) -> bool:
    """Whether the methods of all paths stand where they have a form."""
    return jsonpath_moments.covered(tree) and all(map(_is_covered, _paths(tree)))


def _is_covered(path: Path) -> bool:
    kinds = [step.kind for step in path.steps]
    places = [place for place, kind in enumerate(kinds) if kind in METHODS]
    if not places:
        return True
    if "levels" in kinds[places[0] :]:
        return False
    # The digits of a number that a method made are not known as PostgreSQL writes them.
    numbers = METHODS - _OF_DIGITS - MOMENTS - {"keyvalue"}
    made = [place for place, kind in enumerate(kinds) if kind in numbers]
    if made and _OF_DIGITS & set(kinds[made[0] :]):
        return False
    return all(
        _reads_pairs(path.steps[place + 1 :]) for place in places if kinds[place] == "keyvalue"
    )


def _reads_pairs(steps: tuple[Step, ...]) -> bool:
    """Whether of pairs the key and the value alone are read: `id` is a place in the document."""
    if not steps:
        return True
    first, rest = steps[0], steps[1:]
    if first.kind == "key":
        return first.key in ("key", "value")
    if first.kind != "filter" or first.condition is None:
        return False
    inner = [path for path in _own_paths(first.condition) if path.base == "@"]
    return _reads_pairs(rest) and all(path.steps and _reads_pairs(path.steps) for path in inner)


def _paths(tree: Tree) -> Iterator[Path]:
    """All paths, those of conditions too."""
    for path in _own_paths(tree):
        yield path
        for step in path.steps:
            if step.condition is not None:
                yield from _paths(step.condition)


def _own_paths(tree: Tree) -> Iterator[Path]:
    match tree:
        case Path():
            yield tree
        case Sum() | Compare() | Junction():
            if tree.left is not None:
                yield from _own_paths(tree.left)
            yield from _own_paths(tree.right)
        case Not() | Unknown():
            yield from _own_paths(tree.arg)
        case Exists() | Starts() | Like():
            yield from _own_paths(tree.path)
