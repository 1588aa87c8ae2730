"""What PostgreSQL refuses of ALTER and DROP, because of publications or of what else depends on it.

PostgreSQL
    tablecmds.c, dependency.c, publicationcmds.c; the words are PostgreSQL's
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = [
    "CannotTurnOff",
    "SchemaBesideList",
]

_CASCADE = "Use DROP ... CASCADE to drop the dependent objects too."


class CannotTurnOff(Mistake):
    """ALTER PUBLICATION … SET (publish_via_partition_root = false) beside a root's filter."""

    def __init__(self, publication: str, what: str, table: str, span: Span) -> None:
        option = '"publish_via_partition_root"'
        super().__init__(
            f'cannot set parameter {option} to false for publication "{publication}"',
            span=span,
            detail=f'The publication contains a {what} for partitioned table "{table}", '
            f"which is not allowed when {option} is false.",
        )


class SchemaBesideList(Mistake):
    """ALTER PUBLICATION … ADD TABLES IN SCHEMA where a table has a column list."""

    def __init__(self, publication: str, span: Span) -> None:
        super().__init__(
            f'cannot add schema to publication "{publication}"',
            span=span,
            detail="Schemas cannot be added if any tables that specify a column list are already "
            "part of the publication.",
        )
