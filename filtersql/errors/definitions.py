"""Mistakes in what a project says: YAML and PostgreSQL's DDL.

Where PostgreSQL has a message for it, the words are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from filtersql.errors import Mistake, nearest
from filtersql.source import Span

__all__ = [
    "AlreadyMember",
    "AlreadySubscribed",
    "ColumnConflict",
    "Duplicate",
    "DuplicateColumn",
    "DuplicateInKey",
    "DuplicateInList",
    "GroupDefaultSet",
    "InTransaction",
    "InvalidModifier",
    "InvalidName",
    "InvalidValue",
    "ListedTwice",
    "MissingKey",
    "MixedPublication",
    "NeedsKey",
    "NoSchema",
    "NotMember",
    "NotMemberSchema",
    "PseudoType",
    "RemovedWithClause",
    "SeveralPrimaryKeys",
    "SyntaxMistake",
    "Together",
    "Unknown",
    "UnknownColumn",
    "UnknownInTable",
    "UnknownKey",
    "UnknownKeyColumn",
    "UnknownParameter",
    "UnsupportedStatement",
    "WrongKind",
    "YamlMistake",
]


def _meant(name: str, known: Iterable[str]) -> str | None:
    close = nearest(name, known)
    return f'Perhaps "{close}" was meant.' if close else None


class SyntaxMistake(Mistake):
    """PostgreSQL's parser does not accept the text; the words are PostgreSQL's own."""

    _DETAILS: ClassVar = {
        "invalid publication object list": "One of TABLE or TABLES IN SCHEMA must be specified "
        "before a standalone table or schema name.",
    }

    def __init__(self, message: str, span: Span | None) -> None:
        super().__init__(message, span=span, detail=self._DETAILS.get(message))


class YamlMistake(Mistake):
    """The file is not YAML; the words are libyaml's."""

    def __init__(self, problem: str, span: Span) -> None:
        hint = None
        if "found character '\\t'" in problem or "character '\\t'" in problem:
            hint = "YAML is indented with spaces."
        elif "mapping values are not allowed" in problem or "start any token" in problem:
            hint = "A value that holds YAML's own characters is written in quotes."
        super().__init__(f"invalid YAML: {problem}", span=span, hint=hint)


class WrongKind(Mistake):
    """A value is of another kind than its key asks for."""

    def __init__(self, what: str, expected: str, found: str, span: Span) -> None:
        super().__init__(f"{what} must be {expected}, not {found}", span=span)


class UnknownKey(Mistake):
    """A key that filtersql does not know in this place."""

    def __init__(self, key: str, where: str, known: Iterable[str], span: Span) -> None:
        names = sorted(known)
        super().__init__(
            f'unknown key "{key}" in {where}',
            span=span,
            detail=f"Known keys are {', '.join(names)}." if names else None,
            hint=_meant(key, names),
        )


class MissingKey(Mistake):
    """A key that must be written."""

    def __init__(self, key: str, where: str, span: Span) -> None:
        super().__init__(f'{where} has no "{key}"', span=span)


class NeedsKey(Mistake):
    """A key that means nothing without another."""

    def __init__(self, key: str, other: str, span: Span) -> None:
        super().__init__(f'"{key}" needs "{other}"', span=span)


class Together(Mistake):
    """Two keys of which only one may be written."""

    def __init__(self, first: str, second: str, where: str, span: Span) -> None:
        super().__init__(f'"{first}" and "{second}" exclude each other in {where}', span=span)


class InvalidValue(Mistake):
    """A value outside the list of what a key takes."""

    def __init__(self, what: str, value: str, allowed: Iterable[str], span: Span) -> None:
        names = list(allowed)
        super().__init__(
            f'invalid value for {what}: "{value}"',
            span=span,
            detail=f"Valid values are {', '.join(names)}." if names else None,
            hint=_meant(value, names),
        )


class InvalidName(Mistake):
    """Text that is no SQL identifier."""

    def __init__(self, text: str, span: Span) -> None:
        quoted = '"' + text.replace('"', '""') + '"'
        super().__init__(
            f"invalid name: {text}" if text else "empty name",
            span=span,
            detail="Names are SQL identifiers as PostgreSQL reads them.",
            hint=f"Write it with PostgreSQL's double quotes: '{quoted}'." if text else None,
        )


class Duplicate(Mistake):
    """Two definitions of one name."""

    def __init__(self, kind: str, name: str, span: Span, first: Span | None) -> None:
        super().__init__(
            f'{kind} "{name}" already exists',
            span=span,
            detail=f"It is defined at {first}." if first else None,
        )


class Unknown(Mistake):
    """Something is named that nothing defines."""

    def __init__(self, kind: str, name: str, span: Span | None, known: Iterable[str]) -> None:
        super().__init__(
            f'{kind} "{name}" does not exist', span=span, hint=_meant(name, list(known))
        )


class UnknownInTable(Mistake):
    """A column, constraint or index that its table does not have."""

    def __init__(self, kind: str, name: str, table: str, span: Span, known: Iterable[str]) -> None:
        super().__init__(
            f'{kind} "{name}" of relation "{table}" does not exist',
            span=span,
            hint=_meant(name, list(known)),
        )


class UnknownColumn(Mistake):
    """RENAME COLUMN of one that is not there."""

    def __init__(self, column: str, span: Span, known: Iterable[str]) -> None:
        super().__init__(
            f'column "{column}" does not exist', span=span, hint=_meant(column, list(known))
        )


class NoSchema(Mistake):
    """A dump empties search_path and then writes every schema."""

    def __init__(self, span: Span) -> None:
        super().__init__("no schema has been selected to create in", span=span)


class ListedTwice(Mistake):
    """A table stands twice under one publication, replication set or subscription."""

    def __init__(self, name: str, owner: str, span: Span, first: Span | None) -> None:
        super().__init__(
            f'"{name}" is listed twice in {owner}',
            span=span,
            detail=f"It is listed first at {first}." if first else None,
        )


class DuplicateColumn(Mistake):
    """A second column of one name; `table` when it is added to an existing table."""

    def __init__(self, column: str, table: str | None, span: Span, first: Span | None) -> None:
        message = (
            f'column "{column}" specified more than once'
            if table is None
            else f'column "{column}" of relation "{table}" already exists'
        )
        detail = f"It is defined at {first}." if first else None
        super().__init__(message, span=span, detail=detail)


class DuplicateInList(Mistake):
    """A column stands twice in a publication's column list."""

    def __init__(self, column: str, span: Span) -> None:
        super().__init__(f'duplicate column "{column}" in publication column list', span=span)


class DuplicateInKey(Mistake):
    """A column stands twice in one list of columns."""

    def __init__(self, column: str, what: str, span: Span) -> None:
        super().__init__(f'column "{column}" appears twice in {what}', span=span)


class UnknownKeyColumn(Mistake):
    """A key or index names a column that its table does not have."""

    def __init__(self, column: str, span: Span, known: Iterable[str]) -> None:
        super().__init__(
            f'column "{column}" named in key does not exist', span=span, hint=_meant(column, known)
        )


class SeveralPrimaryKeys(Mistake):
    """A second primary key."""

    def __init__(self, table: str, span: Span) -> None:
        super().__init__(f'multiple primary keys for table "{table}" are not allowed', span=span)


class ColumnConflict(Mistake):
    """Two things are said of one column that exclude each other."""

    _WORDS: ClassVar = {
        "default": "both default and generation expression specified",
        "default and identity": "both default and identity specified",
        "CONSTR_DEFAULT": "multiple default values specified",
        "CONSTR_IDENTITY": "multiple identity specifications",
        "CONSTR_GENERATED": "multiple generation clauses specified",
        "identity": "both identity and generation expression specified",
        "null": "conflicting NULL/NOT NULL declarations",
    }

    def __init__(self, kind: str, column: str, table: str, span: Span) -> None:
        super().__init__(f'{self._WORDS[kind]} for column "{column}" of table "{table}"', span=span)


class InTransaction(Mistake):
    """A statement that commits by itself, between BEGIN and COMMIT."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(f"{what} cannot run inside a transaction block", span=span)


class PseudoType(Mistake):
    """A type that no column can have."""

    def __init__(self, column: str, name: str, span: Span) -> None:
        super().__init__(f'column "{column}" has pseudo-type {name}', span=span)


class InvalidModifier(Mistake):
    """A type modifier that its type does not take."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message, span=span)

    @classmethod
    def none_allowed(cls, name: str, span: Span) -> InvalidModifier:
        """`int4(3)`."""
        return cls(f'type modifier is not allowed for type "{name}"', span)

    @classmethod
    def invalid(cls, name: str, span: Span) -> InvalidModifier:
        """Too many modifiers, or none that is a constant."""
        return cls(f"invalid {name} type modifier", span)

    @classmethod
    def length(cls, name: str, most: int | None, span: Span) -> InvalidModifier:
        """`varchar(0)`, or more than the type can hold."""
        limit = "must be at least 1" if most is None else f"cannot exceed {most}"
        return cls(f"length for type {name} {limit}", span)

    @classmethod
    def numeric(cls, part: str, value: int, span: Span) -> InvalidModifier:
        """A precision or scale out of range."""
        least = 1 if part == "precision" else -1000
        return cls(f"NUMERIC {part} {value} must be between {least} and 1000", span)


class UnknownParameter(Mistake):
    """A parameter or a value in WITH (…)."""

    def __init__(self, message: str, span: Span, detail: str | None, hint: str | None) -> None:
        super().__init__(message, span=span, detail=detail, hint=hint)

    @classmethod
    def name(cls, kind: str, name: str, known: Iterable[str], span: Span) -> UnknownParameter:
        """A parameter that the statement does not have."""
        return cls(f'unrecognized {kind} parameter: "{name}"', span, None, _meant(name, known))

    @classmethod
    def bare(cls, name: str, span: Span) -> UnknownParameter:
        """A parameter that means nothing without a value."""
        return cls(f"{name} requires a parameter", span, None, None)

    @classmethod
    def list_syntax(cls, name: str, span: Span) -> UnknownParameter:
        """A comma too many."""
        return cls(f'invalid list syntax in parameter "{name}"', span, None, None)

    @classmethod
    def since(cls, kind: str, name: str, version: int, span: Span) -> UnknownParameter:
        """A parameter that this version of PostgreSQL does not know."""
        hint = f"PostgreSQL knows it since version {version}."
        return cls(f'unrecognized {kind} parameter: "{name}"', span, None, hint)

    @classmethod
    def origin(cls, value: str, span: Span) -> UnknownParameter:
        """`origin` takes two words."""
        return cls(f'unrecognized origin value: "{value}"', span, None, None)

    @classmethod
    def exclusive(cls, first: str, name: str, span: Span) -> UnknownParameter:
        """Something that needs a connection or a slot, without one."""
        message = f"{first} and {name} = true are mutually exclusive options"
        return cls(message, span, None, None)

    @classmethod
    def must_also(cls, name: str, span: Span) -> UnknownParameter:
        """Without a slot what needs one is off by saying so."""
        message = f"subscription with slot_name = NONE must also set {name} = false"
        return cls(message, span, None, None)

    @classmethod
    def action(cls, value: str, known: Iterable[str], span: Span) -> UnknownParameter:
        """A word in `publish` that is no action."""
        message = f'unrecognized value for publication option "publish": "{value}"'
        return cls(message, span, None, _meant(value, known))

    @classmethod
    def generated(cls, value: str, span: Span) -> UnknownParameter:
        """`publish_generated_columns` takes two words."""
        name = "publish_generated_columns"
        message = f'invalid value for publication parameter "{name}": "{value}"'
        return cls(message, span, 'Valid values are "none" and "stored".', None)

    @classmethod
    def boolean(cls, name: str, span: Span) -> UnknownParameter:
        """A value that is no Boolean."""
        return cls(f"{name} requires a Boolean value", span, None, None)

    @classmethod
    def twice(cls, span: Span) -> UnknownParameter:
        """One name given twice."""
        return cls("conflicting or redundant options", span, None, None)

    @classmethod
    def not_constant(cls, function: str, name: str, span: Span) -> UnknownParameter:
        """An expression where only a constant can be read."""
        message = f'argument "{name}" of function {function} must be a constant'
        return cls(message, span, None, None)


class AlreadyMember(Mistake):
    """ALTER PUBLICATION … ADD of what is there already."""

    def __init__(self, kind: str, name: str, publication: str, span: Span) -> None:
        super().__init__(f'{kind} "{name}" is already member of {publication}', span=span)


class NotMember(Mistake):
    """ALTER PUBLICATION … DROP of what is not there."""

    def __init__(self, table: str, owner: str, span: Span) -> None:
        super().__init__(f'relation "{table}" is not part of the {owner}', span=span)


class NotMemberSchema(Mistake):
    """ALTER PUBLICATION … DROP TABLES IN SCHEMA of another one."""

    def __init__(self, schema: str, span: Span) -> None:
        super().__init__(
            f'tables from schema "{schema}" are not part of the publication', span=span
        )


class RemovedWithClause(Mistake):
    """ALTER PUBLICATION … DROP TABLE t WHERE (…) or t (columns)."""

    _WORDS: ClassVar = {
        "where": "cannot use a WHERE clause when removing a table from a publication",
        "columns": "column list must not be specified in ALTER PUBLICATION ... DROP",
    }

    def __init__(self, clause: str, span: Span) -> None:
        super().__init__(self._WORDS[clause], span=span)


class MixedPublication(Mistake):
    """What FOR ALL TABLES excludes."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)

    @classmethod
    def all_tables(cls, publication: str, what: str, span: Span) -> MixedPublication:
        """FOR ALL TABLES takes no members."""
        return cls(
            f'publication "{publication}" is defined as FOR ALL TABLES',
            span,
            f"{what} cannot be added to or dropped from FOR ALL TABLES publications.",
        )


class AlreadySubscribed(Mistake):
    """ALTER SUBSCRIPTION … ADD or DROP PUBLICATION, and names given twice."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message, span=span)

    @classmethod
    def added(cls, publication: str, subscription: str, span: Span) -> AlreadySubscribed:
        """ADD PUBLICATION of a subscribed one."""
        return cls(f'publication "{publication}" is already in subscription "{subscription}"', span)

    @classmethod
    def absent(cls, publication: str, subscription: str, span: Span) -> AlreadySubscribed:
        """DROP PUBLICATION of another one."""
        return cls(f'publication "{publication}" is not in subscription "{subscription}"', span)

    @classmethod
    def last(cls, span: Span) -> AlreadySubscribed:
        """A subscription needs a publication."""
        return cls("cannot drop all the publications from a subscription", span)

    @classmethod
    def twice(cls, publication: str, span: Span) -> AlreadySubscribed:
        """One name given twice."""
        return cls(f'publication name "{publication}" used more than once', span)


class UnsupportedStatement(Mistake):
    """DDL that concerns replication and that filtersql does not carry out."""

    own = True

    def __init__(self, what: str, span: Span, hint: str | None = None) -> None:
        super().__init__(f"{what} is not supported", span=span, hint=hint)

    @classmethod
    def dumped(cls, what: str, span: Span) -> UnsupportedStatement:
        """What a dump of the result says in simpler words."""
        return cls(what, span, "Put what pg_dump --schema-only writes in place of the file.")


class GroupDefaultSet(Mistake):
    """bdr: a table is added to the group's default set, whose name only the group knows."""

    def __init__(self, span: Span) -> None:
        super().__init__(
            "replication set is not named",
            span=span,
            detail="Without set_name it is the default set of the BDR group.",
            hint="Name the set, or make its group: SELECT bdr.create_node_group('mygroup').",
        )
