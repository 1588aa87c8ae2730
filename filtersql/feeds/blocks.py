"""Some thousand changes of a feed at a time, and what they have in common.

Example
    ======== ============ ============ ===================
    op       relation     before       after
    ======== ============ ============ ===================
    update   public.t     –            a, b, c
    delete   public.t     a            –
    ======== ============ ============ ===================

    Whether a change is complete depends on nothing else (`images.judge`). A block of thousands of
    changes has a few such shapes, and each of them is judged once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from filtersql.feeds.places import Place, PlacedMistake, Records
from filtersql.feeds.records import Record

__all__ = ["Block", "Shape", "blocks_of", "example", "in_blocks", "shapes"]

_MOST_CHANGES = 5_000
_MOST_BYTES = 2**20

#: op, relation, and the columns that are named in before, after and unchanged
Shape = tuple[
    str,
    str | tuple[str, ...] | None,
    tuple[str, ...] | None,
    tuple[str, ...] | None,
    tuple[str, ...] | None,
]


class Block(Struct, frozen=True):
    """Changes that come one after the other, each with its place."""

    places: Sequence[Place]
    records: Sequence[Record]
    #: the bytes of its lines
    size: int

    @property
    def shown(self) -> str:
        """The file that they are from."""
        return self.places[0][0] if self.places else ""

    @property
    def newest(self) -> int:
        """The largest seq; -1 where there is no change."""
        return max((change.seq for change in self.records), default=-1)

    def first_above(self, start: int) -> Record:
        """The first change above a position; there has to be one."""
        return next(change for change in self.records if change.seq > start)

    def parts(self, size: int) -> Iterator[Block]:
        """Smaller blocks, of so many bytes if a change is not larger by itself."""
        if len(self.records) <= 1 or self.size <= size:
            yield self
            return
        half = len(self.records) // 2
        for some in (slice(half), slice(half, None)):
            places = self.places[some]
            size_of_some = sum(len(line) for _, _, line in places)
            yield from Block(places, self.records[some], size_of_some).parts(size)


def blocks_of(records: Records) -> Callable[[list[PlacedMistake]], Iterator[Block]]:
    """The blocks of a feed that is read change by change."""
    return lambda mistakes: in_blocks(records(mistakes))


def in_blocks(changes: Iterable[tuple[Place, Record]]) -> Iterator[Block]:
    """Changes in blocks, as they come."""
    places: list[Place] = []
    found: list[Record] = []
    size = 0
    for place, change in changes:
        places.append(place)
        found.append(change)
        size += len(place[2])
        if size >= _MOST_BYTES or len(found) >= _MOST_CHANGES:
            yield Block(places, found, size)
            places, found, size = [], [], 0
    yield Block(places, found, size)


def shapes(records: Iterable[Record]) -> list[Shape]:
    """The shape of each change."""
    return [
        (
            one.op,
            relation if (relation := one.relation) is None or type(relation) is str
            else tuple(relation),
            None if one.before is None else tuple(one.before),
            None if one.after is None else tuple(one.after),
            None if one.unchanged is None else tuple(one.unchanged),
        )
        for one in records
    ]  # fmt: skip


def example(shape: Shape) -> Record:
    """A change of that shape: it says nothing but what all of them say."""
    op, relation, before, after, unchanged = shape
    return Record(
        seq=0,
        op=op,
        relation=list(relation) if isinstance(relation, tuple) else relation,
        before=None if before is None else dict.fromkeys(before),
        after=None if after is None else dict.fromkeys(after),
        unchanged=None if unchanged is None else list(unchanged),
    )
