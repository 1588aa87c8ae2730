"""Mistakes in a file of source rows: one JSON object a row."""

from __future__ import annotations

from filtersql.errors.wording import Wording

# A line of a source is not JSON, or not a row.
UNREADABLE_ROW = Wording(
    "line is not a row",
    detail="{reason:sentence}",
    hint="A row is one JSON object on one line, with the columns of its table.",
)
INCOMPLETE_ROW = Wording(
    'row of table "{table}" lacks {columns:quoted}',
    detail="A row holds every column that the target keeps or a filter reads.",
)
