"""What PostgreSQL refuses of CREATE COLLATION and CREATE OPERATOR, in its words; databases.

PostgreSQL
    collationcmds.c: DefineCollation(); operatorcmds.c: DefineOperator(); pg_operator.c:
    OperatorCreate()
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.errors.wording import Wording
from filtersql.source import Span


class BadCollation(Mistake):
    """A collation that is there, or of which too little or too much is said."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)


class BadOperator(Mistake):
    """The same of an operator."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)


# Statements of another database than those before.
SECOND_DATABASE = Wording(
    'statements in database "{name}" follow those in another database',
    detail="A publication has tables of its own database only.",
    hint="Make a project for each database, or name the database before anything else.",
    own=True,
)
