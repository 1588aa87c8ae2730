"""Parquet files between a feed and an engine: written in batches, and there when they are whole.

Example
    file = StagedFile(folder / "changes-0.parquet", [pyarrow.int64(), pyarrow.string()])
    file.write([seqs, names])
    file.close()
    newest_staged(file.path, upto=17)    # 16
    restage([released, staged], {612, 640}, path)     all changes of both files but those two

    rows = RowFile.at(folder / "facts" / "3.parquet", [pyarrow.int64(), pyarrow.string()])
    rows.add(17, "insert")
    rows.close()
    [*read_rows(folder / "facts" / "3.parquet", [("c0", ">=", 10)])]     [(17, "insert")]
"""

from __future__ import annotations

import stat
import uuid
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow
from msgspec import Struct, field
from pyarrow import compute, parquet

from filtersql.feeds.datetimes import python_values

__all__ = [
    "Bound",
    "RowFile",
    "StagedColumn",
    "StagedFile",
    "as_open",
    "newest_staged",
    "read_rows",
    "restage",
    "staged_columns",
]

#: rows of a RowFile that are written at once
_BATCH = 50_000
#: a column, an operator of pyarrow's filters, and a number, or a list of values
Bound = tuple[str, str, object]


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
        """Finish the file, which then exists; without a row it does so unless `rows_only`."""
        if self.writer is None and rows_only:
            return
        if self.writer is None:
            self.write([pyarrow.nulls(0, kind) for kind in self.types])
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

    The statistics of each part tell it; only where a part goes on beyond the number is it read.
    """
    newest: list[int] = []
    for file in _parts(path):
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


def _parts(path: Path) -> list[Path]:
    """A file, or those of a folder."""
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


def restage(paths: Sequence[Path], left_out: Collection[int], to: Path) -> None:
    """Write the changes of some files into one; `left_out` are the seqs of those that are not."""
    out: StagedFile | None = None
    without = pyarrow.array(sorted(left_out), pyarrow.int64())
    for path in chain.from_iterable(map(_parts, paths)):
        found = parquet.ParquetFile(path)
        out = out or StagedFile(to, [field.type for field in found.schema_arrow])
        for batch in found.iter_batches():
            kept = batch.filter(compute.invert(compute.is_in(batch.column(0), without)))
            if kept.num_rows:
                out.write(kept.columns)
    assert out is not None  # there is a file at least
    out.close()


class RowFile(Struct):
    """Rows on their way to a file, which exists afterwards only if there are some.

    Processes that read one feed together leave such files for each other.
    """

    file: StagedFile
    rows: list[tuple[object, ...]] = field(default_factory=list)

    @classmethod
    def at(cls, path: Path, kinds: Sequence[pyarrow.DataType]) -> RowFile:
        """Rows for a file, in a folder that may not exist yet."""
        as_open(path.parent)
        return cls(StagedFile(path, list(kinds)))

    def add(self, *row: object) -> None:
        """Take a row."""
        self.rows.append(row)
        if len(self.rows) >= _BATCH:
            self._write()

    def close(self) -> None:
        """Write the rest."""
        if self.rows:
            self._write()
        self.file.close(rows_only=True)

    def _write(self) -> None:
        columns = zip(zip(*self.rows, strict=True), self.file.types, strict=True)
        self.file.write([pyarrow.array(values, kind) for values, kind in columns])
        self.rows = []


def read_rows(path: Path, bounds: list[Bound] | None = None) -> Iterator[tuple[Any, ...]]:
    """The rows of a file within bounds of columns, `c0` the first; none where there is no file."""
    if path.exists():
        columns = parquet.read_table(path, filters=bounds).columns
        yield from zip(*map(python_values, columns), strict=True)
