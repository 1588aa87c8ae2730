"""What PostgreSQL says of names that are taken, missing or another kind's; its words.

PostgreSQL
    dropcmds.c, tablecmds.c: DropErrorMsgWrongType(); schemacmds.c, indexcmds.c, dependency.c
"""

from __future__ import annotations

from typing import ClassVar

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = [
    "ForeignKeyMismatch",
    "IndexSchema",
    "NameTaken",
    "NoAutomaticCast",
    "NotIndexable",
    "Owned",
    "RowType",
    "SchemaName",
    "SystemColumn",
    "VirtualIndexed",
    "WrongKindOfRelation",
]


class WrongKindOfRelation(Mistake):
    """DROP TABLE of a view and the like: `kind` and `wanted` as details name them."""

    _ONE: ClassVar = {
        "tables": "a table",
        "partitioned tables": "a table",
        "foreign tables": "a foreign table",
        "views": "a view",
        "materialized views": "a materialized view",
        "sequences": "a sequence",
        "indexes": "an index",
        "partitioned indexes": "an index",
        "composite types": "a type",
    }

    def __init__(self, name: str, kind: str, wanted: str, span: Span) -> None:
        there = self._ONE[kind]
        command = there.partition(" ")[2].upper()
        super().__init__(
            f'"{name}" is not {self._ONE[wanted]}',
            span=span,
            hint=f"Use DROP {command} to remove {there}.",
        )

    @classmethod
    def one_of(cls, kind: str) -> str:
        """The kind that DROP TABLE, DROP INDEX and so on remove: `a table`, `an index`."""
        return str(cls._ONE.get(kind, ""))


class IndexSchema(Mistake):
    """ALTER TABLE … SET SCHEMA of an index."""

    def __init__(self, name: str, span: Span) -> None:
        super().__init__(
            f'cannot change schema of index "{name}"',
            span=span,
            hint="Change the schema of the table instead.",
        )


class NameTaken(Mistake):
    """A relation's name that another one has."""

    def __init__(self, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message, span=span, hint=hint)

    @classmethod
    def in_schema(cls, name: str, schema: str, span: Span) -> NameTaken:
        """ALTER TABLE … SET SCHEMA."""
        return cls(f'relation "{name}" already exists in schema "{schema}"', span)

    @classmethod
    def of_type(cls, name: str, span: Span) -> NameTaken:
        """CREATE TYPE under the name of a type, which each table has too."""
        return cls(f'type "{name}" already exists', span)

    @classmethod
    def of_multirange(cls, name: str, of: str | None, span: Span) -> NameTaken:
        """The multirange type's own name; `of` is the range type after which it was named."""
        if of is None:
            return cls.of_type(name, span)
        hint = (
            "You can manually specify a multirange type name using the "
            '"multirange_type_name" attribute.'
        )
        made = cls(f'type "{name}" already exists', span, hint)
        made.detail = f'Failed while creating a multirange type for type "{of}".'
        return made

    @classmethod
    def by_type(cls, name: str, span: Span) -> NameTaken:
        """CREATE TABLE under the name of an enum or domain."""
        return cls(
            f'type "{name}" already exists',
            span,
            "A relation has an associated type of the same name, so you must use a name that "
            "doesn't conflict with any existing type.",
        )


class Owned(Mistake):
    """DROP INDEX of one that a constraint or the root's index needs, DROP TYPE of a row's."""

    def __init__(self, what: str, owner: str, span: Span) -> None:
        super().__init__(
            f"cannot drop {what} because {owner} requires it",
            span=span,
            hint=f"You can drop {owner} instead.",
        )


class RowType(Mistake):
    """ALTER TYPE of a table's row type."""

    def __init__(self, name: str, span: Span) -> None:
        super().__init__(
            f"{name} is a table's row type", span=span, hint="Use ALTER TABLE instead."
        )


class NotIndexable(Mistake):
    """CREATE INDEX on a view or a sequence."""

    def __init__(self, name: str, many: str, span: Span) -> None:
        super().__init__(
            f'cannot create index on relation "{name}"',
            span=span,
            detail=f"This operation is not supported for {many}.",
        )


class VirtualIndexed(Mistake):
    """A key or index (`kind`, in the plural) of a virtual generated column."""

    def __init__(self, kind: str, span: Span) -> None:
        kind = "indexes" if kind == "index" else kind
        super().__init__(f"{kind} on virtual generated columns are not supported", span=span)

    @classmethod
    def system(cls, span: Span) -> Mistake:
        """An index of ctid."""
        return Mistake("index creation on system columns is not supported", span=span)

    @classmethod
    def unsorted(cls, type_name: str, span: Span) -> Mistake:
        """A key of a type that has no order: json, point."""
        return Mistake(
            f'data type {type_name} has no default operator class for access method "btree"',
            span=span,
            hint="You must specify an operator class for the index or define a default operator "
            "class for the data type.",
        )


class SchemaName(Mistake):
    """A schema that cannot be made under a name, or not be dropped."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def taken(cls, name: str, span: Span) -> SchemaName:
        """CREATE SCHEMA, or RENAME to it."""
        return cls(f'schema "{name}" already exists', span)

    @classmethod
    def reserved(cls, name: str, span: Span) -> SchemaName:
        """A name that begins with pg_."""
        detail = 'The prefix "pg_" is reserved for system schemas.'
        return cls(f'unacceptable schema name "{name}"', span, detail)

    @classmethod
    def required(cls, name: str, span: Span) -> SchemaName:
        """DROP SCHEMA pg_catalog."""
        return cls(f"cannot drop schema {name} because it is required by the database system", span)


class SystemColumn(Mistake):
    """ctid, xmin and their like: nothing changes them, and no column gets their names."""

    def __init__(self, verb: str, column: str, span: Span) -> None:
        super().__init__(f'cannot {verb} system column "{column}"', span=span)

    @classmethod
    def in_key(cls, column: str, version: int, span: Span) -> Mistake:
        """ADD PRIMARY KEY (ctid), which PostgreSQL 18 gives a NOT NULL constraint first."""
        if version < 18:
            return cls("alter", column, span)
        return Mistake(f'cannot add not-null constraint on system column "{column}"', span=span)

    @classmethod
    def in_foreign_key(cls, span: Span) -> Mistake:
        """FOREIGN KEY (ctid), or REFERENCES t (ctid)."""
        return Mistake("system columns cannot be used in foreign keys", span=span)

    @classmethod
    def in_partition_key(cls, column: str, span: Span) -> Mistake:
        """PARTITION BY LIST (ctid)."""
        return Mistake(f'cannot use system column "{column}" in partition key', span=span)

    @classmethod
    def named(cls, column: str, span: Span) -> Mistake:
        """ADD COLUMN ctid, RENAME COLUMN a TO ctid."""
        return Mistake(f'column name "{column}" conflicts with a system column name', span=span)


class NoAutomaticCast(Mistake):
    """ALTER COLUMN TYPE without USING."""

    def __init__(self, column: str, type_name: str, using: str, span: Span) -> None:
        super().__init__(
            f'column "{column}" cannot be cast automatically to type {type_name}',
            span=span,
            hint=f'You might need to specify "USING {using}".',
        )


class ForeignKeyMismatch(Mistake):
    """A foreign key and the table that it references do not fit each other."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def unknown(cls, column: str, span: Span) -> ForeignKeyMismatch:
        """A column that one of the two tables does not have."""
        return cls(f'column "{column}" referenced in foreign key constraint does not exist', span)

    @classmethod
    def no_key(cls, table: str, span: Span) -> ForeignKeyMismatch:
        """REFERENCES t without columns, of a table without primary key."""
        return cls(f'there is no primary key for referenced table "{table}"', span)

    @classmethod
    def no_unique(cls, table: str, span: Span) -> ForeignKeyMismatch:
        """Columns that no unique constraint covers."""
        return cls(
            f'there is no unique constraint matching given keys for referenced table "{table}"',
            span,
        )

    @classmethod
    def deferrable(cls, what: str, table: str, span: Span) -> ForeignKeyMismatch:
        """A key that may be violated until the transaction ends."""
        return cls(f'cannot use a deferrable {what} for referenced table "{table}"', span)

    @classmethod
    def disagree(cls, span: Span) -> ForeignKeyMismatch:
        """More columns on one side than on the other."""
        return cls("number of referencing and referenced columns for foreign key disagree", span)

    @classmethod
    def no_table(cls, name: str, span: Span) -> ForeignKeyMismatch:
        """REFERENCES a view."""
        return cls(f'referenced relation "{name}" is not a table', span)

    @classmethod
    def unlogged(cls, span: Span) -> ForeignKeyMismatch:
        """A permanent table references an unlogged one."""
        return cls("constraints on permanent tables may reference only permanent tables", span)
