"""Where a piece of text came from: the file, the line and the columns under the caret."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import Struct

__all__ = ["DEFAULTS", "Passage", "Rival", "Session", "Source", "Span"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it is on disk (before Jinja), and the path a user would type for it."""

    path: str
    text: str = field(repr=False)

    def span(self, start: int, end: int) -> Span:
        """The characters `start` up to `end` (0-based, `end` exclusive)."""
        return Span(self, start, max(end, start))

    def passage(self) -> Passage:
        """The whole text, each character at its own place: a file without Jinja."""
        return Passage(self.text, self)


#: characters of a line that are shown, and those of them before the place
_WIDEST = 240
_BEFORE = 80


class Span(Struct, frozen=True):
    """A range of characters in a source.

    >>> span = Source("p.yml", "name: p1\\nwhere: a > x").span(20, 21)
    >>> str(span)
    'p.yml:2:12'
    >>> print(span.excerpt())
      where: a > x
                 ^
    """

    source: Source
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.source.path}:{self.line}:{self.column}"

    @property
    def line(self) -> int:
        """The line number, from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The column of the first character, from 1."""
        return self.start - (self.source.text.rfind("\n", 0, self.start) + 1) + 1

    def excerpt(self) -> str:
        """The first line of the span, indented by two, with carets under the span.

        Of a line that is longer than a screen is wide, a part: `…` stands for what is left out.
        """
        begin = self.source.text.rfind("\n", 0, self.start) + 1
        stop = self.source.text.find("\n", self.start)
        line = self.source.text[begin : stop if stop >= 0 else len(self.source.text)].rstrip("\r")
        column = self.start - begin
        width = min(max(self.end - self.start, 1), max(len(line) - column, 1))
        if len(line) > _WIDEST:
            cut = max(column - _BEFORE, 0)
            rest = len(line) - cut - _WIDEST
            line = "…" * (cut > 0) + line[cut : cut + _WIDEST] + "…" * (rest > 0)
            column -= cut - (cut > 0)
            width = max(min(width, len(line) - column), 1)
        # A tab keeps its width only if the caret line has it too.
        indent = "".join("\t" if character == "\t" else " " for character in line[:column])
        return f"  {line}\n  {indent}{'^' * width}"


class Rival(NamedTuple):
    """What the files made and a text may mean by a plain name, beside PostgreSQL's own.

    `kind`: function, operator or type. `args`: the types that it takes, where that is known;
    otherwise a text that says the name is not read.
    """

    kind: str
    name: str
    args: tuple[str, ...] = ()


class Session(Struct, frozen=True):
    """The settings by which PostgreSQL reads the literals of a text: those of who wrote it."""

    #: DateStyle's order of numbers
    date_order: str = "MDY"
    #: of literals that name no zone: seconds east of UTC
    time_zone: int = 0
    #: IntervalStyle sql_standard: '-1 2:00' is minus one day and minus two hours
    sql_standard_intervals: bool = False
    #: what is made already and search_path finds; None: what there is in the end, in public
    rivals: tuple[Rival, ...] | None = None


#: what holds where nothing is said
DEFAULTS = Session()


class Passage(Struct, frozen=True):
    """A text taken out of a source (a filter, a name), whose every character knows its place.

    `text` is what was read: Jinja rendered, YAML's quotes and escapes undone. `starts[i]` is the
    offset in `text` from which on the characters stand at `offsets[i]`, `offsets[i] + 1`, … of the
    source. Where `widths[i]` is not 0, all characters of the piece stand at the `widths[i]`
    characters from `offsets[i]` on: what one Jinja expression gave, under one caret line.

    >>> source = Source("p.yml", 'where: "a > 5"')
    >>> str(Passage("a > 5", source, (0,), (8,), (0,)).span(4, 5))
    'p.yml:1:13'
    """

    text: str
    source: Source
    starts: tuple[int, ...] = (0,)
    offsets: tuple[int, ...] = (0,)
    widths: tuple[int, ...] = (0,)
    session: Session = DEFAULTS

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The characters `start` up to `end` of the text, as a place in the source."""
        end = len(self.text) if end is None else end
        if len(self.starts) == 1 and not self.widths[0]:
            base = self.offsets[0] - self.starts[0]
            return Span(self.source, base + start, base + max(start, end))
        first, width = self._place(start)
        if end > start:
            last, width = self._place(end - 1)
            return Span(self.source, first, max(last + (width or 1), first))
        return Span(self.source, first, first + width)

    def after(self, position: int) -> Span:
        """The place behind character `position - 1`: where something is missing."""
        if position == 0:
            return self.span(0, 0)
        last, width = self._place(position - 1)
        end = last + (width or 1)
        return Span(self.source, end, end)

    def part(self, start: int, end: int) -> Passage:
        """The characters `start` up to `end` as a passage of its own."""
        if len(self.starts) == 1 and not self.widths[0]:
            base = self.offsets[0] - self.starts[0]
            places = (0,), (base + start,), (0,)
            return Passage(self.text[start:end], self.source, *places, self.session)
        return self.pick(self.text[start:end], ((0, start, 0),))

    def pick(self, text: str, pieces: Iterable[tuple[int, int, int]]) -> Passage:
        """A text made of characters of this one: (offset in `text`, offset here, width here).

        The width is 0 where `text` goes on as this passage does, else the length of what stands
        here for the whole piece (an escape sequence, a literal that cannot be followed).
        """
        places: list[tuple[int, int, int]] = []
        bounds = [*pieces]
        for (begin, offset, width), upto in zip(
            bounds, [*(piece[0] for piece in bounds[1:]), len(text)], strict=True
        ):
            if width:
                span = self.span(offset, offset + width)
                places.append((begin, span.start, max(span.end - span.start, 1)))
            else:
                places += self._pieces(begin, offset, upto - begin)
        starts, offsets, widths = zip(*places, strict=True) if places else ((0,), (0,), (0,))
        return Passage(text, self.source, starts, offsets, widths, self.session)

    def _pieces(self, begin: int, offset: int, length: int) -> Iterable[tuple[int, int, int]]:
        """The pieces of `length` characters from `offset` on, renumbered to start at `begin`."""
        index = max(bisect_right(self.starts, offset) - 1, 0)
        yield (begin, *self._place(offset))
        while (index := index + 1) < len(self.starts) and self.starts[index] < offset + length:
            yield begin + self.starts[index] - offset, self.offsets[index], self.widths[index]

    def _place(self, position: int) -> tuple[int, int]:
        """(source offset, width) of character `position`."""
        index = max(bisect_right(self.starts, position) - 1, 0)
        if self.widths[index]:
            return self.offsets[index], self.widths[index]
        return self.offsets[index] + position - self.starts[index], 0

    def __str__(self) -> str:
        return self.text
