"""Every `## sentence` of tests/cases/<room>/<rule>.md, carried out from top to bottom."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from answers import Project
from cases import Case, Fence, read, rewrite
from transcripts import normalised

CASES = [case for path in sorted(Path(__file__).parent.glob("*/*.md")) for case in read(path)]


def _identifier(case: Case) -> str:
    return f"{case.path.parent.name}/{case.path.stem}: {case.name}"


@pytest.fixture(scope="module")
def rewritten(request: pytest.FixtureRequest) -> Iterator[dict[Path, dict[Fence, str]] | None]:
    """Where `--update` collects the answers; the files are written when all cases ran."""
    if not request.config.getoption("--update"):
        yield None
        return
    answers: dict[Path, dict[Fence, str]] = defaultdict(dict)
    yield answers
    for path, texts in answers.items():
        rewrite(path, texts)


@pytest.mark.parametrize("case", CASES, ids=_identifier)
def test_case(case: Case, tmp_path: Path, rewritten: dict[Path, dict[Fence, str]] | None) -> None:
    """The program gives the answers that the case holds."""
    project = Project(tmp_path)
    for fence in case.shared:
        assert project.carry_out(fence) is None, f"{case.path}: an answer before the first case"
    asked = 0
    for fence in case.fences:
        given = project.carry_out(fence)
        asked += given is not None
        if given is None or normalised(given) == normalised(fence.text):
            continue
        place = f"{case.path}:{fence.begin}"
        assert rewritten is not None, _difference(place, fence.text, given)
        rewritten[case.path][fence] = given
    assert asked, f"{case.path}:{case.line}: this case asks nothing"


def _difference(place: str, expected: str, given: str) -> str:
    from difflib import unified_diff

    lines = unified_diff(
        normalised(expected).split("\n"), normalised(given).split("\n"), place, "now", lineterm=""
    )
    return "\n".join(lines)
