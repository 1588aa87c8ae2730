"""A large feed of wal2json in portions: `steps(portion)`, `take_stream(share, task)`.

Example
    ========= ==================== ======================= ==================
    piece     its lines            a step                  open behind it
    ========= ==================== ======================= ==================
    1         B I I                began, 2 changes        at 0/15BAB18, 2
    2         I I                  2 changes               at 0/15BAB18, 4
    3         I C B I              began, 1 change         at 0/15BAC40, 1
    ========= ==================== ======================= ==================

    The lines of a piece tell all but the transaction that is open before it: so steps are counted
    first. A TRUNCATE whose events stand in two portions is left to the one reader, and so is a feed
    in which a transaction has no end.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from filtersql.feeds.blocks import Block, blocks_of
from filtersql.feeds.column_blocks import ColumnBlock
from filtersql.feeds.judged_portions import Taken, take_segments
from filtersql.feeds.landings import Share, all_needed
from filtersql.feeds.lines import lines_in
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.portions import Piece, Portion
from filtersql.feeds.positions import is_lsn, lsn
from filtersql.feeds.records import Record
from filtersql.feeds.wal2json import Reader
from filtersql.feeds.wal2json_events import OpenTransaction, read_event

__all__ = ["Step", "StreamPart", "steps", "take_stream"]

_COUNTED = frozenset("IUDT")


class Step(Struct, frozen=True):
    """What a piece does to the transaction that is open."""

    file: str
    #: changes before the first beginning, and whether their transaction ends
    counted: int = 0
    ended: bool = False
    began: bool = False
    open: OpenTransaction | None = None
    #: whether one begins in it that leaves another without its end
    broken: bool = False

    def breaks(self, before: OpenTransaction | None) -> bool:
        """Whether a transaction lacks its end, and has to come again; or its beginning."""
        if before is None:
            return self.broken or self.counted > 0 or self.ended
        return self.broken or (self.began and not self.ended)

    def behind(self, before: OpenTransaction | None) -> OpenTransaction | None:
        """The transaction that is open behind the piece."""
        if self.began:
            return self.open
        if before is None or self.ended:
            return None
        return replace(before, count=before.count + self.counted)


class StreamPart(Struct, frozen=True):
    """A portion, and the transaction that is open before it."""

    portion: Portion
    open: OpenTransaction | None
    #: whether no other portion follows
    last: bool


class _Mark(msgspec.Struct, frozen=True, gc=False):
    action: str
    lsn: str | None = None


_marks = msgspec.json.Decoder(_Mark)


def steps(portion: Portion) -> list[Step]:
    """The step of each piece. Lines that cannot be read count nothing: they are refused later."""
    return [_step(piece) for piece in portion.pieces]


def take_stream(share: Share, part: StreamPart) -> Taken:
    """Judge and stage a portion."""
    opened = None if part.open is None else replace(part.open)
    needed = all_needed(share.landings)
    reader = Reader(share.catalog, share.feed, [], share.lowest, needed, opened)
    pieces = part.portion.pieces
    segments = [
        (piece.file.shown, partial(_blocks, reader, piece, part if piece is pieces[-1] else None))
        for piece in pieces
    ]
    return take_segments(share, part.portion.number, segments)


def _step(piece: Piece) -> Step:
    counted, ended, began, broken = 0, False, False, False
    opened: OpenTransaction | None = None
    for _, _, line in lines_in(piece.chunks()):
        try:
            mark = _marks.decode(line)
        except (msgspec.DecodeError, UnicodeError):
            continue
        if mark.action == "B":
            began, broken = True, broken or opened is not None
            written = mark.lsn or ""
            opened = OpenTransaction(lsn(written), written) if is_lsn(written) else None
        elif mark.action == "C":
            ended = ended or not began
            opened = None
        elif mark.action in _COUNTED and opened is not None:
            opened.next()
        elif mark.action in _COUNTED:
            counted += 1
    return Step(piece.file.shown, counted, ended, began, opened, broken)


def _blocks(
    reader: Reader, piece: Piece, ends: StreamPart | None, mistakes: list[PlacedMistake]
) -> Iterator[Block | ColumnBlock | None]:
    """The blocks of a piece; `ends`: the portion of which it is the last one."""

    def records(mistakes: list[PlacedMistake]) -> Iterator[tuple[Place, Record]]:
        reader.mistakes = mistakes
        for place in lines_in(piece.chunks()):
            if (event := read_event(place, mistakes)) is not None:
                yield from reader.take(place, event)
        if ends is not None and ends.last:
            yield from reader.flush()
            reader.lose()

    yield from blocks_of(records)(mistakes)
    if ends is not None and not ends.last and (reader.truncates or reader.orphans):
        yield None  # they go on in the next portion
