"""Selectors that match nothing, and things to show that do not exist."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording, meant

# `show` of a publication, table, set, subscription or term (`kind`) that is not defined.
NOT_DEFINED = Wording('{kind} "{name}" does not exist')


class NothingMatches(Mistake):
    """A criterion of --select or --exclude (`flag`) that no node meets."""

    def __init__(self, flag: str, criterion: str, known: Iterable[str]) -> None:
        super().__init__(
            f'{flag} "{criterion}" matches nothing',
            hint=meant(criterion, known) or "`filtersql ls` lists what is defined.",
        )


NO_TARGET = Wording(
    '{flag} "{criterion}" matches no target',
    detail='"{line}" is defined, but no subscription makes a target of it.',
)


class UnknownMethod(Mistake):
    """A selector such as `tga:x`, whose method does not exist."""

    def __init__(self, flag: str, criterion: str, method: str, known: Iterable[str]) -> None:
        known = list(known)
        listed = ", ".join(f"{name}:" for name in known)
        super().__init__(
            f'{flag} "{criterion}" has the unknown method "{method}:"',
            detail=f"The methods are {listed}.",
            hint=meant(method, known),
        )


NOTHING_LEFT = Wording("--exclude leaves nothing of what is selected")
