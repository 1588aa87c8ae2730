"""What PostgreSQL refuses of defaults, identities and generation expressions; its words.

PostgreSQL
    parse_utilcmd.c: transformColumnDefinition(); tablecmds.c: MergeAttributes(),
    ATExecColumnDefault(), ATExecAddIdentity(), ATExecDropIdentity(), ATExecAttachPartition()
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = ["ColumnValue", "IdentityOfPartition", "SequenceOwner", "ValueConflict"]

_USE = "Use ALTER TABLE ... ALTER COLUMN ... {} instead."


class ValueConflict(Mistake):
    """A column's default, identity or expression beside that of its parents."""

    def __init__(self, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message, span=span, hint=hint)

    @classmethod
    def over_generated(cls, column: str, what: str, span: Span) -> ValueConflict:
        """A `default` or `identity` where the parent generates the column."""
        return cls(f'column "{column}" inherits from generated column but specifies {what}', span)

    @classmethod
    def generates(cls, column: str, hint: str, span: Span) -> ValueConflict:
        """A generated column that may not be one beside its parent's."""
        return cls(f'child column "{column}" specifies generation expression', span, hint)

    @classmethod
    def of_parents(cls, column: str, *, generated: bool, hinted: bool, span: Span) -> ValueConflict:
        """Parents that differ, where the table itself says nothing."""
        what = "generation expressions" if generated else "default values"
        one = "generation expression" if generated else "default"
        hint = f"To resolve the conflict, specify a {one} explicitly."
        return cls(f'column "{column}" inherits conflicting {what}', span, hint if hinted else None)

    @classmethod
    def required(cls, column: str, table: str, span: Span) -> ValueConflict:
        """LIKE … INCLUDING GENERATED or DEFAULTS of a column that is generated already."""
        owner = f"column {column} of table {table}"
        return cls(
            f"cannot drop default value for {owner} because {owner} requires it",
            span,
            f"You can drop {owner} instead.",
        )


class ColumnValue(Mistake):
    """ALTER COLUMN of a default or an identity that the column does not admit."""

    def __init__(self, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message, span=span, hint=hint)

    @classmethod
    def is_generated(cls, column: str, table: str, use: str | None, span: Span) -> ColumnValue:
        """SET or DROP DEFAULT of a generated column; `use` is what changes it."""
        hint = _USE.format(use) if use else None
        return cls(f'column "{column}" of relation "{table}" is a generated column', span, hint)

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
    def no_identity(cls, column: str, table: str, span: Span) -> ColumnValue:
        """DROP IDENTITY or SET GENERATED of another column."""
        return cls(f'column "{column}" of relation "{table}" is not an identity column', span)

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


class IdentityOfPartition(Mistake):
    """Partitions have the identity columns of their root, and none of their own."""

    def __init__(self, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message, span=span, hint=hint)

    @classmethod
    def unsupported(cls, what: str, span: Span) -> IdentityOfPartition:
        """CREATE TABLE … PARTITION OF with `identity` (or, before 16, `generated`) columns."""
        return cls(f"{what} columns are not supported on partitions", span)

    @classmethod
    def changed(cls, verb: str, span: Span) -> IdentityOfPartition:
        """ALTER TABLE of a partition: `add identity to a column of`."""
        return cls(f"cannot {verb} a partition", span)

    @classmethod
    def only(cls, verb: str, span: Span) -> IdentityOfPartition:
        """ALTER TABLE ONLY of the root."""
        hint = "Do not specify the ONLY keyword."
        return cls(f"cannot {verb} only the partitioned table", span, hint)

    @classmethod
    def recursing(cls, span: Span) -> IdentityOfPartition:
        """ADD COLUMN of one to a table that has heirs, which would have none."""
        what = "identity column to table that has child tables"
        return cls(f"cannot recursively add {what}", span)

    @classmethod
    def attached(cls, table: str, column: str, span: Span) -> Mistake:
        """ATTACH PARTITION of a table that has one."""
        return Mistake(
            f'table "{table}" being attached contains an identity column "{column}"',
            span=span,
            detail="The new partition may not contain an identity column.",
        )


class SequenceOwner(Mistake):
    """OWNED BY, and what becomes of a sequence that a column owns."""

    def __init__(
        self, message: str, span: Span, detail: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, span=span, detail=detail, hint=hint)

    @classmethod
    def invalid(cls, span: Span) -> SequenceOwner:
        """OWNED BY one name that is not NONE."""
        hint = "Specify OWNED BY table.column or OWNED BY NONE."
        return cls("invalid OWNED BY option", span, hint=hint)

    @classmethod
    def elsewhere(cls, span: Span) -> SequenceOwner:
        """A table of another schema."""
        return cls("sequence must be in same schema as table it is linked to", span)

    @classmethod
    def no_table(cls, name: str, many: str, span: Span) -> SequenceOwner:
        """OWNED BY a column of a sequence or an index."""
        detail = f"This operation is not supported for {many}."
        return cls(f'sequence cannot be owned by relation "{name}"', span, detail)

    @classmethod
    def of_identity(cls, name: str, table: str, span: Span) -> SequenceOwner:
        """ALTER SEQUENCE … OWNED BY of an identity column's."""
        linked = f'Sequence "{name}" is linked to table "{table}".'
        return cls("cannot change ownership of identity sequence", span, linked)

    @classmethod
    def moved(cls, name: str, table: str, span: Span) -> SequenceOwner:
        """SET SCHEMA of a sequence that a column owns."""
        linked = f'Sequence "{name}" is linked to table "{table}".'
        return cls("cannot move an owned sequence into another schema", span, linked)
