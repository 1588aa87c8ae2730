"""What PostgreSQL refuses of ALTER and DROP, because of publications or of what else depends on it.

PostgreSQL
    tablecmds.c, dependency.c, publicationcmds.c; the words are PostgreSQL's
"""

from __future__ import annotations

from collections.abc import Sequence

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = [
    "BadBounds",
    "CannotAttach",
    "CannotOpen",
    "CannotTurnOff",
    "ColumnInUse",
    "DependedOn",
    "InheritedConstraint",
    "NotForKind",
    "PartitionMismatch",
    "PartitionedKey",
    "SchemaBesideList",
    "TypeInUse",
    "UnknownSchema",
    "UnusableIdentityIndex",
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


class TypeInUse(Mistake):
    """ALTER COLUMN TYPE of a column that a filter, list or generated column reads."""

    def __init__(self, user: str, detail: str, span: Span) -> None:
        super().__init__(f"cannot alter type of a column used {user}", span=span, detail=detail)

    @classmethod
    def by_publication(cls, entry: str, column: str, span: Span) -> TypeInUse:
        """A publication's filter or column list."""
        return cls("by a publication WHERE clause", f'{entry} depends on column "{column}"', span)

    @classmethod
    def by_generated(cls, column: str, generated: str, span: Span) -> TypeInUse:
        """A generated column."""
        return cls(
            "by a generated column",
            f'Column "{column}" is used by generated column "{generated}".',
            span,
        )


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
    """A statement names another kind of relation or type than it takes."""

    @classmethod
    def not_one(cls, name: str, one: str, span: Span) -> Mistake:
        """ALTER VIEW of a table; `one` as in "is not a view"."""
        return Mistake(f'"{name}" is not {one}', span=span)

    @classmethod
    def no_domain(cls, name: str, span: Span) -> Mistake:
        """ALTER DOMAIN of a type."""
        return Mistake(f"{name} is not a domain", span=span)


class ColumnInUse(Mistake):
    """A change that a key, an identity or a partition key does not allow."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message, span=span)

    @classmethod
    def primary_key(cls, column: str, span: Span) -> ColumnInUse:
        """DROP NOT NULL of a key's column."""
        return cls(f'column "{column}" is in a primary key', span)

    @classmethod
    def identity(cls, column: str, span: Span) -> ColumnInUse:
        """DROP NOT NULL of a column of REPLICA IDENTITY USING INDEX."""
        return cls(f'column "{column}" is in index used as replica identity', span)

    @classmethod
    def partition_key(cls, verb: str, column: str, table: str, span: Span) -> ColumnInUse:
        """DROP COLUMN or ALTER COLUMN TYPE of what rows are routed by."""
        return cls(
            f'cannot {verb} column "{column}" because it is part of the partition key of relation '
            f'"{table}"',
            span,
        )


class InheritedConstraint(Mistake):
    """DROP CONSTRAINT of a partition, whose parent has it."""

    def __init__(self, name: str, table: str, span: Span) -> None:
        super().__init__(
            f'cannot drop inherited constraint "{name}" of relation "{table}"', span=span
        )


class CannotAttach(Mistake):
    """ATTACH PARTITION of a table that does not fit."""

    def __init__(self, message: str, detail: str | None, span: Span) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def extra_column(cls, table: str, column: str, parent: str, span: Span) -> CannotAttach:
        """A column that the parent lacks."""
        return cls(
            f'table "{table}" contains column "{column}" not found in parent "{parent}"',
            "The new partition may contain only the columns present in parent.",
            span,
        )


class PartitionedKey(Mistake):
    """What a partitioned table's own definition may not say."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def lacks(cls, kind: str, table: str, column: str, span: Span) -> PartitionedKey:
        """A unique constraint without a column of the partition key."""
        return cls(
            "unique constraint on partitioned table must include all partitioning columns",
            span,
            f'{kind} constraint on table "{table}" lacks column "{column}" which is part of the '
            "partition key.",
        )

    @classmethod
    def unknown(cls, column: str, span: Span) -> PartitionedKey:
        """PARTITION BY a column that does not exist."""
        return cls(f'column "{column}" named in partition key does not exist', span)

    @classmethod
    def list_of_several(cls, span: Span) -> PartitionedKey:
        """PARTITION BY LIST (a, b)."""
        return cls('cannot use "list" partition strategy with more than one column', span)

    @classmethod
    def unlogged(cls, span: Span) -> PartitionedKey:
        """CREATE UNLOGGED TABLE … PARTITION BY, since PostgreSQL 18."""
        return cls("partitioned tables cannot be unlogged", span)


class PartitionMismatch(Mistake):
    """A partition and its parent do not fit each other."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message, span=span)

    @classmethod
    def not_partitioned(cls, parent: str, span: Span) -> PartitionMismatch:
        """The parent has no PARTITION BY."""
        return cls(f'table "{parent}" is not partitioned', span)

    @classmethod
    def already(cls, table: str, span: Span) -> PartitionMismatch:
        """A second parent."""
        return cls(f'"{table}" is already a partition', span)


class BadBounds(Mistake):
    """A partition's bounds do not fit its parent, or the partitions that are there."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def hash_default(cls, span: Span) -> BadBounds:
        """DEFAULT of a parent that is partitioned by hash."""
        return cls("a hash-partitioned table may not have a default partition", span)

    @classmethod
    def second_default(cls, name: str, other: str, span: Span) -> BadBounds:
        """DEFAULT twice."""
        return cls(f'partition "{name}" conflicts with existing default partition "{other}"', span)

    @classmethod
    def other_strategy(cls, strategy: str, span: Span) -> BadBounds:
        """Bounds of another strategy than the parent's."""
        return cls(f"invalid bound specification for a {strategy} partition", span)

    @classmethod
    def overlap(cls, name: str, other: str, span: Span) -> BadBounds:
        """Rows that belong to two partitions."""
        return cls(f'partition "{name}" would overlap partition "{other}"', span)

    @classmethod
    def empty(cls, name: str, lower: str, upper: str, span: Span) -> BadBounds:
        """A range without values."""
        return cls(
            f'empty range bound specified for partition "{name}"',
            span,
            f"Specified lower bound {lower} is greater than or equal to upper bound {upper}.",
        )

    @classmethod
    def modulus(cls, modulus: int, lacks: str, known: int, other: str, span: Span) -> BadBounds:
        """Not "divisible by" the next smaller modulus, or not "a factor of" the next larger."""
        return cls(
            "every hash partition modulus must be a factor of the next larger modulus",
            span,
            f"The new modulus {modulus} is not {lacks} {known}, "
            f'the modulus of existing partition "{other}".',
        )


class UnusableIdentityIndex(Mistake):
    """ALTER TABLE … REPLICA IDENTITY USING INDEX refuses the index."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message, span=span)

    @classmethod
    def kind(cls, kind: str, index: str, span: Span) -> UnusableIdentityIndex:
        """Not unique, partial, deferrable or over expressions."""
        return cls(f'cannot use {kind} index "{index}" as replica identity', span)

    @classmethod
    def nullable(cls, index: str, column: str, span: Span) -> UnusableIdentityIndex:
        """A column without NOT NULL."""
        return cls(
            f'index "{index}" cannot be used as replica identity'
            f' because column "{column}" is nullable',
            span,
        )

    @classmethod
    def nullable_column(cls, table: str, column: str, span: Span) -> UnusableIdentityIndex:
        """The same in YAML, where the index has no name."""
        return cls(
            f'replica identity of table "{table}" cannot hold column "{column}", which is nullable',
            span,
        )

    @classmethod
    def other_table(cls, index: str, table: str, span: Span) -> UnusableIdentityIndex:
        """Another table's index."""
        return cls(f'"{index}" is not an index for table "{table}"', span)

    @classmethod
    def no_index(cls, name: str, span: Span) -> UnusableIdentityIndex:
        """A table's name."""
        return cls(f'"{name}" is not an index', span)

    @classmethod
    def unknown(cls, index: str, table: str, span: Span) -> UnusableIdentityIndex:
        """No such index on the table."""
        return cls(f'index "{index}" for table "{table}" does not exist', span)
