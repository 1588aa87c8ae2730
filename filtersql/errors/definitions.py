"""Mistakes in what a project says: YAML and PostgreSQL's DDL.

Where PostgreSQL has a message for it, the words are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from filtersql.errors import Mistake, nearest
from filtersql.source import Span

__all__ = [
    "Duplicate",
    "GroupDefaultSet",
    "InTransaction",
    "InvalidName",
    "InvalidValue",
    "ListedTwice",
    "MissingKey",
    "NeedsKey",
    "SyntaxMistake",
    "Together",
    "Unknown",
    "UnknownKey",
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


class ListedTwice(Mistake):
    """A table stands twice under one publication, replication set or subscription."""

    def __init__(self, name: str, owner: str, span: Span, first: Span | None) -> None:
        super().__init__(
            f'"{name}" is listed twice in {owner}',
            span=span,
            detail=f"It is listed first at {first}." if first else None,
        )


class InTransaction(Mistake):
    """A statement that commits by itself, between BEGIN and COMMIT."""

    def __init__(self, what: str, span: Span) -> None:
        super().__init__(f"{what} cannot run inside a transaction block", span=span)


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
