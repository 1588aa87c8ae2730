"""Typed changes of one target, written as a Parquet file in batches: the view that merge.sql reads.

Example
    ===== ==== ======== ============ =========== ===========
    seq   tx   op       before_a     after_a     unchanged
    ===== ==== ======== ============ =========== ===========
    17    501  update   2            555         []
    ===== ==== ======== ============ =========== ===========
"""

from __future__ import annotations

import stat
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow
from msgspec import Struct
from pyarrow import compute, parquet

from filtersql.errors import Mistake
from filtersql.feeds.datetimes import python_values
from filtersql.feeds.places import Image, Place, Where
from filtersql.feeds.records import Record
from filtersql.feeds.stage_columns import ColumnJudge, Side, lists
from filtersql.feeds.values import codec
from filtersql.rendering.compiled import CompiledTable, FeedColumn
from filtersql.storage import Engine

__all__ = [
    "ChangeStage",
    "RowStage",
    "StagedColumn",
    "StagedFile",
    "as_open",
    "distinct",
    "newest_staged",
    "staged_columns",
]


class StagedColumn(Struct, frozen=True):
    """A column of the view over a staged file, in the file's order."""

    name: str
    sql_type: str


class StagedFile(Struct):
    """A Parquet file whose columns are named by their position: any name is safe.

    It is there when it is whole: a task of Spark may be tried twice at once.
    """

    path: Path
    types: list[pyarrow.DataType]
    writer: pyarrow.parquet.ParquetWriter | None = None
    own: Path = Path()

    def write(self, arrays: Sequence[pyarrow.Array]) -> None:
        """Add rows, column by column."""
        names = [f"c{index}" for index in range(len(self.types))]
        schema = pyarrow.schema(list(zip(names, self.types, strict=True)))
        if self.writer is None:
            self.own = self.path.with_name(f".{self.path.name}.{uuid.uuid4().hex}")
            # Arrow's statistics leave NaN out, and engines skip row groups by them: a filter such
            # as f > 1 would lose the NaN, which is the largest number of PostgreSQL and engines.
            floating = pyarrow.types.is_floating
            counted = [field.name for field in schema if not floating(field.type)]
            # Each change is written once and read once or twice: dictionaries do not pay.
            self.writer = parquet.ParquetWriter(
                self.own,
                schema,
                compression="snappy",
                use_dictionary=False,
                write_statistics=counted,
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
        self.own.replace(self.path)


def as_open(folder: Path) -> Path:
    """A folder, made where it is not there, as open to others as the one that it is in.

    An engine that reads and writes what is staged may run as another user.
    """
    if not folder.exists():
        as_open(folder.parent)
        folder.mkdir(exist_ok=True)
        with suppress(OSError):  # some file systems have no modes
            folder.chmod(stat.S_IMODE(folder.parent.stat().st_mode))
    return folder


def staged_columns(path: Path, numbers: Sequence[int]) -> list[list[Any]]:
    """The values of some columns of a staged file, by their position."""
    table = parquet.read_table(path, columns=[f"c{number}" for number in numbers])
    return [python_values(column) for column in table.columns]


def newest_staged(path: Path, upto: int | None) -> int | None:
    """The last seq up to a number in a file of changes, or in those of a folder.

    It is asked of the statistics; only where a part goes on beyond the number, of the column.
    """
    newest: list[int] = []
    for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
        with parquet.ParquetFile(file) as opened:
            for number in range(opened.num_row_groups):
                part = opened.metadata.row_group(number)
                known = part.column(0).statistics
                if not part.num_rows:
                    continue
                if upto is None or known.max <= upto:
                    newest.append(known.max)
                elif known.min <= upto:
                    seqs = opened.read_row_group(number, columns=["c0"]).column(0)
                    newest.append(compute.max(seqs.filter(compute.less_equal(seqs, upto))).as_py())
    return max(newest, default=None)


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
        self.arrays: list[Sequence[pyarrow.Array]] = []
        #: whether a TRUNCATE is among what was flushed
        self.truncates = False
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
            image: ColumnJudge(
                self.compiled.relation, side.only(self.places), self.mistakes, self.where
            )
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
        judge = ColumnJudge(self.compiled.relation, self.places, self.mistakes, self.where)
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
