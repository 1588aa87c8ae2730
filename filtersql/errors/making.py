"""What PostgreSQL refuses of CREATE COLLATION and CREATE OPERATOR; its words.

PostgreSQL
    collationcmds.c: DefineCollation(); operatorcmds.c: DefineOperator(); pg_operator.c:
    OperatorCreate()
"""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = ["BadCollation", "BadOperator"]


class BadCollation(Mistake):
    """A collation that is there, or of which too little or too much is said."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)


class BadOperator(Mistake):
    """The same of an operator."""

    def __init__(self, message: str, span: Span, detail: str | None = None) -> None:
        super().__init__(message, span=span, detail=detail)
