"""A large feed in portions, each of which is read by itself: `portions(files)`.

Example
    ========== ======== ======= ======= ====================================================
    portion    file     first   last
    ========== ======== ======= ======= ====================================================
    0          a.jsonl  1       40000   ends within a transaction …
    1          a.jsonl  40001   60000   … which goes on here: it is one
    2          b.jsonl  60001   70000   small files share a portion; each is a segment of it
    2          c.jsonl  70001   80000
    ========== ======== ======= ======= ====================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from filtersql.feeds.lines import Chunk, FeedFile, chunks

__all__ = ["Piece", "Portion", "portions", "traces"]

_BYTES = 16 * 2**20
_TRACE = 64


class Piece(Struct, frozen=True):
    """The lines of a file that begin in a range of its bytes; `stop` None: to its end."""

    file: FeedFile
    start: int = 0
    stop: int | None = None

    def chunks(self) -> Iterator[Chunk]:
        """The lines."""
        return chunks(self.file, self.start, self.stop)


class Portion(Struct, frozen=True):
    """What is read by itself; no other portion has its number."""

    number: int
    pieces: Sequence[Piece]

    def chunks(self) -> Iterator[Chunk]:
        """The lines of all pieces."""
        return (chunk for piece in self.pieces for chunk in piece.chunks())


def portions(files: Sequence[FeedFile], *, whole: bool = False) -> list[Portion]:
    """All lines of some files, in portions of some megabytes; `whole`: no file is cut."""
    found: list[list[Piece]] = []
    size = _BYTES
    for file in files:
        for piece in [Piece(file)] if whole else _pieces(file):
            if size >= _BYTES:
                found.append([])
                size = 0
            found[-1].append(piece)
            size += (file.size if piece.stop is None else piece.stop) - piece.start
    return [Portion(number, pieces) for number, pieces in enumerate(found)]


def _pieces(file: FeedFile) -> Iterator[Piece]:
    if file.path.suffix == ".gz" or file.size <= _BYTES:
        yield Piece(file)
        return
    places = [*range(0, file.size, _BYTES), file.size]
    for start, stop in pairwise(places):
        yield Piece(file, start, stop)


def traces(files: Sequence[FeedFile]) -> list[bytes]:
    """The bytes where files begin, end and are cut: they change where a file does not only grow.

    Portions are read one after the other; those of a file that was replaced meanwhile do not fit
    together. Raises OSError.
    """
    found: list[bytes] = []
    for file in files:
        with file.path.open("rb") as stream:
            for place in (*(piece.start for piece in _pieces(file)), file.size):
                stream.seek(max(0, place - _TRACE))
                found.append(stream.read(min(place or file.size, _TRACE)))
    return found
