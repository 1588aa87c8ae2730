"""What rows of DMS say as changes: `Changes(feed, catalog).each(batch, [17], [])`.

Example
    {"Op": "U", "id": "1", "v": "NULL", "BI_id": "1"}     update: (id=1) becomes (id=1, v=NULL)

AWS
    Using Amazon S3 as a target: CsvNullValue, BeforeImageSettings
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from msgspec import Struct

from filtersql.catalog import Catalog, Table
from filtersql.changes import may_be_out_of_line
from filtersql.definitions.model import Feed
from filtersql.errors import Mistake
from filtersql.errors.feeds import AMBIGUOUS_VALUE, UNREADABLE_EVENT
from filtersql.feeds.dms_rows import HINT, Batch, Row
from filtersql.feeds.landings import Needed, is_needed
from filtersql.feeds.lines import line_span
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["OPS", "Changes", "Member", "Shape"]

OPS = {"I": "insert", "U": "update", "D": "delete"}
_ZONE = re.compile(r"(?:[+-]\d\d(?::?\d\d)*|Z)$", re.ASCII)
_BEFORE = "BI_"


class Member(Struct, frozen=True):
    """A member of rows, and what its value becomes in an image."""

    key: str
    name: str
    #: whether the table has such a column, which CSV's word for NULL may stand in
    known: bool
    finish: Callable[[str], str] | None = None
    #: whether the word may be a text of the column as well, and some target reads the column
    ambiguous: bool = False


class Shape(Struct, frozen=True):
    """What rows of a table with the same members have in common."""

    new: tuple[Member, ...]
    #: None: rows have no images of old ones
    old: tuple[Member, ...] | None = None
    #: columns of which an old row is known
    logged: Set[str] = frozenset()


class Changes(Struct, frozen=True):
    """Makes changes of rows. Values of columns that are not needed need not be told."""

    feed: Feed
    catalog: Catalog
    needed: Needed = None
    shapes: dict[tuple[RelationName, tuple[str, ...]], Shape] = {}

    def null(self, batch: Batch) -> str | None:
        """What stands for NULL; Parquet has nulls."""
        return self.feed.options.get("csv_null_value", "NULL") if batch.is_csv else None

    def each(
        self, batch: Batch, seqs: Sequence[int], mistakes: list[PlacedMistake]
    ) -> Iterator[tuple[Place, Record]]:
        """The changes of rows that have these numbers, without those that hold a mistake."""
        return self.some(batch, seqs, range(len(batch.rows)), mistakes)

    def some(
        self,
        batch: Batch,
        seqs: Sequence[int],
        chosen: Iterable[int],
        mistakes: list[PlacedMistake],
    ) -> Iterator[tuple[Place, Record]]:
        """The same of some of the rows."""
        for number in chosen:
            place = batch.place(number)
            change = self._of(place, seqs[number], batch, batch.row(number), mistakes)
            if change is not None:
                yield place, change

    def shape(self, batch: Batch) -> Shape:
        """What the rows of a batch have in common."""
        members = (batch.table, tuple(batch.header))
        if (shape := self.shapes.get(members)) is None:
            table = self.catalog.tables.get(batch.table)
            shape = self.shapes[members] = self._shape(table, dict.fromkeys(batch.header))
        return shape

    def _of(
        self, place: Place, seq: int, batch: Batch, row: Row, mistakes: list[PlacedMistake]
    ) -> Record | None:
        written, name = str(row.get("Op", "I")), batch.table
        op = "read" if batch.is_load else OPS.get(written)
        if op is None or (not batch.is_load and "Op" not in row):
            reason = f'op "{written}" is unknown' if "Op" in row else "it has no column Op"
            mistakes.append(
                (place, UNREADABLE_EVENT(line_span(*place), form="DMS", reason=reason, hint=HINT))
            )
            return None
        found, table, shape = len(mistakes), self.catalog.tables.get(name), self.shape(batch)
        relation = [name.schema, name.name]
        if table is None:
            return Record(seq, op, relation, None, {one.key: row[one.key] for one in shape.new})
        null = self.null(batch)
        after = self._values(place, table, row, shape.new, null, mistakes)
        before = None
        if op in ("update", "delete") and shape.old is not None:
            before = self._values(place, table, row, shape.old, null, mistakes) or None
        elif op == "delete":
            before = {key: value for key, value in after.items() if key in shape.logged}
        change = Record(seq, op, relation, before, None if op == "delete" else after)
        return change if len(mistakes) == found else None

    def _shape(self, table: Table | None, row: Row) -> Shape:
        """Of an old row its identity is known, unless the feed says that it is whole."""
        own = {"Op", self.feed.options.get("sequence", "Op")}
        keys = [key for key in row if key not in own]
        new = tuple(self._member(table, key, key) for key in keys if not _is_old(key, table))
        if table is None:
            return Shape(new)
        logged = set(table.identity_columns)
        if self.feed.before_complete:
            logged = {column.name for column in table.columns}
        old = None
        if self.feed.options.get("before_image") == "true":
            named = [(key, key.removeprefix(_BEFORE)) for key in keys if _is_old(key, table)]
            old = tuple(self._member(table, key, name) for key, name in named if name in logged)
        return Shape(new, old, frozenset(logged))

    def _member(self, table: Table | None, key: str, name: str) -> Member:
        column = None if table is None else table.column(name)
        if table is None or column is None:
            return Member(key, name, known=False)
        told = "csv_null_value" in self.feed.options or not may_be_out_of_line(column)
        ambiguous = not told and is_needed(self.needed, table.name, name)
        return Member(
            key, name, True, _FINISHED.get((column.type.base or column.type).name), ambiguous
        )

    def _values(
        self,
        place: Place,
        table: Table,
        row: Row,
        members: Sequence[Member],
        null: str | None,
        mistakes: list[PlacedMistake],
    ) -> dict[str, Any]:
        """The values of an image; NULL, where CSV has its own word for it."""
        found: dict[str, Any] = {}
        for one in members:
            value = row[one.key]
            if value is not None and value == null and one.known:
                value = None
                if one.ambiguous:
                    mistakes.append((place, _ambiguous(place, table, one.name)))
            elif one.finish is not None and isinstance(value, str):
                value = one.finish(value)
            found[one.name] = value
        return found


def _ambiguous(place: Place, table: Table, name: str) -> Mistake:
    means = "NULL and the text that stands for it"
    remedy = "Say `csv_null_value`, a text that no column has (DMS: CsvNullValue)."
    return AMBIGUOUS_VALUE(
        line_span(*place), column=name, table=table.name, form="DMS", means=means, remedy=remedy
    )


def _is_old(key: str, table: Table | None) -> bool:
    return key.startswith(_BEFORE) and (table is None or table.column(key) is None)


def _moment(value: str) -> str:
    """DMS gives moments in UTC without saying so."""
    moment, era, _ = value.partition(" BC")
    known = _ZONE.search(moment) or value in ("infinity", "-infinity")
    return value if known else f"{moment}+00{era}"


def _bytes(value: str) -> str:
    return value if value.startswith("\\x") else f"\\x{value.removeprefix('0x')}"


#: what makes PostgreSQL's text of a value, by type
_FINISHED: Mapping[str, Callable[[str], str]] = {"timestamptz": _moment, "bytea": _bytes}
