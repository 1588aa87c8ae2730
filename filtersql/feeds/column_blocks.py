"""Some thousand changes of a feed as columns, whatever its format: `ColumnBlock`.

Example
    ===== ======== ============ =========== ===========
    seq   op       before.a     after.a     after.b
    ===== ======== ============ =========== ===========
    17    update   –            2           102
    18    delete   3            –           –
    ===== ======== ============ =========== ===========

    The names of ops, and what values are written, are those of the native format.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import pyarrow
from msgspec import Struct
from msgspec.structs import replace
from pyarrow import compute

from filtersql.feeds.blocks import Block, in_blocks
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record

__all__ = ["Blocks", "ColumnBlock", "ColumnTries", "Group", "Rows", "each_of", "plain_changes"]

#: after so many unusual chunks in a row the rest of a feed is read line by line
_MOST_MISSES = 3


class Rows(Struct, frozen=True):
    """The old, or the new, rows of changes: `there` says which changes have one."""

    there: pyarrow.BooleanArray
    columns: Mapping[str, pyarrow.Array]
    #: columns that every row names, even if as null, and those that no row names
    told: Collection[str] = ()
    untold: Collection[str] = ()

    @classmethod
    def of(cls, image: pyarrow.StructArray) -> Rows:
        """The columns of an image; a value is null, too, where there is no row."""
        names = [field.name for field in image.type]
        return cls(image.is_valid(), dict(zip(names, image.flatten(), strict=True)))

    def only(self, chosen: pyarrow.BooleanArray) -> Rows:
        """Those of some changes."""
        columns = {name: values.filter(chosen) for name, values in self.columns.items()}
        return replace(self, there=self.there.filter(chosen), columns=columns)


class Group(Struct, frozen=True, dict=True):
    """Changes of one relation, in their order; `relation` None: commits."""

    relation: str | None
    #: seq, op, tx, prev_seq and unchanged of each change
    changes: pyarrow.Table
    #: old rows, and new ones
    images: Mapping[str, Rows]
    #: reads some of the changes line by line, by their numbers. May raise msgspec.DecodeError
    reread: Callable[[Sequence[int], list[PlacedMistake]], Iterator[tuple[Place, Record]]]
    #: their numbers among all changes of the block; None: there are no others
    places: Sequence[int] | None = None

    def column(self, name: str) -> pyarrow.Array:
        """A member of each change."""
        (chunk,) = self.changes[name].chunks
        return chunk

    @cached_property
    def _ops(self) -> pyarrow.DictionaryArray:
        return self.column("op").dictionary_encode()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many changes there are of each op."""
        names = self._ops.dictionary.to_pylist()
        counted = self._ops.indices.value_counts().to_pylist()
        return {names[one["values"]]: one["counts"] for one in counted}

    @cached_property
    def newest(self) -> int:
        """The largest seq."""
        return int(compute.max(self.column("seq")).as_py())

    def is_among(self, ops: Collection[str]) -> pyarrow.BooleanArray:
        """Whether each change is one of these."""
        known = [op in ops for op in self._ops.dictionary.to_pylist()]
        return pyarrow.array(known, pyarrow.bool_()).take(self._ops.indices)


class ColumnBlock(Struct, frozen=True, dict=True):
    """The changes of some lines, relation by relation, with what tells their order."""

    #: the file that they are from, and the bytes of its lines
    shown: str
    size: int
    groups: Sequence[Group]
    #: reads the same changes line by line; is called once they were taken as columns
    each: Callable[[list[PlacedMistake]], Iterator[Block]]
    taken: Callable[[], None]

    @cached_property
    def seq(self) -> pyarrow.Int64Array:
        """The seq of each change."""
        return self._in_order("seq")

    @cached_property
    def op(self) -> pyarrow.StringArray:
        """The op of each change."""
        return self._in_order("op")

    @cached_property
    def tx(self) -> pyarrow.StringArray:
        """The transaction of each change."""
        return self._in_order("tx")

    @cached_property
    def previous(self) -> pyarrow.Int64Array:
        """The prev_seq of each change."""
        return self._in_order("prev_seq")

    @cached_property
    def newest(self) -> int:
        """The largest seq."""
        return max(group.newest for group in self.groups)

    def first_above(self, start: int) -> Record:
        """The first change above a position, with what tells its order; there has to be one."""
        found = compute.index(compute.greater(self.seq, start), True).as_py()
        seq, tx, previous = (column[found].as_py() for column in (self.seq, self.tx, self.previous))
        return Record(seq=seq, op="", tx=tx, prev_seq=previous)

    def _in_order(self, name: str) -> pyarrow.Array:
        """A member of all changes, as their lines stand."""
        if len(self.groups) == 1:
            return self.groups[0].column(name)
        places = [number for group in self.groups for number in group.places or ()]
        found = pyarrow.concat_arrays([group.column(name) for group in self.groups])
        return found.take(compute.sort_indices(pyarrow.array(places, pyarrow.int64())))


class ColumnTries(Struct, kw_only=True):
    """A reader of columns, which is tried as long as most of what it reads is usual."""

    misses: int = 0

    @property
    def gave_up(self) -> bool:
        """Whether too much in a row was not usual."""
        return self.misses >= _MOST_MISSES

    def taken(self) -> None:
        """Say that what was read last could be used."""
        self.misses = 0


def plain_changes(
    seq: pyarrow.Int64Array, op: pyarrow.StringArray, tx: pyarrow.StringArray
) -> pyarrow.Table:
    """The changes of a group of which no more is told."""
    previous = pyarrow.nulls(len(seq), pyarrow.int64())
    unchanged = pyarrow.nulls(len(seq), pyarrow.list_(pyarrow.string()))
    return pyarrow.table(
        {"seq": seq, "op": op, "tx": tx, "prev_seq": previous, "unchanged": unchanged}
    )


def each_of(groups: Iterable[Group], mistakes: list[PlacedMistake]) -> Iterator[Block]:
    """The changes of groups one by one, where the order of the groups does not matter."""
    for group in groups:
        yield from in_blocks(group.reread(range(group.changes.num_rows), mistakes))


#: one read of a feed in blocks; mistakes of reading go to the list
Blocks = Callable[[list[PlacedMistake]], Iterator[Block | ColumnBlock]]
