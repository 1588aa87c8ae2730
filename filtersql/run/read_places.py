"""Files of DMS whose rows may have been read under another name: `check_read_places(…)`.

DMS gives a row no number of its own: the rows of one hundredth of a second are counted. So where it
is in doubt which rows at the place of a target's last change were read, that is found out.

Example
    ======================= ======================= ==============================================
    1.csv, read, ends at P  another file has P      then
    ======================= ======================= ==============================================
    is there                is new                  its rows come behind those that were read
    is gone                 is new: 1.csv.gz        refused: they may be the same rows
    is gone                 nothing new at P        nothing is read twice
    grew at P               has nothing at P        its new rows come behind the others
    grew at P               was read, ends at P     refused where new rows belong before its own
    grew inside of a line                           refused: a part of it was read as a row
    ======================= ======================= ==============================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from filtersql.definitions.model import Feed
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import READ_UNDER_ANOTHER_NAME, READ_UNFINISHED, ROW_BETWEEN
from filtersql.feeds.dms import sequence_of
from filtersql.feeds.dms_rows import RANK_BITS, Key, batches_of, table_of
from filtersql.feeds.held import Seen
from filtersql.feeds.landings import Landing, lasts_of
from filtersql.feeds.lines import FeedFile
from filtersql.names import RelationName

__all__ = ["check_read_places"]

_LAST_RANK = (1 << RANK_BITS) - 1
#: a table, and a hundredth of a second
_Place: TypeAlias = tuple[RelationName, int]


class _Row(Struct, frozen=True):
    """A row at a place: what orders it, and its file, of which it is the n-th row there."""

    key: Key
    file: str
    number: int


def check_read_places(
    feed: Feed,
    files: Sequence[FeedFile],
    found: Sequence[FeedFile],
    seen: Seen,
    landings: Sequence[Landing],
) -> None:
    """Raises Mistakes where nobody can say which rows of `files` were read; `found` are there."""
    if feed.format != "dms":
        return
    read = {table for table, seqs in lasts_of(landings).items() if max(seqs, default=-1) >= 0}
    if unfinished := [
        file.shown for file in files if table_of(file.shown) in read and _was_unfinished(file, seen)
    ]:
        raise Mistakes(READ_UNFINISHED(path=shown) for shown in unfinished)
    stands = _stands(landings)
    held = _held(seen, stands)
    present, opened = {file.shown for file in found}, {file.shown for file in files}
    gone = {place: held[place].keys() - present for place in held}
    doubtful = {place for place in held if gone[place] or held[place].keys() & opened}
    if not doubtful:
        return
    again = {path: seen[path] for path in seen.keys() & opened}
    mistakes = []
    for place, rows in _rows(feed, files, doubtful).items():
        each = (_mistake(place, rows, gone[place], _read(again, held[place], at))
                for at in stands[place])  # fmt: skip
        mistakes += [one for one in each if one is not None][:1]
    if mistakes:
        raise Mistakes(mistakes)


def _was_unfinished(file: FeedFile, seen: Seen) -> bool:
    """Whether a file that grew ended inside of a line when it was read: CSV does not tell."""
    size = seen[file.shown][0] if file.shown in seen else 0
    if not 0 < size < file.size or file.path.suffix != ".csv":
        return False
    with file.path.open("rb") as stream:
        stream.seek(size - 1)
        # Where it went on with an end of a line, all of that line was there.
        return not {*stream.read(2)} & {*b"\r\n"}


def _stands(landings: Sequence[Landing]) -> dict[_Place, list[int]]:
    """The last changes that targets have read, by place, but for places that were read whole."""
    places: dict[_Place, list[int]] = {}
    for table, seqs in lasts_of(landings).items():
        for seq in sorted(seqs):
            if seq >= 0 and seq & _LAST_RANK != _LAST_RANK:
                places.setdefault((table, seq >> RANK_BITS), []).append(seq)
    return places


def _held(seen: Seen, places: Collection[_Place]) -> dict[_Place, dict[str, int]]:
    """How many rows each file that was read ends with, at some places."""
    every: dict[_Place, dict[str, int]] = {}
    for path, (*_, held) in seen.items():
        for each in held or ():
            if each.rows and (each.table, each.place) in places:
                every.setdefault((each.table, each.place), {})[path] = each.rows
    return every


def _rows(
    feed: Feed, files: Iterable[FeedFile], places: Collection[_Place]
) -> dict[_Place, list[_Row]]:
    """The rows at some places, in the order of files."""
    tables = {table for table, _ in places}
    numbers: dict[tuple[_Place, str], int] = {}
    every: dict[_Place, list[_Row]] = {}
    for batch in batches_of([file for file in files if table_of(file.shown) in tables]):
        # Who reads the file says where a sequence cannot be read.
        for key in filter(None, batch.keys(sequence_of(feed))):
            if (place := (batch.table, key[0])) in places:
                number = numbers.get((place, batch.shown), 0)
                numbers[place, batch.shown] = number + 1
                every.setdefault(place, []).append(_Row(key, batch.shown, number))
    return every


def _read(seen: Seen, held: Mapping[str, int], at: int) -> dict[str, int | None]:
    """How many rows a target at a change has of each of the files; None: all that it holds."""
    return {
        path: None if told is None else held.get(path, 0)
        for path, (_, _, last, told) in seen.items()
        if last <= at
    }


def _mistake(
    place: _Place, rows: Sequence[_Row], gone: Collection[str], read: Mapping[str, int | None]
) -> Mistake | None:
    """What is wrong with the rows of a place for a target that has read some of them."""
    new = [row for row in rows if not _is_read(row, read)]
    there = Counter(row.file for row in rows)
    shorter = (path for path, count in read.items() if (count or 0) > there[path])
    missing = sorted((*gone, *shorter))
    if new and missing:
        return READ_UNDER_ANOTHER_NAME(shown=new[0].file, path=missing[0], table=place[0])
    # Rows are numbered in the order of their keys: those that were read have to stay the first.
    ordered = sorted(rows, key=lambda row: row.key)
    last = max((at for at, row in enumerate(ordered) if _is_read(row, read)), default=-1)
    between = [row for row in ordered[: last + 1] if not _is_read(row, read)]
    if between:
        return ROW_BETWEEN(shown=between[0].file, path=ordered[last].file, table=place[0])
    return None


def _is_read(row: _Row, read: Mapping[str, int | None]) -> bool:
    """Whether it is one of those that its file held when it was read; a file grows at its end."""
    count = read.get(row.file, 0)
    return count is None or row.number < count
