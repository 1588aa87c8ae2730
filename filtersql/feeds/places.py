"""Where a change or a row was read, and what reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from filtersql.errors import Mistake
from filtersql.feeds.records import Record
from filtersql.source import Span

__all__ = ["Image", "Place", "PlacedMistake", "Records", "Where"]

#: JSON values of a row image by column
Image = Mapping[str, object]
#: (file, line number, line): enough to make a Span, if one is needed
Place = tuple[str, int, bytes]
Where = Callable[[Place], Span]
PlacedMistake = tuple[Place, Mistake]
#: one read of a feed: places with their records; mistakes of reading go to the list
Records = Callable[[list[PlacedMistake]], Iterator[tuple[Place, Record]]]
