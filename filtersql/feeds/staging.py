"""Typed changes of one target, written as a Parquet file in batches: the view that merge.sql reads.

Example
    ===== ==== ======== ============ =========== ===========
    seq   tx   op       before_a     after_a     unchanged
    ===== ==== ======== ============ =========== ===========
    17    501  update   2            555         []
    ===== ==== ======== ============ =========== ===========
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow

from filtersql.feeds.places import Image, Place, PlacedMistake
from filtersql.feeds.records import Record
from filtersql.feeds.stage_columns import ColumnJudge, Side, lists
from filtersql.feeds.staged_files import StagedColumn, StagedFile
from filtersql.feeds.values import codec
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.storage import Engine

__all__ = ["ChangeStage", "RowStage", "distinct"]


@dataclass(eq=False)
class _Stage:
    """What is buffered for the file of one target, until `flush` converts and writes it."""

    compiled: CompiledTable
    engine: Engine
    path: Path
    mistakes: list[PlacedMistake] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def __post_init__(self) -> None:
        columns = self.compiled.feed_columns
        self.codecs = [codec(column.pg_type, column.sql_type, self.engine) for column in columns]
        self.file = StagedFile(self.path, self._types())

    def _types(self) -> list[pyarrow.DataType]:
        """Those of the file's columns."""
        return [code.kind.arrow for code in self.codecs]

    def flush(self) -> None:
        """Convert what is buffered, column by column, and write it."""
        raise NotImplementedError

    def close(self, *, rows_only: bool = False) -> None:
        """Write the rest; the file exists afterwards, as `StagedFile.close` says."""
        self.flush()
        self.file.close(rows_only=rows_only)


@dataclass(eq=False)
class ChangeStage(_Stage):
    """The pending changes of one target; `truncates`: a TRUNCATE is among what was flushed."""

    records: list[Record] = field(default_factory=list)
    arrays: list[Sequence[pyarrow.Array]] = field(default_factory=list)
    truncates: bool = False

    def _types(self) -> list[pyarrow.DataType]:
        images = [code.kind.arrow for code in self.codecs for _ in ("before", "after")]
        text = pyarrow.string()
        return [pyarrow.int64(), text, text, *images, pyarrow.list_(text)]

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

    def extend(self, changes: Sequence[Record], places: Sequence[Place]) -> None:
        """Take changes whose images were judged to be complete."""
        self.records += changes
        self.places += places

    @property
    def guarded(self) -> list[FeedColumn]:
        """The columns that hold no NULL."""
        return [column for column in self.compiled.feed_columns if column.not_null]

    def arrays_of(
        self,
        member: Callable[[str], pyarrow.Array],
        images: Mapping[str, Mapping[str, pyarrow.Array]],
    ) -> list[pyarrow.Array] | None:
        """What is stored of changes that Arrow read; None: some value is not stored as usual."""
        arrays = [member("seq"), member("tx"), member("op")]
        for column, code in zip(self.compiled.feed_columns, self.codecs, strict=True):
            for image in ("before", "after"):
                values = images[image].get(column.name)
                array = None if values is None else code.stored(values)
                if array is None:
                    return None
                arrays.append(array)
        names = member("unchanged")
        arrays.append(
            lists(names.to_pylist() if names.null_count < len(names) else [()] * len(names))
        )
        return arrays

    def extend_columns(self, arrays: Sequence[pyarrow.Array]) -> None:
        """Take changes that `arrays_of` gave: none of them is a TRUNCATE."""
        self.arrays.append(arrays)

    def flush(self) -> None:
        """Convert what is buffered, column by column, and write it."""
        if self.arrays and not self.mistakes:
            self.file.write(
                [pyarrow.concat_arrays(column) for column in zip(*self.arrays, strict=True)]
            )
        self.arrays = []
        records = self.records
        if not records:
            return
        ops = [change.op for change in records]
        self.truncates = self.truncates or "truncate" in ops
        sides = {
            "before": Side.of([change.before for change in records]),
            "after": Side.of([change.after for change in records]),
        }
        judges = {
            image: ColumnJudge(self.compiled.relation, side.only(self.places), self.mistakes)
            for image, side in sides.items()
        }
        arrays: list[pyarrow.Array | None] = [
            pyarrow.array([change.seq for change in records], pyarrow.int64()),
            pyarrow.array(
                [None if change.tx is None else str(change.tx) for change in records],
                pyarrow.string(),
            ),
            pyarrow.array(ops, pyarrow.string()),
        ]
        for column, code in zip(self.compiled.feed_columns, self.codecs, strict=True):
            for image, side in sides.items():
                array = judges[image].array(column, code, side.rows, image)
                arrays.append(None if array is None else side.spread(array))
        arrays.append(lists([change.unchanged for change in records]))
        self.records, self.places = [], []
        if not self.mistakes:
            self.file.write([array for array in arrays if array is not None])


def distinct(stages: Sequence[ChangeStage]) -> list[ChangeStage]:
    """Each stage once: targets share some."""
    return list({id(stage): stage for stage in stages}.values())


@dataclass(eq=False)
class RowStage(_Stage):
    """The rows of a source table, for the initial copy."""

    rows: list[Image] = field(default_factory=list)

    @property
    def columns(self) -> tuple[StagedColumn, ...]:
        """The columns of the view over the file."""
        return tuple(
            StagedColumn(column.name, column.sql_type) for column in self.compiled.feed_columns
        )

    def write(self, arrays: Sequence[pyarrow.Array]) -> None:
        """Take rows of which the stored columns are known."""
        if not self.mistakes:
            self.file.write(arrays)

    def add(self, row: Image, place: Place) -> None:
        """Take a row that has all its columns."""
        self.rows.append(row)
        self.places.append(place)

    def flush(self) -> None:
        """Convert what is buffered, column by column, and write it."""
        judge = ColumnJudge(self.compiled.relation, self.places, self.mistakes)
        arrays = [
            judge.array(column, code, self.rows, "row")
            for column, code in zip(self.compiled.feed_columns, self.codecs, strict=True)
        ]
        if self.rows and not self.mistakes:
            self.file.write([array for array in arrays if array is not None])
        self.rows, self.places = [], []
