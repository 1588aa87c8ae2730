"""Where a piece of text came from: the file, the line and the columns under the caret."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

__all__ = ["Passage", "Source", "Span"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it is on disk (before Jinja), and the path a user would type for it."""

    path: str
    text: str = field(repr=False)

    def span(self, start: int, end: int) -> Span:
        """The characters `start` up to `end` (0-based, `end` exclusive)."""
        return Span(self, start, max(end, start))


@dataclass(frozen=True, slots=True)
class Span:
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
        """The first line of the span, indented by two, with carets under the span."""
        begin = self.source.text.rfind("\n", 0, self.start) + 1
        stop = self.source.text.find("\n", self.start)
        line = self.source.text[begin : stop if stop >= 0 else len(self.source.text)].rstrip("\r")
        until = min(max(self.end, self.start + 1), begin + max(len(line), self.start - begin + 1))
        # A tab keeps its width only if the caret line has it too.
        indent = "".join(
            "\t" if character == "\t" else " " for character in line[: self.start - begin]
        )
        return f"  {line}\n  {indent}{'^' * (until - self.start)}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A text taken out of a source (a filter, a name), whose every character knows its place.

    `text` is what was read: Jinja rendered, YAML's quotes and escapes undone. `starts[i]` is the
    offset in `text` from which on the characters stand at `offsets[i]`, `offsets[i] + 1`, … of the
    source; where a Jinja expression gave several characters, all of them stand at that expression.

    >>> source = Source("p.yml", 'where: "a > 5"')
    >>> str(Passage("a > 5", source, (0,), (8,)).span(4, 5))
    'p.yml:1:13'
    """

    text: str
    source: Source
    starts: tuple[int, ...] = (0,)
    offsets: tuple[int, ...] = (0,)
    #: for each piece: True where it is one Jinja expression's output: offsets do not advance
    fixed: tuple[bool, ...] = ()

    def offset(self, position: int) -> int:
        """The source offset of character `position` of the text."""
        piece = max(bisect_right(self.starts, position) - 1, 0)
        if self.fixed and self.fixed[piece]:
            return self.offsets[piece]
        return self.offsets[piece] + position - self.starts[piece]

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The characters `start` up to `end` of the text, as a place in the source."""
        end = len(self.text) if end is None else end
        first = self.offset(start)
        last = self.offset(end - 1) + 1 if end > start else first
        return self.source.span(first, max(last, first))

    def part(self, start: int, end: int) -> Passage:
        """The characters `start` up to `end` as a passage of its own."""
        pieces = [index for index, begin in enumerate(self.starts) if begin < end]
        pieces = [
            index
            for index in pieces
            if index + 1 == len(self.starts) or self.starts[index + 1] > start
        ] or [0]
        fixed = tuple(bool(self.fixed and self.fixed[index]) for index in pieces)
        starts = tuple(max(self.starts[index] - start, 0) for index in pieces)
        offsets = tuple(self.offset(max(self.starts[index], start)) for index in pieces)
        return Passage(self.text[start:end], self.source, starts, offsets, fixed)

    def __str__(self) -> str:
        return self.text
