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
from pathlib import Path

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.definitions.model import Feed
from filtersql.feeds.held import Counted
from filtersql.feeds.landings import Landing, lowest_position, lowest_reached
from filtersql.feeds.lines import FeedFile
from filtersql.rendering.compiled import CompiledTable
from filtersql.storage import Engine

__all__ = ["Piece", "Portion", "Share", "SourceShare", "portions", "traces"]

_BYTES = 16 * 2**20
_TRACE = 64


class Piece(Struct, frozen=True):
    """The lines of a file that begin in a range of its bytes; `stop` None: to its end."""

    file: FeedFile
    start: int = 0
    stop: int | None = None


class Portion(Struct, frozen=True):
    """What is read by itself; no other portion has its number."""

    number: int
    pieces: Sequence[Piece]


class Share(Struct, frozen=True):
    """What all who read are told. `folder` takes what is staged: all of them must see it."""

    feed: Feed
    catalog: Catalog
    landings: Sequence[Landing]
    engine: Engine
    folder: Path
    counted: Counted = {}

    @property
    def start(self) -> int | None:
        """The position that all targets have passed; None where one stands before any change."""
        return lowest_position(self.landings)

    @property
    def lowest(self) -> int:
        """How far the feed was read for all targets; -1: one stands before any change."""
        return lowest_reached(self.landings)


class SourceShare(Struct, frozen=True):
    """The same for the rows of a source."""

    compiled: CompiledTable
    table: Table
    engine: Engine
    folder: Path


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
    """What stands where files begin, end and are cut; a file that only grew has the same.

    Portions are read one after the other: of a file that was replaced meanwhile, they do not fit.
    Raises OSError.
    """
    found: list[bytes] = []
    for file in files:
        with file.path.open("rb") as stream:
            for place in (*(piece.start for piece in _pieces(file)), file.size):
                stream.seek(max(0, place - _TRACE))
                found.append(stream.read(min(place or file.size, _TRACE)))
    return found
