"""Where a change or a row was read, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import TOO_MANY_FEED_MISTAKES
from filtersql.feeds.records import Record

__all__ = ["MOST_MISTAKES", "Image", "Place", "PlacedMistake", "Records", "in_order", "raise_first"]

#: reading stops behind so many
MOST_MISTAKES = 100

#: JSON values of a row image by column
Image = Mapping[str, object]
#: (file, line number, line): enough to make a Span, if one is needed
Place = tuple[str, int, bytes]
PlacedMistake = tuple[Place, Mistake]
#: one read of a feed: places with their records; mistakes of reading go to the list
Records = Callable[[list[PlacedMistake]], Iterator[tuple[Place, Record]]]


def in_order(mistakes: Iterable[PlacedMistake]) -> list[Mistake]:
    """Mistakes by the places of their lines."""
    return [mistake for _, mistake in sorted(mistakes, key=lambda item: item[0][:2])]


def raise_first(mistakes: Sequence[Mistake]) -> None:
    """Raise the first of some mistakes, if there are any. Raises Mistakes."""
    if len(mistakes) >= MOST_MISTAKES:
        mistakes = [*mistakes[:MOST_MISTAKES], TOO_MANY_FEED_MISTAKES(count=MOST_MISTAKES)]
    if mistakes:
        raise Mistakes(mistakes)
