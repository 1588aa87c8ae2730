"""Staged changes without some of them, or with others besides.

Example
    restage([released, staged], {612, 640}, path)     all changes of both files but those two
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

import pyarrow
from pyarrow import compute, parquet

from filtersql.feeds.staged_files import StagedFile

__all__ = ["restage"]


def restage(paths: Sequence[Path], left_out: Collection[int], to: Path) -> None:
    """Write the changes of some files into one; `left_out` are the seqs of those that are not."""
    out: StagedFile | None = None
    without = pyarrow.array(sorted(left_out), pyarrow.int64())
    every = (sorted(path.glob("*.parquet")) if path.is_dir() else [path] for path in paths)
    for path in chain.from_iterable(every):
        found = parquet.ParquetFile(path)
        out = out or StagedFile(to, [field.type for field in found.schema_arrow])
        for batch in found.iter_batches():
            kept = batch.filter(compute.invert(compute.is_in(batch.column(0), without)))
            if kept.num_rows:
                out.write(kept.columns)
    assert out is not None  # there is a file at least
    out.close()
