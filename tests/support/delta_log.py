"""The rows of a small Delta table, by its log and its files: nothing of Spark is asked.

Example
    rows_by_log(warehouse / "shop.db" / "t1", ("id", "v"))     [(1, None), (2, 5)]

Delta (PROTOCOL.md, "Action Reconciliation")
    A version is made of the files that were added and not removed since, in the order of commits.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow.parquet as parquet

__all__ = ["rows_by_log"]


def rows_by_log(folder: Path, columns: Sequence[str]) -> list[tuple[object, ...]] | None:
    """The newest version's rows; None where there is no table.

    A table that only a reader with more features can read fails: it is not the tests' any more.
    """
    log = folder / "_delta_log"
    commits = sorted(log.glob("*.json")) if log.is_dir() else []
    assert not (log / "_last_checkpoint").exists(), f"{folder} has a checkpoint"
    files: dict[str, None] = {}
    for commit in commits:
        for line in commit.read_text(encoding="utf-8").splitlines():
            ((kind, action),) = json.loads(line).items()
            if kind == "protocol":
                assert action["minReaderVersion"] == 1, action
            elif kind == "add":
                assert not action.get("deletionVector"), action
                files[unquote(action["path"])] = None
            elif kind == "remove":
                files.pop(unquote(action["path"]))
    if not commits:
        return None
    rows: list[tuple[object, ...]] = []
    for name in files:
        table = parquet.read_table(folder / name).to_pydict()
        rows += zip(*(table[column] for column in columns), strict=True)
    return rows
