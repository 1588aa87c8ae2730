"""PostgreSQL's words for PostgreSQL's things, and the Russian ones of Postgres Pro's manual.

Example
    >>> term_text("секция").splitlines()[0]
    'partition (секция)'

Postgres Pro
    Chapter 31.3, whose rules and transcripts are those of PostgreSQL's section 29.4
"""

from __future__ import annotations

from msgspec import Struct

from filtersql.errors.reviewing import NOT_DEFINED
from filtersql.errors.wording import meant

__all__ = ["TERMS", "Term", "term_json", "term_text"]


class Term(Struct, frozen=True):
    """A term, its names separated by commas, and what it means here."""

    english: str
    russian: str
    meaning: str

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be asked for by."""
        return tuple(f"{self.english}, {self.russian}".lower().split(", "))


TERMS = (
    Term(
        "row filter",
        "фильтр строк",
        "the WHERE expression of a table in a publication; "
        "a row is sent only if it is true, not if it is false or NULL",
    ),
    Term(
        "publication",
        "публикация",
        "a set of tables, the actions that are sent of them, and their row filters",
    ),
    Term(
        "subscription",
        "подписка",
        "who gets which publications, and where the rows land",
    ),
    Term(
        "subscriber",
        "подписчик",
        "the side that applies the changes: here, the lakehouse",
    ),
    Term(
        "replica identity",
        "идентификатор реплики",
        "the columns that an UPDATE or DELETE logs of the old row: "
        "the key, an index, all of them, or none",
    ),
    Term(
        "partitioned table",
        "секционированная таблица",
        "a root whose rows are kept in partitions",
    ),
    Term(
        "partition",
        "секция",
        "a table that holds a part of a root's rows; a leaf when it is not partitioned itself",
    ),
    Term(
        "initial data synchronization, initial copy",
        "начальная синхронизация",
        "the rows that a new target starts with",
    ),
    Term(
        "column list",
        "список столбцов",
        "the columns that a publication sends of a table",
    ),
    Term(
        "non-immutable built-in functions",
        "непостоянные встроенные функции",
        "what a row filter may not call",
    ),
    Term(
        "old row, new row",
        "старая строка, новая строка",
        "a row before and after an UPDATE",
    ),
    Term(
        "transformation",
        "преобразование",
        "an UPDATE becomes an INSERT or a DELETE when only one of its two rows matches",
    ),
)


def term_text(name: str) -> str:
    """A term with its translation, and what it means. Raises NOT_DEFINED."""
    term = _found(name)
    return f"{term.english} ({term.russian})\n    {term.meaning}"


def term_json(name: str) -> dict[str, str]:
    """The same as a JSON value."""
    term = _found(name)
    return {"english": term.english, "russian": term.russian, "meaning": term.meaning}


def _found(name: str) -> Term:
    for term in TERMS:
        if name.lower() in term.names:
            return term
    raise NOT_DEFINED(
        kind="term", name=name, hint=meant(name, [each for term in TERMS for each in term.names])
    )
