"""Rows in Parquet files that the parts of one reading leave for each other.

Example
    rows = RowFile.at(folder / "facts" / "3.parquet", [pyarrow.int64(), pyarrow.string()])
    rows.add(17, "insert")
    rows.close()
    list(read_rows(folder / "facts" / "3.parquet", [("c0", ">=", 10)]))     [(17, "insert")]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow
from msgspec import Struct, field
from pyarrow import parquet

from filtersql.feeds.datetimes import python_values
from filtersql.feeds.staged_files import StagedFile, as_open

__all__ = ["Bound", "RowFile", "read_rows"]

_BATCH = 50_000

#: a column, an operator of pyarrow's filters, and a number, or a list of values
Bound = tuple[str, str, object]


class RowFile(Struct):
    """Rows on their way to a file, which exists afterwards only if there are some."""

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
