"""The feed format dms: CSV and Parquet files that AWS DMS writes to S3, with column names.

Example
    `changes: {format: dms, path: "dms/*/*/*.csv", sequence: AR_H_CHANGE_SEQ, before_image: true}`

    ================================== =============================================
    file                               holds
    ================================== =============================================
    public/t1/LOAD00000001.csv         rows of the full load, with or without `Op`
    public/t1/20260102-030405678.csv   changes: `Op` is I, U or D
    ================================== =============================================

The last two folders name the table. `sequence` is the column that a transformation rule
(AR_H_CHANGE_SEQ) or TimestampColumnName adds; changes of one hundredth of a second are in the order
of that column, then of their files. `BI_` columns hold old rows.

AWS
    Using Amazon S3 as a target: AddColumnName, CsvNullValue, BeforeImageSettings
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from filtersql.catalog import Catalog
from filtersql.definitions.model import Feed
from filtersql.errors import Mistakes
from filtersql.errors.feeds import (
    DISORDERED_FILES,
    FILE_CHANGED,
    LOST_BEGINNING,
    UNREADABLE_EVENT,
    UNREADABLE_FEED_FILE,
)
from filtersql.feeds.blocks import Block
from filtersql.feeds.column_blocks import ColumnBlock
from filtersql.feeds.dms_changes import Changes
from filtersql.feeds.dms_columns import ColumnReader
from filtersql.feeds.dms_rows import HINT, RANK_BITS, Batch, Key, batches_of
from filtersql.feeds.held import Counted, Held, LastPlaces, held_by, take_place
from filtersql.feeds.landings import Lasts, Needed, lost_beginning
from filtersql.feeds.lines import FeedFile, line_span
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["Dms", "check_header", "lacks_beginning", "sequence_of"]

_KEEP = "Keep the files of a target's last hundredth of a second."


class Dms(Struct):
    """Files of DMS: `index` gives each change its seq, then `records` reads them again."""

    files: Sequence[FeedFile]
    feed: Feed
    catalog: Catalog
    lasts: Lasts
    needed: Needed = None
    counted: Counted = {}
    seqs: list[int] = field(default_factory=list)
    #: how many of them each file has
    rows: Counter[str] = field(default_factory=Counter)
    last: dict[str, int] = field(default_factory=dict)
    held: dict[str, tuple[Held, ...]] = field(default_factory=dict)
    wrong: list[PlacedMistake] = field(default_factory=list)

    def index(self) -> Dms:
        """Read the files once, for the order of their changes. Raises Mistakes."""
        keys: list[tuple[Key, str, RelationName]] = []
        newest: dict[tuple[RelationName, bool], Key] = {}
        column = sequence_of(self.feed)
        for batch in batches_of(self.files):
            name, load = batch.table, batch.is_load
            check_header(batch, self.catalog, column)
            self.rows[batch.shown] += len(batch.rows)
            # What is sent again, as behind a task that went on, is passed over.
            passed = min(self.lasts.get(name, {-1})) >> RANK_BITS
            last = newest.get((name, load), (0, 0))
            for number, read in enumerate(batch.keys(column)):
                key = (1, 0) if read is None else read
                if read is None:
                    self.wrong.append(_unread(batch, number, column))
                if key >= last:
                    last = key
                elif key[0] > passed:
                    place = batch.place(number)
                    self.wrong.append((place, DISORDERED_FILES(line_span(*place), table=name)))
                keys.append((key, batch.shown, name))
            newest[name, load] = last
        order = sorted(range(len(keys)), key=lambda number: keys[number][0])
        self.seqs = [0] * len(keys)
        ranks = Counter(self.counted)
        for number in order:
            (bucket, _), shown, name = keys[number]
            # A file is of one table, whose numbers grow here.
            self.last[shown] = self.seqs[number] = (bucket << RANK_BITS) + ranks[bucket, name]
            ranks[bucket, name] += 1
        places: LastPlaces = {}
        at = Counter((bucket, shown, name) for (bucket, _), shown, name in keys)
        for (bucket, shown, name), rows in at.items():
            # A row is written once.
            take_place(places, shown, name, bucket, rows, once=True)
        self.held = held_by([places])
        if (lost := lacks_beginning(ranks, self.counted, self.lasts)) is not None:
            raise Mistakes([LOST_BEGINNING(seq=lost, hint=_KEEP)])
        return self

    def blocks(self, mistakes: list[PlacedMistake]) -> Iterator[Block | ColumnBlock]:
        """The changes, file by file, in columns where they can be read so."""
        mistakes += self.wrong
        reader = ColumnReader(Changes(self.feed, self.catalog, self.needed))
        return reader.blocks(self._numbered(), mistakes)

    def records(self, mistakes: list[PlacedMistake]) -> Iterator[tuple[Place, Record]]:
        """The same, one by one."""
        mistakes += self.wrong
        changes = Changes(self.feed, self.catalog, self.needed)
        for batch, seqs in self._numbered():
            yield from changes.each(batch, seqs, mistakes)

    def _numbered(self) -> Iterator[tuple[Batch, Sequence[int]]]:
        """Raises Mistakes where a file has another number of rows than at the first look."""
        taken, left = 0, self.rows.copy()
        for batch in batches_of(self.files):
            left[batch.shown] -= len(batch.rows)
            if left[batch.shown] < 0:
                raise Mistakes([FILE_CHANGED(path=batch.shown)])
            yield batch, self.seqs[taken : taken + len(batch.rows)]
            taken += len(batch.rows)
        if shorter := [shown for shown, rows in left.items() if rows]:
            raise Mistakes(FILE_CHANGED(path=shown) for shown in shorter)


def check_header(batch: Batch, catalog: Catalog, column: str) -> None:
    """Where no row follows it, the first line may be one. Raises Mistakes.

    `column` orders changes. A file need not have all columns, but it has those of a key.
    """
    if batch.rows or not batch.header:
        return
    header = {*batch.header}
    named = "Op" in header
    if batch.is_load:
        table = catalog.tables.get(batch.table)
        if table is None:
            return
        named = header.issuperset(table.primary_key)
        if not table.primary_key:
            named = header.issubset({"Op", column, *(one.name for one in table.columns)})
    if not named:
        reason = "its first line names no columns"
        raise Mistakes([UNREADABLE_FEED_FILE(path=batch.shown, reason=reason, hint=HINT)])


def _unread(batch: Batch, number: int, column: str) -> PlacedMistake:
    """What is said of a row whose sequence cannot be read."""
    reason = "`sequence` does not say which column orders changes"
    if column:
        reason = f"its sequence column holds {batch.row(number).get(column)}"
    place = batch.place(number)
    return place, UNREADABLE_EVENT(line_span(*place), form="DMS", reason=reason, hint=HINT)


def lacks_beginning(
    ranks: Mapping[tuple[int, RelationName], int], counted: Counted, lasts: Lasts
) -> int | None:
    """As in `lost_beginning`, of places in hundredths of a second."""

    def count_at(place: int, name: RelationName) -> int:
        count = ranks.get((place, name), 0)
        return count if count > counted.get((place, name), 0) else 0

    return lost_beginning(lasts, RANK_BITS, count_at)


def sequence_of(feed: Feed) -> str:
    """The column that orders changes; empty where none is told."""
    return feed.options.get("sequence", "")
