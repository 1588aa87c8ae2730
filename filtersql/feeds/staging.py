"""Typed changes of one target, written as a Parquet file in batches: the view that merge.sql reads.

Example
    ===== ==== ======== ============ =========== ===========
    seq   tx   op       before_a     after_a     unchanged
    ===== ==== ======== ============ =========== ===========
    17    501  update   2            555         []
    ===== ==== ======== ============ =========== ===========
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import pyarrow
from msgspec import Struct
from pyarrow import parquet

from filtersql.errors import Mistake
from filtersql.errors.feeds import (
    NOT_OF_ITS_TYPE,
    NULL_IN_NOT_NULL,
    UNSTORABLE_VALUE,
)
from filtersql.feeds.datetimes import python_values
from filtersql.feeds.records import Record
from filtersql.feeds.values import Codec, NotHeld, codec
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.source import Span
from filtersql.storage import Engine

__all__ = [
    "ChangeStage",
    "Image",
    "Place",
    "Records",
    "RowStage",
    "StagedColumn",
    "StagedFile",
    "Where",
    "distinct",
    "staged_columns",
]

#: JSON values of a row image by column
Image = Mapping[str, object]
#: (file, line number, line): enough to make a Span, if one is needed
Place = tuple[str, int, bytes]
Where = Callable[[Place], Span]
#: one read of a feed: places with their records; mistakes of reading go to the list
Records = Callable[[list[tuple[Place, Mistake]]], Iterator[tuple[Place, Record]]]


class StagedColumn(Struct, frozen=True):
    """A column of the view over a staged file, in the file's order."""

    name: str
    sql_type: str


class StagedFile(Struct):
    """A Parquet file whose columns are named by their position: any name is safe."""

    path: Path
    types: list[pyarrow.DataType]
    writer: pyarrow.parquet.ParquetWriter | None = None

    def write(self, arrays: Sequence[pyarrow.Array]) -> None:
        """Add rows, column by column."""
        names = [f"c{index}" for index in range(len(self.types))]
        schema = pyarrow.schema(list(zip(names, self.types, strict=True)))
        if self.writer is None:
            # Arrow's statistics leave NaN out, and engines skip row groups by them: a filter such
            # as f > 1 would lose the NaN, which is the largest number of PostgreSQL and engines.
            floating = pyarrow.types.is_floating
            counted = [field.name for field in schema if not floating(field.type)]
            self.writer = parquet.ParquetWriter(
                self.path, schema, compression="snappy", write_statistics=counted
            )
        self.writer.write_table(pyarrow.Table.from_arrays(list(arrays), schema=schema))

    def close(self, *, rows_only: bool = False) -> None:
        """The file exists afterwards, even without a row, but where only rows make one."""
        if self.writer is None and rows_only:
            return
        if self.writer is None:
            self.write([pyarrow.array([], kind) for kind in self.types])
        assert self.writer is not None
        self.writer.close()


def staged_columns(path: Path, numbers: Sequence[int]) -> list[list[Any]]:
    """The values of some columns of a staged file, by their position."""
    table = parquet.read_table(path, columns=[f"c{number}" for number in numbers])
    return [python_values(column) for column in table.columns]


class ChangeStage:
    """The pending changes of one target, buffered until `flush`."""

    def __init__(
        self,
        compiled: CompiledTable,
        engine: Engine,
        path: Path,
        mistakes: list[tuple[Place, Mistake]],
        where: Where,
    ) -> None:
        self.compiled = compiled
        self.engine = engine
        self.path = path
        self.mistakes = mistakes
        self.where = where
        self.records: list[Record] = []
        self.places: list[Place] = []
        columns = compiled.feed_columns
        self.codecs = [codec(column.pg_type, column.sql_type, engine) for column in columns]
        images = [code.kind.arrow for code in self.codecs for _ in ("before", "after")]
        text = pyarrow.string()
        self.file = StagedFile(
            self.path, [pyarrow.int64(), text, text, *images, pyarrow.list_(pyarrow.string())]
        )

    @property
    def columns(self) -> tuple[StagedColumn, ...]:
        """The columns of the view over the file."""
        names = {"spark": ("BIGINT", "STRING", "ARRAY<STRING>")}
        number, text, texts = names.get(self.engine, ("BIGINT", "VARCHAR", "VARCHAR[]"))
        images = [
            StagedColumn(f"{image}_{column.name}", column.sql_type)
            for column in self.compiled.feed_columns
            for image in ("before", "after")
        ]
        return (
            StagedColumn("seq", number),
            StagedColumn("tx", text),
            StagedColumn("op", text),
            *images,
            StagedColumn("unchanged", texts),
        )

    def add(self, change: Record, place: Place) -> None:
        """Take a change whose images were judged to be complete."""
        self.records.append(change)
        self.places.append(place)

    def extend(self, changes: Sequence[Record], places: Sequence[Place]) -> None:
        """Take some."""
        self.records += changes
        self.places += places

    def flush(self) -> None:
        """Convert what is buffered, column by column, and write it."""
        records = self.records
        if not records:
            return
        sides = {
            "before": _Side.of([change.before for change in records]),
            "after": _Side.of([change.after for change in records]),
        }
        judges = {
            image: _Judge(self.compiled.relation, side.only(self.places), self.mistakes, self.where)
            for image, side in sides.items()
        }
        arrays: list[pyarrow.Array | None] = [
            pyarrow.array([change.seq for change in records], pyarrow.int64()),
            pyarrow.array(
                [None if change.tx is None else str(change.tx) for change in records],
                pyarrow.string(),
            ),
            pyarrow.array([change.op for change in records], pyarrow.string()),
        ]
        for column, code in zip(self.compiled.feed_columns, self.codecs, strict=True):
            for image, side in sides.items():
                array = judges[image].array(column, code, side.rows, image)
                arrays.append(None if array is None else side.spread(array))
        arrays.append(_lists([change.unchanged for change in records]))
        self.records, self.places = [], []
        if not self.mistakes:
            self.file.write([array for array in arrays if array is not None])

    def close(self, *, rows_only: bool = False) -> None:
        """Write the rest; the file exists afterwards, as `StagedFile.close` says."""
        self.flush()
        self.file.close(rows_only=rows_only)


def distinct(stages: Sequence[ChangeStage]) -> list[ChangeStage]:
    """Each stage once: targets share some."""
    return list({id(stage): stage for stage in stages}.values())


class RowStage:
    """The rows of a source table, for the initial copy."""

    def __init__(
        self,
        compiled: CompiledTable,
        engine: Engine,
        path: Path,
        mistakes: list[tuple[Place, Mistake]],
        where: Where,
    ) -> None:
        self.compiled = compiled
        self.engine = engine
        self.path = path
        self.mistakes = mistakes
        self.where = where
        self.rows: list[Image] = []
        self.places: list[Place] = []
        columns = compiled.feed_columns
        self.codecs = [codec(column.pg_type, column.sql_type, engine) for column in columns]
        self.file = StagedFile(self.path, [code.kind.arrow for code in self.codecs])

    @property
    def columns(self) -> tuple[StagedColumn, ...]:
        """The columns of the view over the file."""
        return tuple(
            StagedColumn(column.name, column.sql_type) for column in self.compiled.feed_columns
        )

    def add(self, row: Image, place: Place) -> None:
        """Take a row that has all its columns."""
        self.rows.append(row)
        self.places.append(place)

    def flush(self) -> None:
        """Convert what is buffered, column by column, and write it."""
        judge = _Judge(self.compiled.relation, self.places, self.mistakes, self.where)
        arrays = [
            judge.array(column, code, self.rows, "row")
            for column, code in zip(self.compiled.feed_columns, self.codecs, strict=True)
        ]
        if self.rows and not self.mistakes:
            self.file.write([array for array in arrays if array is not None])
        self.rows, self.places = [], []

    def close(self, *, rows_only: bool = False) -> None:
        """Write the rest; the file exists afterwards, as `StagedFile.close` says."""
        self.flush()
        self.file.close(rows_only=rows_only)


class _Side(Struct, frozen=True):
    """The old rows, or the new rows, of changes of which some have none: `there` says which.

    `numbers` are those of the rows beside their changes; None where each change has one.
    """

    there: Sequence[bool]
    rows: Sequence[Image]
    numbers: pyarrow.Array | None

    @classmethod
    def of(cls, images: Sequence[Image | None]) -> _Side:
        there = [image is not None for image in images]
        rows = [image for image in images if image is not None]
        if len(rows) == len(images):
            return cls(there, rows, None)
        counted = iter(range(len(rows)))
        numbers = [next(counted) if one else None for one in there]
        return cls(there, rows, pyarrow.array(numbers, pyarrow.int64()))

    def only(self, places: Sequence[Place]) -> Sequence[Place]:
        """The places of the changes that have one."""
        return places if self.numbers is None else list(compress(places, self.there))

    def spread(self, array: pyarrow.Array) -> pyarrow.Array:
        """A value, or NULL, for each change."""
        return array if self.numbers is None else array.take(self.numbers)


def _lists(names: Sequence[list[str] | None]) -> pyarrow.Array:
    if any(names):
        return pyarrow.array([some or [] for some in names], pyarrow.list_(pyarrow.string()))
    none = pyarrow.array([0] * (len(names) + 1), pyarrow.int32())
    return pyarrow.ListArray.from_arrays(none, pyarrow.array([], pyarrow.string()))


class _Judge(Struct, frozen=True):
    """Turns one column of a batch into an Arrow array, and words what does not fit."""

    table: RelationName
    places: Sequence[Place]
    mistakes: list[tuple[Place, Mistake]]
    where: Where

    def array(
        self, column: FeedColumn, code: Codec, rows: Sequence[Image], image: str
    ) -> pyarrow.Array | None:
        name = column.name
        values = [row.get(name) for row in rows]
        if column.not_null and None in values:
            for row, place in zip(rows, self.places, strict=True):
                if name in row and row[name] is None:
                    span = self.where(place)
                    self.mistakes.append(
                        (place, NULL_IN_NOT_NULL(span, column=name, image=image, table=self.table))
                    )
        try:
            return code.array(values)
        except ValueError:
            if not self._report(name, code, values):
                raise
            return None

    def _report(self, name: str, code: Codec, values: Sequence[object]) -> bool:
        found = False
        for value, place in zip(values, self.places, strict=True):
            try:
                code.value(value)
            except ValueError as reason:
                span = self.where(place)
                unstorable = isinstance(reason, NotHeld)
                mistake = (UNSTORABLE_VALUE if unstorable else NOT_OF_ITS_TYPE)(
                    span, column=name, table=self.table, reason=reason
                )
                self.mistakes.append((place, mistake))
                found = True
        return found
