"""Markdown cases whose rows are asked of Spark, too: Delta and Iceberg in turn, one session."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from answers import Project
from cases import Case, Fence
from rows import rows_of
from small_spark import LAKES
from test_cases import CASES

pytestmark = pytest.mark.spark

_FILES = ("transitions", "truncate")
_LONG = ("truncate",)
_OUTPUTS = ("delta", "iceberg")
_CHOSEN = [
    case
    for case in CASES
    if case.path.parent.name == "changes" and case.path.stem in _FILES
    if any(fence.words[:1] == ("rows",) for fence in case.fences)
]


def expected(fence: Fence) -> Counter:
    """The rows that the case shows, each as its named texts."""
    lines = [[cell.strip() for cell in line.split("|")] for line in fence.text.strip().split("\n")]
    return Counter(tuple(sorted(zip(lines[0], row, strict=True))) for row in lines[1:])


@pytest.mark.parametrize(
    ("case", "output"),
    [
        pytest.param(
            case, _OUTPUTS[place % 2], marks=pytest.mark.long if case.path.stem in _LONG else ()
        )
        for place, case in enumerate(_CHOSEN)
    ],
    ids=[f"{case.path.stem}: {case.name}" for case in _CHOSEN],
)
def test_spark_leaves_the_rows_of_the_case(
    case: Case, output: str, tmp_path: Path, spark: object
) -> None:
    """What the case shows for DuckDB is what Spark leaves."""
    project = Project(tmp_path)
    (tmp_path / "profiles.yml").write_text(f"cases:\n  target: delta\n  outputs:\n{LAKES}")
    asked = 0
    for fence in (*case.shared, *case.fences):
        if fence.words[:1] != ("rows",):
            assert project.carry_out(fence) is None, "an answer that this test does not know"
            continue
        project.succeed("run", "--target", output)
        held = rows_of(tmp_path, output)[fence.words[1], fence.words[2]]
        assert held == expected(fence), f"{case.path}:{fence.begin}"
        asked += 1

    assert asked
