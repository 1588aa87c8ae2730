"""Mistakes in what a project says: YAML and PostgreSQL's DDL."""

from __future__ import annotations

from filtersql.errors import Mistake
from filtersql.source import Span

__all__ = ["SyntaxMistake"]


class SyntaxMistake(Mistake):
    """PostgreSQL's parser does not accept the text; the words are PostgreSQL's own."""

    def __init__(self, message: str, span: Span | None) -> None:
        super().__init__(message, span=span)
