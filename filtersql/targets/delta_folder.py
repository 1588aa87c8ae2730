"""The folder of a Delta table that filtersql keeps: whether a table is there, and what a kill left.

Example
    t1/_delta_log/00000000000000000000.json                 a table
    t1/_delta_log/.00000000000000000000.json.7c….tmp        none: its CREATE was killed

Delta
    CreateDeltaTableCommand makes `_delta_log`, then its first commit; and it takes no folder that
    has the one without the other. A commit is a file that gets its name when it is whole.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from contextlib import suppress
from pathlib import Path

__all__ = ["clear", "holds_a_table", "remove"]

_COMMIT = re.compile(r"\d{20}\.(json|checkpoint\..*parquet)")
#: how long another process is given between the folder of its log and its first commit
_SECONDS = 5.0
_PAUSE = 0.1


def holds_a_table(folder: Path) -> bool:
    """Whether a Delta table was committed in the folder."""
    try:
        with os.scandir(folder / "_delta_log") as found:
            return any(_COMMIT.fullmatch(entry.name) for entry in found)
    except (FileNotFoundError, NotADirectoryError):
        return False


def clear(folder: Path) -> None:
    """Remove the log of a table that was never committed; nothing else, and no commit."""
    log = folder / "_delta_log"
    if not log.is_dir():
        return
    until = log.stat().st_mtime + _SECONDS
    while not holds_a_table(folder):
        if time.time() >= until:
            _remove_unfinished(log)
            return
        time.sleep(_PAUSE)


def remove(folder: Path) -> None:
    """Remove a table's files: all of them are out of the way before the first one is gone."""
    aside = folder.with_name(f".{folder.name}.removed")
    shutil.rmtree(aside, ignore_errors=True)
    with suppress(OSError):
        folder.rename(aside)
    for left in (aside, folder):
        shutil.rmtree(left, ignore_errors=True)


def _remove_unfinished(log: Path) -> None:
    # A folder that is not empty stays: a commit that came at this moment is never lost.
    with suppress(OSError):
        for entry in log.iterdir():
            if entry.name.startswith("."):
                entry.unlink()
            elif entry.is_dir():
                entry.rmdir()
        log.rmdir()
