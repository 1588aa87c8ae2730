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
from filtersql.errors import Mistake, Mistakes
from filtersql.errors.feeds import (
    DISORDERED_FILES,
    LOST_BEGINNING,
    UNREADABLE_EVENT,
)
from filtersql.feeds.dms_changes import HINT, Changes
from filtersql.feeds.dms_rows import RANK_BITS, Key, Row, is_load, key_of, rows_of
from filtersql.feeds.held import Counted, Held, LastPlaces, held_by, take_place
from filtersql.feeds.landings import Lasts, Needed
from filtersql.feeds.lines import FeedFile, line_span
from filtersql.feeds.places import Place
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["Dms", "lacks_beginning", "sequence_of"]

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
    last: dict[str, int] = field(default_factory=dict)
    held: dict[str, tuple[Held, ...]] = field(default_factory=dict)
    wrong: list[tuple[Place, Mistake]] = field(default_factory=list)

    def index(self) -> Dms:
        """Read the files once, for the order of their changes. Raises Mistakes."""
        keys: list[tuple[Key, str, RelationName]] = []
        newest: dict[tuple[RelationName, bool], Key] = {}
        for place, name, row in rows_of(self.files):
            key, load = self._key(place, row), is_load(place)
            disordered = not load and key < newest.get((name, load), (0, 0))
            # What is sent again, as behind a task that went on, is passed over.
            if disordered and key[0] > min(self.lasts.get(name, {-1})) >> RANK_BITS:
                self.wrong.append((place, DISORDERED_FILES(line_span(*place), table=name)))
            newest[name, load] = max(key, newest.get((name, load), key))
            keys.append((key, place[0], name))
        order = sorted(range(len(keys)), key=lambda number: keys[number][0])
        self.seqs = [0] * len(keys)
        ranks = Counter(self.counted)
        places: LastPlaces = {}
        for number in order:
            (bucket, _), shown, name = keys[number]
            self.seqs[number] = (bucket << RANK_BITS) + ranks[bucket, name]
            ranks[bucket, name] += 1
            self.last[shown] = max(self.seqs[number], self.last.get(shown, -1))
            # A row is written once.
            take_place(places, shown, name, bucket, once=True)
        self.held = held_by([places])
        if (lost := lacks_beginning(ranks, self.counted, self.lasts)) is not None:
            raise Mistakes([LOST_BEGINNING(seq=lost, hint=_KEEP)])
        return self

    def records(self, mistakes: list[tuple[Place, Mistake]]) -> Iterator[tuple[Place, Record]]:
        """The changes, file by file."""
        mistakes += self.wrong
        changes = Changes(self.feed, self.catalog, self.needed)
        for seq, (place, name, row) in zip(self.seqs, rows_of(self.files), strict=True):
            change = changes.of(place, seq, name, row, mistakes)
            if change is not None:
                yield place, change

    def _key(self, place: Place, row: Row) -> Key:
        column = sequence_of(self.feed)
        try:
            return key_of(place, row, column)
        except ValueError:
            reason = f"its sequence column holds {row.get(column)}"
            if not column:
                reason = "`sequence` does not say which column orders changes"
            wrong = UNREADABLE_EVENT(line_span(*place), form="DMS", reason=reason, hint=HINT)
            self.wrong.append((place, wrong))
            return 1, 0


def lacks_beginning(
    ranks: Mapping[tuple[int, RelationName], int], counted: Counted, lasts: Lasts
) -> int | None:
    """The last change of a table in a hundredth of a second of which others were not read."""
    for name, seqs in lasts.items():
        for seq in seqs:
            place, slot = divmod(seq, 1 << RANK_BITS)
            held, whole = ranks.get((place, name), 0), slot == (1 << RANK_BITS) - 1
            if not whole and counted.get((place, name), 0) < held <= slot:
                return seq
    return None


def sequence_of(feed: Feed) -> str:
    """The column that orders changes; empty where none is told."""
    return feed.options.get("sequence", "")
