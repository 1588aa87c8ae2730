"""xDB, pglogical and BDR as their manuals say: a slow model of the pages beside what `run` leaves.

Random tables with filters, sets of any actions, switches turned, a source that is copied and a
feed with changed keys, NULLs and TRUNCATEs of several tables. The model is `manual_model`.
FILTERSQL_MANUAL_WORLDS says how many (4 without it); FILTERSQL_MANUAL_SEED where to begin.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from pathlib import Path

from answers import Project
from manual_worlds import World
from rows import Row, rows_of

NUMBER = int(os.environ.get("FILTERSQL_MANUAL_WORLDS", "4"))
FIRST = int(os.environ.get("FILTERSQL_MANUAL_SEED", "1"))


def test_run_leaves_what_the_manual_says(tmp_path: Path) -> None:
    """Every target, row by row; where the target has a row already and may not, the run stops."""
    for seed in range(FIRST, FIRST + NUMBER):
        world = World(random.Random(seed))
        project = Project(tmp_path / str(seed))
        for name, text in world.files.items():
            project.write(name, text)
        ended = project.shell.filtersql("run")
        said = f"FILTERSQL_MANUAL_SEED={seed}\n{world.files}\n{ended.stderr}"
        assert ended.exit_code == int(world.stops), said
        assert held(project.folder) == expected(world), said


def held(folder: Path) -> dict[str, Counter[Row]]:
    """The rows of every target."""
    return {relation: rows for (_, relation), rows in rows_of(folder, "dev").items()}


def expected(world: World) -> dict[str, Counter[Row]]:
    """The model's rows, printed as those of a target."""
    return {
        relation: Counter(
            tuple(sorted((name, "NULL" if one is None else str(one)) for name, one in row.items()))
            for row in rows
        )
        for relation, rows in world.expected.items()
    }
