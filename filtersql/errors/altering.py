"""What PostgreSQL refuses of ALTER and DROP, because of publications or of what else depends on it.

PostgreSQL
    tablecmds.c, dependency.c, publicationcmds.c; the words are PostgreSQL's
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = [
    "CannotOpen",
    "CannotTurnOff",
    "DependedOn",
    "NotForKind",
    "SchemaBesideList",
    "UnknownSchema",
]

_CASCADE = "Use DROP ... CASCADE to drop the dependent objects too."


class DependedOn(Mistake):
    """DROP without CASCADE of what others need: each of `dependents` is a line of the detail."""

    def __init__(self, what: str | None, dependents: Sequence[str], span: Span) -> None:
        named = (
            f"cannot drop {what} because other objects depend on it"
            if what
            else "cannot drop desired object(s) because other objects depend on them"
        )
        super().__init__(named, span=span, detail="\n".join(dependents), hint=_CASCADE)


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


class UnknownSchema(Mistake):
    """A schema that nothing makes and that holds no table."""

    def __init__(self, schema: str, span: Span, hint: str | None = None) -> None:
        super().__init__(f'schema "{schema}" does not exist', span=span, hint=hint)

    @classmethod
    def current(cls, span: Span) -> Mistake:
        """FOR TABLES IN SCHEMA CURRENT_SCHEMA with an empty search_path."""
        return Mistake("no schema has been selected for CURRENT_SCHEMA", span=span)


class CannotOpen(Mistake):
    """A publication lists what no statement opens as a table: an index, a composite type."""

    def __init__(self, name: str, one: str, many: str, version: int, span: Span) -> None:
        if version < 16:
            super().__init__(f'"{name}" is {one}', span=span)
        else:
            super().__init__(
                f'cannot open relation "{name}"',
                span=span,
                detail=f"This operation is not supported for {many}.",
            )


class NotForKind(Mistake):
    """An ALTER TABLE action on a kind of relation (`many`) that does not have it."""

    def __init__(self, action: str, name: str, many: str, span: Span) -> None:
        super().__init__(
            f'ALTER action {action} cannot be performed on relation "{name}"',
            span=span,
            detail=f"This operation is not supported for {many}.",
        )

    @classmethod
    def not_one(cls, name: str, one: str, span: Span) -> Mistake:
        """ALTER VIEW of a table; `one` as in "is not a view"."""
        return Mistake(f'"{name}" is not {one}', span=span)

    @classmethod
    def no_domain(cls, name: str, span: Span) -> Mistake:
        """ALTER DOMAIN of a type."""
        return Mistake(f"{name} is not a domain", span=span)

    @classmethod
    def columns(cls, name: str, many: str, span: Span) -> Mistake:
        """RENAME COLUMN of a sequence."""
        return Mistake(
            f'cannot rename columns of relation "{name}"',
            span=span,
            detail=f"This operation is not supported for {many}.",
        )

    @classmethod
    def like(cls, name: str, many: str, span: Span) -> Mistake:
        """CREATE TABLE (LIKE …) of a sequence or an index."""
        return Mistake(
            f'relation "{name}" is invalid in LIKE clause',
            span=span,
            detail=f"This operation is not supported for {many}.",
        )

    @classmethod
    def composite(cls, name: str, span: Span) -> Mistake:
        """ALTER TABLE of a composite type."""
        return Mistake(f'"{name}" is a composite type', span=span, hint="Use ALTER TYPE instead.")
