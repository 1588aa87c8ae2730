"""The folder of a Delta table that filtersql keeps: whether a table is there, and what a kill left.

Example
    t1/_delta_log/00000000000000000000.json                 a table
    t1/_delta_log/.00000000000000000000.json.7c….tmp        none: its CREATE was killed

Delta
    CreateDeltaTableCommand makes `_delta_log`, then its first commit; and it takes no folder that
    has the one without the other. A commit is a file that gets its name when it is whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from filtersql.targets import delta_rows
from filtersql.targets.marks import Mark, read_mark

__all__ = ["COMMIT", "LocalFolder", "is_abandoned"]

_JSON = re.compile(r"\d{20}\.json")
_COMMITS_READ = 50
#: how Delta names what Session.create does
_MADE = "CREATE OR REPLACE TABLE"
#: the file of a commit, or of a checkpoint of all commits before it
COMMIT = re.compile(r"\d{20}\.(json|checkpoint\..*parquet)")
#: how long another process is given between the folder of its log and its first commit
_SECONDS = 5.0
_PAUSE = 0.1


class LocalFolder(Struct, frozen=True):
    """A folder of this machine, of one table or of a schema's tables."""

    path: Path

    def __truediv__(self, name: str) -> LocalFolder:
        return LocalFolder(self.path / name)

    @property
    def location(self) -> str:
        """As a statement names it."""
        return str(self.path)

    def contains(self, location: str) -> bool:
        """Whether a place, as Spark names it, is below the folder."""
        return Path(location.removeprefix("file:")).is_relative_to(self.path)

    def holds_a_table(self) -> bool:
        """Whether a Delta table was committed in the folder."""
        try:
            with os.scandir(self.path / "_delta_log") as found:
                return any(COMMIT.fullmatch(entry.name) for entry in found)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def tables(self) -> frozenset[str]:
        """The names of the tables below a schema's folder, folded."""
        try:
            with os.scandir(self.path) as found:
                return frozenset(
                    e.name.casefold() for e in found if LocalFolder(Path(e.path)).holds_a_table()
                )
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()

    def bytes_of(self) -> int:
        """The bytes of a table's data files, those of earlier versions included."""
        size = 0
        for parent, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if name != "_delta_log"]
            size += sum(os.path.getsize(os.path.join(parent, name)) for name in names)
        return size

    def rows(self, columns: Sequence[str]) -> list[tuple[object, ...]] | None:
        """The newest version's rows, in the given columns; None: Delta has to be asked."""
        return delta_rows.rows(self.path, columns)

    def newest_mark(self) -> Mark | None:
        """The mark of the newest commits, read in the log itself; None where these have none.

        A commit's file is whole when it has its name; its first action are the commit's own words.
        """
        with suppress(OSError, ValueError):  # else Delta itself is asked
            for commit in _newest(self.path):
                if (mark := read_mark(_words(commit).get("userMetadata"))) is not None:
                    return mark
        return None

    def newest_writer(self, application: str) -> str | None:
        """The userMetadata of the newest commit of an application; None: that is not known."""
        with suppress(OSError, ValueError):
            for commit in _newest(self.path):
                if any(found.get("appId") == application for found in _actions(commit, "txn")):
                    return str(_words(commit).get("userMetadata"))
        return None

    def rows_written(self, mark: Mark) -> int | None:
        """How many rows the newest commit wrote, if it is that of a mark; None: that is not known.

        A table was made for them; an INSERT of no row makes no commit behind that.
        """
        with suppress(OSError, ValueError):
            commits = _newest(self.path)
            words = _words(commits[0]) if commits else {}
            if words.get("operation") == _MADE:
                return 0
            metrics = words.get("operationMetrics")
            if read_mark(words.get("userMetadata")) == mark and isinstance(metrics, dict):
                rows = metrics.get("numOutputRows")
                return None if rows is None else int(rows)
        return None

    def clear(self) -> None:
        """Remove the log of a table that was never committed; nothing else, and no commit."""
        log = self.path / "_delta_log"
        if log.is_dir() and is_abandoned(self.holds_a_table, log.stat().st_mtime):
            _remove_unfinished(log)

    def remove(self) -> None:
        """Remove a table's files: all of them are out of the way before the first one is gone."""
        aside = self.path.with_name(f".{self.path.name}.removed")
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(OSError):
            self.path.rename(aside)
        for left in (aside, self.path):
            shutil.rmtree(left, ignore_errors=True)


def is_abandoned(holds_a_table: Callable[[], bool], began: float) -> bool:
    """Whether no first commit comes to a log, whose folder was made at a time of day in seconds."""
    while not holds_a_table():
        if time.time() >= began + _SECONDS:
            return True
        time.sleep(_PAUSE)
    return False


def _newest(folder: Path) -> list[Path]:
    log = folder / "_delta_log"
    names = [name for name in os.listdir(log) if _JSON.fullmatch(name)]
    return [log / name for name in sorted(names, reverse=True)[:_COMMITS_READ]]


def _words(commit: Path) -> Mapping[str, object]:
    """What a commit says of itself."""
    return next(_actions(commit, "commitInfo"), {})


def _actions(commit: Path, kind: str) -> Iterator[Mapping[str, object]]:
    with commit.open(encoding="utf-8") as lines:
        for line in lines:
            action = json.loads(line).get(kind) if kind in line else None
            if isinstance(action, dict):
                yield action


def _remove_unfinished(log: Path) -> None:
    # A folder that is not empty stays: a commit that came at this moment is never lost.
    with suppress(OSError):
        for entry in log.iterdir():
            if entry.name.startswith("."):
                entry.unlink()
            elif entry.is_dir():
                entry.rmdir()
        log.rmdir()
