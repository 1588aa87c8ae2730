"""Threads of one process have a DuckDB file one after the other, as processes have.

Example
    turn = Turn(path)   # waits while another thread has the file open
    turn.end()

    DuckDB locks its file for the whole process. Without turns two threads would read the same state
    and both write what follows: each change twice.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

__all__ = ["PATIENCE", "Turn"]

#: seconds after which a thread is refused, as another process is at once: two may wait for another
PATIENCE = 60
_ended = threading.Condition()
#: file -> the turns that go on, all of one thread
_open: dict[Path, list[Turn]] = {}
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open.clear)


class Turn:
    """A file that this thread has open; it may open it again. Raises TimeoutError."""

    def __init__(self, path: Path) -> None:
        self._path, self._thread = path.resolve(), threading.get_ident()
        with _ended:
            if not _ended.wait_for(self._is_mine, PATIENCE):
                raise TimeoutError(path.name)
            _open.setdefault(self._path, []).append(self)

    def _is_mine(self) -> bool:
        return all(turn._thread == self._thread for turn in _open.get(self._path, ()))

    def end(self) -> None:
        """Let the next thread have it; a second time says nothing."""
        with _ended:
            if self in (turns := _open.get(self._path, [])):
                turns.remove(self)
            _ended.notify_all()
