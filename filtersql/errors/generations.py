"""What PostgreSQL refuses of defaults, identities and generation expressions; its words.

PostgreSQL
    parse_utilcmd.c: transformColumnDefinition(); tablecmds.c: MergeAttributes(),
    ATExecColumnDefault(), ATExecAddIdentity(), ATExecDropIdentity(), ATExecAttachPartition()
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = ["ColumnValue"]

_USE = "Use ALTER TABLE ... ALTER COLUMN ... {} instead."


class ColumnValue(Mistake):
    """ALTER COLUMN of a default or an identity that the column does not admit."""

    def __init__(self, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message, span=span, hint=hint)

    @classmethod
    def is_identity(cls, column: str, table: str, use: str | None, span: Span) -> ColumnValue:
        """SET or DROP DEFAULT, or DROP NOT NULL, of an identity column."""
        hint = _USE.format(use) if use else None
        return cls(f'column "{column}" of relation "{table}" is an identity column', span, hint)

    @classmethod
    def uncollated(cls, pg_type: str, span: Span) -> ColumnValue:
        """`int COLLATE "C"`."""
        return cls(f"collations are not supported by type {pg_type}", span)

    @classmethod
    def not_addable(cls, column: str, table: str, why: str, span: Span) -> ColumnValue:
        """ADD GENERATED AS IDENTITY."""
        return cls(f'column "{column}" of relation "{table}" {why}', span)

    @classmethod
    def identity_type(cls, span: Span) -> ColumnValue:
        """An identity column of another type."""
        return cls("identity column type must be smallint, integer, or bigint", span)

    @classmethod
    def subquery(cls, span: Span) -> Mistake:
        """A generation expression that asks tables."""
        return Mistake("cannot use subquery in column generation expression", span=span)

    @classmethod
    def nested(cls, column: str, span: Span) -> Mistake:
        """A generation expression that reads another generated column."""
        return Mistake(
            f'cannot use generated column "{column}" in column generation expression',
            span=span,
            detail="A generated column cannot reference another generated column.",
        )

    @classmethod
    def in_partition_key(cls, column: str, span: Span) -> Mistake:
        """PARTITION BY a generated column."""
        return Mistake(
            "cannot use generated column in partition key",
            span=span,
            detail=f'Column "{column}" is a generated column.',
        )
