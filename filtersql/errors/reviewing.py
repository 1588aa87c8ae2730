"""Selectors that match nothing, and things to show that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake, nearest

__all__ = ["NoTarget", "NotDefined", "NothingLeft", "NothingMatches", "UnknownMethod"]


def _perhaps(name: str, known: Iterable[str]) -> str | None:
    close = nearest(name, known)
    return None if close is None else f'Perhaps "{close}" was meant.'


class NotDefined(Mistake):
    """`show` of a publication, table, set, subscription or term (`kind`) that is not defined."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        super().__init__(f'{kind} "{name}" does not exist', hint=_perhaps(name, known))


class NothingMatches(Mistake):
    """A criterion of --select or --exclude (`flag`) that no node meets."""

    def __init__(self, flag: str, criterion: str, known: Iterable[str]) -> None:
        super().__init__(
            f'{flag} "{criterion}" matches nothing',
            hint=_perhaps(criterion, known) or "`filtersql ls` lists what is defined.",
        )


class NoTarget(Mistake):
    """A criterion that matches only what has no target, such as a table nobody subscribes to."""

    def __init__(self, flag: str, criterion: str, line: str) -> None:
        super().__init__(
            f'{flag} "{criterion}" matches no target',
            detail=f'"{line}" is defined, but no subscription makes a target of it.',
        )


class UnknownMethod(Mistake):
    """A selector such as `tga:x`, whose method does not exist."""

    def __init__(self, flag: str, criterion: str, method: str, known: Iterable[str]) -> None:
        known = list(known)
        listed = ", ".join(f"{name}:" for name in known)
        super().__init__(
            f'{flag} "{criterion}" has the unknown method "{method}:"',
            detail=f"The methods are {listed}.",
            hint=_perhaps(method, known),
        )


class NothingLeft(Mistake):
    """--exclude leaves nothing of what --select took."""

    def __init__(self) -> None:
        super().__init__("--exclude leaves nothing of what is selected")
