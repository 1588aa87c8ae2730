"""What PostgreSQL says of names that are taken, missing or another kind's; its words.

PostgreSQL
    dropcmds.c, tablecmds.c: DropErrorMsgWrongType(); schemacmds.c, indexcmds.c, dependency.c
"""

from __future__ import annotations

from typing import ClassVar

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = [
    "IndexSchema",
    "NameTaken",
    "Owned",
    "RowType",
    "SchemaName",
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
    def temporary(cls, span: Span) -> SchemaName:
        """SET SCHEMA of a temporary relation."""
        return cls("cannot move objects into or out of temporary schemas", span)

    @classmethod
    def required(cls, name: str, span: Span) -> SchemaName:
        """DROP SCHEMA pg_catalog."""
        return cls(f"cannot drop schema {name} because it is required by the database system", span)
