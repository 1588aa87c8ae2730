"""Threads of one process have a DuckDB file one after the other, as processes have.

Example
    turn = Turn(path)   # waits while another thread has the file open
    turn.end()

    DuckDB locks its file for the whole process. Without turns two threads would read the same state
    and both write what follows: each change twice.
"""

from __future__ import annotations

import threading
from pathlib import Path

__all__ = ["Turn"]

_ended = threading.Condition()
#: file -> the thread that has it open, once for each time
_open: dict[Path, list[int]] = {}


class Turn:
    """A file that this thread has open; it may open it again."""

    def __init__(self, path: Path) -> None:
        self._path, self._thread = path.resolve(), threading.get_ident()
        with _ended:
            _ended.wait_for(self._is_mine)
            _open.setdefault(self._path, []).append(self._thread)

    def _is_mine(self) -> bool:
        return all(thread == self._thread for thread in _open.get(self._path, ()))

    def end(self) -> None:
        """Let the next thread have it; a second time says nothing."""
        with _ended:
            if self._thread in (threads := _open.get(self._path, [])):
                threads.remove(self._thread)
            _ended.notify_all()
