"""The rows of a small Delta table in a local folder, by its log and its files: no job of Spark.

Example
    rows(warehouse / "filtersql.db" / "ledger", ("ordinal", "phase"))    [(1, "copying"), …]

    Spark takes a second for the state of a table of ten rows, and a run begins with its ledger.

Delta (PROTOCOL.md, "Action Reconciliation", "Checkpoints")
    A version is made of the files that were added and not removed since, in the order of commits,
    from the newest checkpoint on. What only a reader of more features can read is not read here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as arrow
import pyarrow.parquet as parquet

__all__ = ["rows"]

_READ = ("add", "remove", "protocol", "metaData")


class _NotSimple(Exception):
    """A table that only Delta itself reads right."""


def rows(folder: Path, columns: Sequence[str]) -> list[tuple[object, ...]] | None:
    """The newest version's rows, in the given columns; None: Delta has to be asked."""
    try:
        tables = [
            parquet.read_table(folder / name, columns=list(columns)) for name in _files(folder)
        ]
    except (_NotSimple, OSError, ValueError, KeyError, arrow.ArrowException):
        return None
    held: list[tuple[object, ...]] = []
    for table in tables:
        held += zip(*(table.column(name).to_pylist() for name in columns), strict=True)
    return held


def _files(folder: Path) -> list[str]:
    """The data files of the newest version."""
    files: dict[str, None] = {}
    for kind, action in _actions(folder / "_delta_log"):
        if kind == "protocol" and action["minReaderVersion"] != 1:
            raise _NotSimple
        if kind == "metaData" and action["partitionColumns"]:
            raise _NotSimple
        if kind == "add":
            files[unquote(action["path"])] = None
        elif kind == "remove":
            files.pop(unquote(action["path"]), None)
    return [*files]


def _actions(log: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What counts from the newest checkpoint on, in order."""
    names = set(os.listdir(log))
    version = 0
    if "_last_checkpoint" in names:
        version = int(json.loads((log / "_last_checkpoint").read_bytes())["version"])
        name = f"{version:020}.checkpoint.parquet"
        checkpoint = parquet.read_table(log / name, columns=list(_READ))
        for row in checkpoint.to_pylist():
            yield from ((kind, action) for kind, action in row.items() if action is not None)
        version += 1
    if version == 0 and f"{version:020}.json" not in names:
        raise _NotSimple
    while (name := f"{version:020}.json") in names:
        for line in (log / name).read_text(encoding="utf-8").splitlines():
            yield from ((kind, a) for kind, a in json.loads(line).items() if kind in _READ)
        version += 1
