"""Dates and times of a jsonpath: where they have a form, and what a constant one is.

Example
    >>> from filtersql.filters.literals.jsonpaths import parsed
    >>> texts = ("$.a.date() < \\"2024-01-01\\".date()", "$.a.date().type() == \\"date\\"")
    >>> [covered(parsed(text).tree) for text in texts]
    [True, False]

    A date or time is at the end of a path, but for conditions, and beside another one.

PostgreSQL
    jsonpath_exec.c, executeDateTimeMethod(): the formats in their order; compareItems(): a date
    beside a string is unknown.
"""

from __future__ import annotations

import datetime
import re

from filtersql.filters.literals.jsonpath_trees import (
    Compare,
    Exists,
    Junction,
    Like,
    Not,
    Path,
    Starts,
    Sum,
    Tree,
    Unknown,
)

__all__ = ["MOMENTS", "beside_each_other", "constant", "covered"]

MOMENTS = frozenset({"datetime", "date", "timestamp", "timestamp_tz", "time"})
_CLOCK = r"(?:(\d\d:\d\d:\d\d)(?:[.](\d{1,6}))?)?"
_CONSTANT = re.compile(
    rf"(\d{{4}}-\d\d-\d\d)?(?:(?<=\d)[ T](?=\d)|\Z|\A){_CLOCK}"
    r"(Z|[+-](?:0\d|1[0-5])(?::[0-5]\d)?)?",
    re.ASCII,
)
_MIDNIGHT = "00:00:00"


def covered(tree: Tree) -> bool:
    """Whether all dates and times stand where they have a form."""
    return _path(tree, False) if isinstance(tree, Path) else _condition(tree, False)


def _path(path: Path, current: bool) -> bool:
    """`current`: whether `@` is a date or time."""
    is_one = current and path.base == "@"
    for step in path.steps:
        if step.kind == "filter":
            if step.condition is None or not _condition(step.condition, is_one):
                return False
        elif is_one:
            return False
        else:
            is_one = step.kind in MOMENTS
    return True


def _is_one(path: Path, current: bool) -> bool:
    """Whether a path leads to dates and times."""
    kinds = [step.kind for step in path.steps if step.kind != "filter"]
    return kinds[-1] in MOMENTS if kinds else current and path.base == "@"


def _condition(tree: Tree, current: bool) -> bool:
    match tree:
        case Junction():
            return _condition(tree.left, current) and _condition(tree.right, current)
        case Not() | Unknown():
            return _condition(tree.arg, current)
        case Exists():
            return _path(tree.path, current)
        case Starts() | Like():
            return _path(tree.path, current) and not _is_one(tree.path, current)
        case Compare():
            return _sides(tree, current)
        case Sum() | Path():
            return not any(map(_reads, _operands(tree))) and not current
    return False


def _sides(tree: Compare, current: bool) -> bool:
    """Two dates or times, of which one is read here; or none of both."""
    operands = [*_operands(tree.left), *_operands(tree.right)]
    if not all(_path(one, current) for one in operands):
        return False
    known = [_is_one(one, current) for one in operands]
    if not any(known):
        return True
    return (
        len(operands) == 2
        and all(known)
        and any(map(_reads, operands))
        and not any(isinstance(side, Sum) for side in (tree.left, tree.right))
    )


def _reads(path: Path) -> bool:
    return any(step.kind in MOMENTS for step in path.steps)


def _operands(tree: Tree) -> list[Path]:
    if isinstance(tree, Sum):
        return [*(_operands(tree.left) if tree.left is not None else ()), *_operands(tree.right)]
    return [tree] if isinstance(tree, Path) else []


def beside_each_other(tree: Compare) -> bool:
    """Whether a comparison is one of dates and times."""
    return any(map(_reads, (*_operands(tree.left), *_operands(tree.right))))


def constant(path: Path) -> str | None:
    """`"2024-01-01".date()` as `item_moments` writes one; None: no such text, or it has none."""
    if [step.kind in MOMENTS for step in path.steps] != [True] or not isinstance(path.value, str):
        return None
    found, kind = _CONSTANT.fullmatch(path.value), path.steps[0].kind
    if found is None:
        return None
    day, clock, part, zone = found.groups()
    time = f"{clock or _MIDNIGHT}.{(part or '').ljust(6, '0')}"
    try:
        moment = datetime.datetime.fromisoformat(f"{day or '2000-01-01'} {time}{zone or ''}")
    except ValueError:
        return None
    if zone:
        if kind not in ("datetime", "timestamp_tz") or not day or not 1100 <= moment.year <= 9898:
            return None
        return f"z{moment.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S.%f}"
    if kind == "time" or not day:
        return f"t{time}" if clock and kind in ("time", "datetime") else None
    if kind == "timestamp_tz":
        return None
    return f"d{day} {_MIDNIGHT}.000000" if kind == "date" else f"d{day} {time}"
