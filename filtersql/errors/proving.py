"""Mistakes in a project's unit tests."""

from __future__ import annotations

from collections.abc import Iterable

from filtersql.errors import Mistake, nearest
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["NotExpected"]


class NotExpected(Mistake):
    """A test gives or expects rows of a table that its subscription has no target for."""

    def __init__(
        self, name: RelationName, subscription: str, known: Iterable[RelationName], span: Span
    ) -> None:
        targets = sorted(map(str, known))
        close = nearest(str(name), targets)
        super().__init__(
            f'table "{name}" is not a target of subscription "{subscription}"',
            span=span,
            detail=f"Its targets are {', '.join(targets)}." if targets else "It has no target.",
            hint=f'Perhaps "{close}" was meant.' if close else None,
        )
