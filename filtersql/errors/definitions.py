"""Mistakes in what a project says: YAML and PostgreSQL's DDL.

Where PostgreSQL has a message for it, the words are PostgreSQL's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import ClassVar

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording, meant
from filtersql.source import Span

# A value is of another kind than its key asks for.
WRONG_KIND = Wording("{what} must be {expected}, not {found}")
UNKNOWN_KEY = Wording('unknown key "{key}" in {where}', detail="Known keys are {known:listed}.")
MISSING_KEY = Wording('{where} has no "{key}"')
NEEDS_KEY = Wording('"{key}" needs "{other}"')
TOGETHER = Wording('"{first}" and "{second}" exclude each other in {where}')
LISTED_TWICE = Wording(
    '"{name}" is listed twice in {owner}', detail="It is listed first at {first}."
)
ALREADY_EXISTS = Wording('{kind} "{name}" already exists', detail="It is defined at {first}.")
# WHERE ()
EMPTY_WHERE = Wording(
    'syntax error at or near ")"',
    detail="Nothing stands between the parentheses of WHERE.",
    hint='Leave "where" out to publish every row.',
)
# Statements of another database than those before.
SECOND_DATABASE = Wording(
    'statements in database "{name}" follow those in another database',
    detail="A publication has tables of its own database only.",
    hint="Make a project for each database, or name the database before anything else.",
    own=True,
)


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
        if "character '\\t'" in problem:
            hint = "YAML is indented with spaces."
        elif "mapping values are not allowed" in problem or "start any token" in problem:
            hint = "A value that holds YAML's own characters is written in quotes."
        super().__init__(f"invalid YAML: {problem}", span=span, hint=hint)


class InvalidValue(Mistake):
    """A value outside the list of what a key takes."""

    def __init__(self, what: str, value: str, allowed: Collection[str], span: Span) -> None:
        super().__init__(
            f'invalid value for {what}: "{value}"',
            span=span,
            detail=f"Valid values are {', '.join(allowed)}." if allowed else None,
            hint=meant(value, allowed),
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


class Unknown(Mistake):
    """Something is named that nothing defines."""

    def __init__(self, kind: str, name: str, span: Span | None, known: Iterable[str]) -> None:
        super().__init__(f'{kind} "{name}" does not exist', span=span, hint=meant(name, known))


class UnsupportedStatement(Mistake):
    """DDL that concerns replication and that filtersql does not carry out."""

    own = True

    def __init__(self, what: str, span: Span, hint: str | None = None) -> None:
        super().__init__(f"{what} is not supported", span=span, hint=hint)

    @classmethod
    def dumped(cls, what: str, span: Span) -> UnsupportedStatement:
        """What a dump of the result says in simpler words."""
        return cls(what, span, "Put what pg_dump --schema-only writes in place of the file.")
