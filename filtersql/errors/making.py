"""What PostgreSQL refuses of SET, in its words; databases.

PostgreSQL
    guc.c: parse_and_validate_value()
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.source import Span


class BadSetting(Mistake):
    """A value that a parameter of the session does not take."""

    def __init__(
        self, message: str, span: Span, detail: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, span=span, detail=detail, hint=hint)

    @classmethod
    def invalid(
        cls, name: str, value: str, span: Span, detail: str | None = None, hint: str | None = None
    ) -> BadSetting:
        """No value of the parameter."""
        message = f'invalid value for parameter "{name}": "{value}"'
        return cls(message, span, detail, hint)

    @classmethod
    def no_boolean(cls, name: str, span: Span) -> BadSetting:
        """Neither on nor off."""
        return cls(f'parameter "{name}" requires a Boolean value', span)


# Statements of another database than those before.
SECOND_DATABASE = Wording(
    'statements in database "{name}" follow those in another database',
    detail="A publication has tables of its own database only.",
    hint="Make a project for each database, or name the database before anything else.",
    own=True,
)
