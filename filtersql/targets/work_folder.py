"""The folder in which a piece of work keeps what it stages: `work_folder(engine)`.

Example
    with work_folder(engine, "plan") as folder:         /tmp/filtersql-plan-x1y2z3
        inside = as_open(folder / "ends")

    Of an engine with a folder that it sees as this machine does, the work is done there. Others may
    do in it what that folder allows: the engine may run as another user.
"""

from __future__ import annotations

import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filtersql.targets.model import Engine

__all__ = ["as_open", "work_folder"]


@contextmanager
def work_folder(engine: Engine, name: str = "run") -> Iterator[Path]:
    """A folder that is gone afterwards."""
    where = engine.shared_folder
    if where is not None:
        where.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f"filtersql-{name}-", dir=where, ignore_cleanup_errors=True
    ) as made:
        yield Path(made) if where is None else as_open(Path(made))


def as_open(folder: Path) -> Path:
    """A folder, made where it is not there, as open to others as the one that it is in."""
    folder.mkdir(exist_ok=True)
    folder.chmod(stat.S_IMODE(folder.parent.stat().st_mode))
    return folder
