"""What PostgreSQL refuses of parents and children: INHERITS, PARTITION OF and ATTACH PARTITION.

PostgreSQL
    tablecmds.c: MergeAttributes(), ATExecAddInherit(), ATExecAttachPartition(),
    MergeAttributesIntoExisting(); the words are PostgreSQL's
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = ["ChildMismatch", "InheritedConflict", "Parentage"]


class Parentage(Mistake):
    """A relation that cannot be this parent or this child."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def beside_default(cls, span: Span) -> Parentage:
        """DETACH PARTITION … CONCURRENTLY."""
        message = "cannot detach partitions concurrently when a default partition exists"
        return cls(message, span)

    @classmethod
    def circular(cls, child: str, parent: str, span: Span) -> Parentage:
        """A table below itself."""
        detail = f'"{child}" is already a child of "{parent}".'
        return cls("circular inheritance not allowed", span, detail)

    @classmethod
    def no_table(cls, name: str, span: Span) -> Parentage:
        """INHERITS or PARTITION OF a view or a sequence."""
        return cls(f'inherited relation "{name}" is not a table or foreign table', span)

    @classmethod
    def of_root(cls, name: str, span: Span) -> Parentage:
        """A partitioned table has no heirs but its partitions."""
        return cls(f'cannot inherit from partitioned table "{name}"', span)

    @classmethod
    def of_partition(cls, name: str | None, span: Span) -> Parentage:
        """A partition has none either; INHERITS names it, ALTER TABLE … INHERIT does not."""
        return cls(f'cannot inherit from partition "{name}"' if name else _A_PARTITION, span)

    @classmethod
    def twice(cls, name: str, span: Span) -> Parentage:
        """One parent given twice."""
        return cls(f'relation "{name}" would be inherited from more than once', span)

    @classmethod
    def no_partition(cls, table: str, parent: str, span: Span) -> Parentage:
        """DETACH PARTITION of another table's partition."""
        return cls(f'relation "{table}" is not a partition of relation "{parent}"', span)

    @classmethod
    def not_partitioned(cls, name: str, span: Span) -> Parentage:
        """CREATE TABLE … PARTITION OF a plain table."""
        return cls(f'"{name}" is not partitioned', span)

    @classmethod
    def attached(cls, what: str, span: Span) -> Parentage:
        """ATTACH PARTITION of an inheritance child, or of an inheritance parent."""
        return cls(f"cannot attach inheritance {what} as partition", span)


_A_PARTITION = "cannot inherit from a partition"


class ChildMismatch(Mistake):
    """A table that is there has not the columns that its parent-to-be has."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message, span=span)

    @classmethod
    def missing(cls, column: str, span: Span) -> ChildMismatch:
        """A parent's column that the child lacks."""
        return cls(f'child table is missing column "{column}"', span)

    @classmethod
    def other(cls, what: str, table: str, column: str, span: Span) -> ChildMismatch:
        """Another type or collation (`what`)."""
        return cls(f'child table "{table}" has different {what} for column "{column}"', span)

    @classmethod
    def nullable(cls, table: str | None, column: str, span: Span) -> ChildMismatch:
        """NOT NULL in the parent alone; PostgreSQL names the table since version 18."""
        child = f'child table "{table}"' if table else "child table"
        return cls(f'column "{column}" in {child} must be marked NOT NULL', span)

    @classmethod
    def generated(cls, column: str, must: bool, span: Span) -> ChildMismatch:
        """A generated column in one of the two alone."""
        wanted = "must be" if must else "must not be"
        return cls(f'column "{column}" in child table {wanted} a generated column', span)

    @classmethod
    def expression(cls, column: str, span: Span) -> ChildMismatch:
        """Another expression, before PostgreSQL 16."""
        named = f'column "{column}" in child table'
        return cls(f"{named} has a conflicting generation expression", span)


class InheritedConflict(Mistake):
    """INHERITS: the parents, or a parent and the table itself, disagree about a column."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def kinds(cls, column: str, first: str, second: str, span: Span) -> InheritedConflict:
        """A stored column whose parent is virtual, or the other way round."""
        return cls(
            f'column "{column}" inherits from generated column of different kind',
            span,
            f"Parent column is {first.upper()}, child column is {second.upper()}.",
        )
