"""The folder in which a piece of work keeps what it stages: `work_folder(engine)`.

Example
    with work_folder(engine, "plan") as folder:         /tmp/filtersql-plan-x1y2z3
        inside = as_open(folder / "ends")               (feeds.staging)

    Of an engine with a folder that it sees as this machine does, the work is done there. Others may
    do in it what that folder allows: the engine may run as another user.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filtersql.feeds.staged_files import as_open
from filtersql.targets.model import Engine

__all__ = ["work_folder"]


@contextmanager
def work_folder(engine: Engine, name: str = "run") -> Iterator[Path]:
    """A folder that is gone afterwards."""
    where = None if engine.cluster is None else engine.cluster.folder
    if where is None:
        with tempfile.TemporaryDirectory(
            prefix=f"filtersql-{name}-", ignore_cleanup_errors=True
        ) as made:
            yield Path(made)
        return
    where.mkdir(parents=True, exist_ok=True)
    folder = as_open(where / f"filtersql-{name}-{uuid.uuid4().hex}")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
