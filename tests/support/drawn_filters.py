"""Row filters that Hypothesis draws: PostgreSQL's text, and what they say of a row.

Example
    >>> drawn = Both("OR", Compared("v", ">", 3), Null("w"))
    >>> drawn.text
    '(v > 3 OR w IS NULL)'
    >>> drawn({"v": 1, "w": 2}), drawn({"v": None, "w": 2})
    (False, None)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from manual_model import Row

__all__ = ["Both", "Compared", "Drawn", "Not", "Null", "drawn_filters"]

_SIGNS = {">": operator.gt, "<": operator.lt, "=": operator.eq, "<>": operator.ne}


@dataclass(frozen=True, slots=True)
class Compared:
    """A column beside a number; NULL where the column is."""

    column: str
    sign: str
    number: int

    @property
    def text(self) -> str:
        """As PostgreSQL reads it."""
        return f"{self.column} {self.sign} {self.number}"

    def __call__(self, row: Row) -> bool | None:
        """What it says of a row."""
        value = row[self.column]
        return None if value is None else bool(_SIGNS[self.sign](value, self.number))


@dataclass(frozen=True, slots=True)
class Even:
    """A modulus: the one condition of xDB that stands alone."""

    column: str

    @property
    def text(self) -> str:
        """As PostgreSQL reads it."""
        return f"{self.column} % 2 = 0"

    def __call__(self, row: Row) -> bool | None:
        """What it says of a row."""
        value = row[self.column]
        return None if value is None else value % 2 == 0


@dataclass(frozen=True, slots=True)
class Null:
    """IS NULL, which is never NULL itself."""

    column: str

    @property
    def text(self) -> str:
        """As PostgreSQL reads it."""
        return f"{self.column} IS NULL"

    def __call__(self, row: Row) -> bool:
        """What it says of a row."""
        return row[self.column] is None


@dataclass(frozen=True, slots=True)
class Not:
    """NOT: NULL stays NULL."""

    of: Compared | Null

    @property
    def text(self) -> str:
        """As PostgreSQL reads it."""
        return f"NOT ({self.of.text})"

    def __call__(self, row: Row) -> bool | None:
        """What it says of a row."""
        answer = self.of(row)
        return None if answer is None else not answer


@dataclass(frozen=True, slots=True)
class Both:
    """AND or OR of two."""

    word: str
    left: Compared | Null | Not
    right: Compared | Null | Not

    @property
    def text(self) -> str:
        """As PostgreSQL reads it."""
        return f"({self.left.text} {self.word} {self.right.text})"

    def __call__(self, row: Row) -> bool | None:
        """What it says of a row."""
        answers, decisive = (self.left(row), self.right(row)), self.word == "OR"
        if decisive in answers:
            return decisive
        return None if None in answers else not decisive


Drawn = Compared | Even | Null | Not | Both


def drawn_filters(columns: Sequence[str]) -> st.SearchStrategy[Drawn]:
    """Filters over some columns; of numbers from 1 to 6 about half are let through."""
    named = st.sampled_from(columns)
    compared = st.builds(Compared, named, st.sampled_from([*_SIGNS]), st.integers(1, 6))
    plain = compared | st.builds(Null, named)
    part = plain | st.builds(Not, plain)
    both = st.builds(Both, st.sampled_from(("OR", "AND")), part, part)
    return compared | both | part | st.builds(Even, named)
