"""A small recorded workload (tests/data/shop) on DuckDB: no server, no Spark, half a second.

It was recorded with `python tests/recorders/workload.py --output tests/data/shop --changes 800
--initial 80 --truncates 5 --seed 12`.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from places import DATA
from rows import differences
from transcripts import Shell

SAMPLE = DATA / "shop"


@pytest.mark.parametrize("files_at_once", [1, 2, 4])
def test_sample_leaves_what_the_subscribers_held(files_at_once: int, tmp_path: Path) -> None:
    """However many files a run finds, in the end the rows are PostgreSQL's."""
    project = tmp_path / "shop"
    shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("changes"))
    (project / "changes").mkdir()
    files = sorted((SAMPLE / "changes").iterdir())
    for begin in range(0, len(files), files_at_once):
        for file in files[begin : begin + files_at_once]:
            shutil.copy(file, project / "changes")
        Shell(project).succeed("run", "--target", "duckdb")
    found = differences(project, "duckdb")

    assert not found, "\n".join(found)
