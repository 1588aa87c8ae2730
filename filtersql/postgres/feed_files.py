"""Closed files of the native feed: written beside, synced, named by their last seq.

Example
    files = FeedFiles(folder)
    files.add(records, size); files.boundary(last_seq); files.close(waiting)

    changes/00000000000000000041.jsonl     empty: where the slot began
    changes/00000000000000000097.jsonl     its first line says "prev_seq": 41
    changes/open.part                      what is being written; a kill leaves it, nobody reads it

A name that is there stands for a file that is whole and on disk, so the slot may be told.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

import msgspec

from filtersql.feeds.records import Record, record
from filtersql.project.captured import number_name

__all__ = ["FeedFiles", "last_tx", "prune_changes", "sync_folder", "write_whole"]

_encoder = msgspec.json.Encoder()
#: what is held before it is written: so many changes, or so many bytes
_BATCH = 5_000
_BATCH_BYTES = 4 * 2**20
_TAIL = 4096


class FeedFiles:
    """The files below a folder; one of them is open at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: the last seq of the last closed file
        self.closed = max((int(path.stem) for path in folder.glob("*.jsonl")), default=0)
        self._path = folder / "open.part"
        self._pending: list[Record] = []
        self._first, self._began = True, 0.0
        #: how many of them, and how many bytes of the file, are of whole transactions
        self._whole = self._end = self._pending_size = 0
        self._open()

    @property
    def size(self) -> int:
        """About how many bytes of whole transactions wait to be closed."""
        return self._end + self._pending_size if self._seq > self.closed else 0

    @property
    def age(self) -> float:
        """For how many seconds the first of them has waited."""
        return time.monotonic() - self._began

    def add(self, records: Sequence[Record], size: int) -> None:
        """Take changes of about so many bytes; their transaction may go on. Raises OSError."""
        if self._first:
            self._first = False
            records[0].prev_seq = self.closed
            self._began = time.monotonic()
        self._pending += records
        self._pending_size += size
        if len(self._pending) >= _BATCH or self._pending_size >= _BATCH_BYTES:
            self._write()

    def boundary(self, last_seq: int) -> None:
        """The transaction is whole, and this is its last seq."""
        self._whole, self._seq = len(self._pending), last_seq
        if not self._whole:
            self._end = self._file.tell()

    def close(self, waiting: Callable[[], None]) -> bool:
        """Close what is whole, and forget what is not; whether there was any.

        While the disk is waited for, `waiting` is called each second. Raises OSError.
        """
        if self._seq == self.closed:
            return False
        self._write()
        self._file.truncate(self._end)
        self._file.flush()
        _sync(self._file.fileno(), waiting)
        self._file.close()
        self._path.replace(self.folder / f"{number_name(self._seq)}.jsonl")
        sync_folder(self.folder)
        self.closed = self._seq
        self._open()
        return True

    def discard(self) -> None:
        """Remove what is not closed."""
        self._pending.clear()
        with suppress(OSError):  # a full disk takes what is in the buffer no better
            self._file.close()
        self._path.unlink(missing_ok=True)

    def _open(self) -> None:
        self._file = self._path.open("wb")
        self._first, self._began = True, 0.0
        self._pending_size = self._whole = self._end = 0
        self._seq = self.closed

    def _write(self) -> None:
        if self._whole:
            self._file.write(_encoder.encode_lines(self._pending[: self._whole]))
            self._end = self._file.tell()
        self._file.write(_encoder.encode_lines(self._pending[self._whole :]))
        self._pending.clear()
        self._pending_size = self._whole = 0


def _sync(descriptor: int, waiting: Callable[[], None]) -> None:
    failed: list[OSError] = []

    def sync() -> None:
        try:
            os.fsync(descriptor)
        except OSError as error:
            failed.append(error)

    thread = Thread(target=sync)
    thread.start()
    thread.join(1.0)
    while thread.is_alive():
        waiting()
        thread.join(1.0)
    if failed:
        raise failed[0]


def last_tx(folder: Path) -> str | None:
    """The transaction at the end of the last closed file; None where the slot began with it."""
    newest = max(folder.glob("*.jsonl"), default=None)
    if newest is None:
        return None
    with newest.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - _TAIL, 0))
        # The record of a commit is short.
        lines = file.read().splitlines()
    return str(record(lines[-1]).tx) if lines else None


def prune_changes(folder: Path, passed: int) -> int:
    """Remove the files whose changes end at a seq or before; how many.

    The newest one stays: it says where the chain goes on.
    """
    old = sorted(path for path in folder.glob("*.jsonl") if int(path.stem) <= passed)
    newest = max(folder.glob("*.jsonl"), default=None)
    gone = [path for path in old if path != newest]
    for path in gone:
        path.unlink()
    return len(gone)


def write_whole(path: Path, content: bytes) -> None:
    """A small file that is there whole, and on disk, or is as it was before. Raises OSError."""
    beside = path.with_name(f"{path.name}.part")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """The names in a folder are on disk; Windows opens none. Raises OSError."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
