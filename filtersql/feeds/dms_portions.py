"""A large feed of DMS in portions of whole files: `facts`, `place`, `take_placed_rows`.

Example
    1. facts(share, portion)              the key of each change of a portion, into a file; of
                                          rows of the full load only how many there are
    2. place(share, range)                the seqs of all changes of some hundredths of a second
    3. take_placed_rows(share, part)      the changes of a portion, judged and staged

    Rows of the full load have the numbers from 0, for each table in the order of files. Where
    anything is unusual, nothing may be used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow
from msgspec import Struct
from msgspec.structs import replace

from filtersql.errors import Mistakes
from filtersql.feeds.dms import check_header, lacks_beginning, sequence_of
from filtersql.feeds.dms_changes import Changes
from filtersql.feeds.dms_columns import ColumnReader
from filtersql.feeds.dms_rows import RANK_BITS, Batch, Key, batches_of
from filtersql.feeds.held import LastPlaces, take_place
from filtersql.feeds.judged_portions import Taken, take_placed_blocks
from filtersql.feeds.landings import Share, all_needed, lasts_of, places_of
from filtersql.feeds.placed import Placed, Places, Range, seqs_of
from filtersql.feeds.portions import Portion
from filtersql.feeds.staged_files import RowFile, read_rows
from filtersql.names import RelationName

__all__ = ["DmsFacts", "LoadedPortion", "facts", "in_order", "place", "take_placed_rows"]

_KEY = (pyarrow.int64(), pyarrow.int64(), *[pyarrow.string()] * 3)
_BUCKET = "c1"


class DmsFacts(Struct, frozen=True):
    """What was found in a portion; `usual` False: nothing of it may be used."""

    usual: bool
    #: how many rows there are, and how many of the full load, by table
    count: int = 0
    loaded: Mapping[RelationName, int] = {}
    #: the first bucket of the changes, and the last one
    first: int = -1
    last: int = -1
    #: the keys of each table's first change and its last one, of those that are new
    tables: Mapping[RelationName, tuple[Key, Key]] = {}
    held: LastPlaces = {}


class LoadedPortion(Struct, frozen=True):
    """A portion, how many rows of the full load come before it, and how many rows it holds."""

    portion: Portion
    before: Mapping[RelationName, int]
    count: int


def facts(share: Share, portion: Portion) -> DmsFacts:
    """Write what decides the seqs of a portion's changes into a file."""
    keys = RowFile.at(_keys(share, portion.number), _KEY)
    loaded: Counter[RelationName] = Counter()
    tables: dict[RelationName, tuple[Key, Key]] = {}
    held: LastPlaces = {}
    read = places_of(share.landings, RANK_BITS)
    column, first, last, count = sequence_of(share.feed), -1, -1, 0
    try:
        for batch in _batches(portion):
            name, shown, begin = batch.table, batch.shown, count
            check_header(batch, share.catalog, column)
            count += len(batch.rows)
            if batch.is_load:
                if batch.rows:
                    loaded[name] += len(batch.rows)
                    take_place(held, shown, name, 0, len(batch.rows), once=True)
                continue
            for number, key in enumerate(batch.keys(column), begin):
                if key is None:
                    return DmsFacts(usual=False)
                take_place(held, shown, name, key[0], once=True)
                if key[0] > read.get(name, -1):
                    lowest, highest = tables.get(name, (key, key))
                    if key < highest:
                        return DmsFacts(usual=False)
                    tables[name] = (lowest, key)
                # The number inside of a hundredth of a second may have more digits than 64 bits.
                keys.add(number, key[0], f"{key[1]:020}", name.schema, name.name)
                first = key[0] if first < 0 else min(first, key[0])
                last = max(key[0], last)
    except Mistakes:
        return DmsFacts(usual=False)
    finally:
        keys.close()
    return DmsFacts(True, count, dict(loaded), first, last, tables, held)


def in_order(found: Sequence[DmsFacts]) -> bool:
    """Whether the changes of each table are in the order of its files."""
    last: dict[RelationName, Key] = {}
    for one in found:
        for name, (begin, end) in one.tables.items():
            if begin < last.get(name, begin):
                return False
            last[name] = end
    return True


def place(share: Share, among: Range) -> Placed:
    """Write the seqs of the changes of a range, into a file for each portion."""
    every = sorted(
        (bucket, inner, portion, number, RelationName(*name))
        for portion in among.portions
        for number, bucket, inner, *name in read_rows(_keys(share, portion), among.bounds(_BUCKET))
    )
    places = Places(RANK_BITS)
    ranks = Counter(share.counted)
    for bucket, _, portion, number, name in every:
        places.add((bucket << RANK_BITS) + ranks[bucket, name], bucket, name, (portion, number))
        ranks[bucket, name] += 1
    if lacks_beginning(ranks, share.counted, lasts_of(share.landings)) is not None:
        return Placed(usual=False)
    return places.settle(share, among)


def take_placed_rows(share: Share, part: LoadedPortion) -> Taken:
    """Judge and stage the changes of a portion."""
    portion, count, lasts = part.portion, 0, dict[str, int]()

    def batches() -> Iterator[tuple[Batch, Sequence[int]]]:
        nonlocal count
        seqs, loaded = seqs_of(share, portion.number), Counter(part.before)
        for batch in _batches(portion):
            numbers = range(count, count + len(batch.rows))
            count = numbers.stop
            found: Sequence[int]
            if batch.is_load:
                begin = loaded[batch.table]
                loaded[batch.table] += len(batch.rows)
                found = range(begin, loaded[batch.table])
            else:
                found = [seqs[number][0] for number in numbers]
            lasts[batch.shown] = max([lasts.get(batch.shown, -1), *found])
            yield batch, found

    reader = ColumnReader(Changes(share.feed, share.catalog, all_needed(share.landings)))
    blocks = partial(reader.blocks, batches())
    taken = take_placed_blocks(share, f"{portion.number}.parquet", blocks)
    # A file that changed meanwhile has other numbers.
    return replace(taken, lasts=lasts) if count == part.count else Taken(usual=False)


def _batches(portion: Portion) -> Iterator[Batch]:
    return batches_of([piece.file for piece in portion.pieces])


def _keys(share: Share, portion: int) -> Path:
    return share.folder / "keys" / f"{portion}.parquet"
