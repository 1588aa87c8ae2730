"""For how long a row is published: what is written beside a filter, or in place of one.

Example
    `window: {column: made, keep: 30 days}` beside `where: a > 5` is shown as
    `(a > 5) AND made within 30 days by 1 day`.
"""

from __future__ import annotations

from msgspec import Struct

from filtersql.source import Passage, Span

__all__ = ["Window", "WindowedFilter", "filter_text"]


class Window(Struct, frozen=True):
    """For how long a row is published: `cut(keep) <= column`, and `column < cut(delay)`.

    `column` is a plain name; the others are PostgreSQL's intervals, as they are written.
    """

    column: str
    column_span: Span
    keep: Passage
    grain: Passage | None = None
    delay: Passage | None = None

    @property
    def words(self) -> str:
        """What it says, for people; two windows that say the same have the same words."""
        grain = "1 day" if self.grain is None else self.grain.text
        delay = "" if self.delay is None else f" after {self.delay.text}"
        return f"{self.column} within {self.keep.text}{delay} by {grain}"


class WindowedFilter(Passage, frozen=True, kw_only=True):
    """A row filter that counts within a window alone; its text is `true` where none is written."""

    window: Window


def filter_text(where: Passage) -> str:
    """A row filter as it is written, with its window in words."""
    if not isinstance(where, WindowedFilter):
        return where.text
    words = where.window.words
    return words if where.text == "true" else f"({where.text}) AND {words}"
