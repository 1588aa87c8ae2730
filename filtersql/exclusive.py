"""One process at a time below a folder: others wait.

Example
    with alone(folder):        a lock of the system; it goes with the process that holds it
        write(folder / "a")
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["alone"]


@contextmanager
def alone(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Waits for other processes that work below the folder, which exists.

    Without `wait` BlockingIOError is raised where there is one.

    Windows, and file systems of networks that have no locks, let all go on at once.
    """
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError) if wait else nullcontext():
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)
