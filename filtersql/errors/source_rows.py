"""Mistakes in a file of source rows: one JSON object a row."""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["IncompleteRow", "UnreadableRow"]


class UnreadableRow(Mistake):
    """A line of a source is not JSON, or not a row."""

    def __init__(self, reason: str, span: Span) -> None:
        super().__init__(
            "line is not a row",
            span=span,
            detail=f"{reason[:1].upper()}{reason[1:]}.",
            hint="A row is one JSON object on one line, with the columns of its table.",
        )


class IncompleteRow(Mistake):
    """A row of a source lacks columns that the target keeps or a filter reads."""

    def __init__(self, columns: Sequence[str], table: RelationName, span: Span) -> None:
        named = ", ".join(f'"{column}"' for column in columns)
        super().__init__(
            f'row of table "{table}" lacks {named}',
            span=span,
            detail="A row holds every column that the target keeps or a filter reads.",
        )
