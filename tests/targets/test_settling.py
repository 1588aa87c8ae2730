"""A statement that an engine refused is tried again only where the mark says that it may be."""

from __future__ import annotations

import pytest

from filtersql.errors import Mistakes
from filtersql.errors.targets import UNREACHABLE, EngineRefused
from filtersql.names import RelationName
from filtersql.targets.marks import Mark, Written
from filtersql.targets.settling import written_once

T = RelationName("public", "t")
BEFORE, MARK, LATER = Mark("s1", T, 1, 5), Mark("s1", T, 1, 9), Mark("s1", T, 1, 12)
REFILLED = Mark("s1", T, 2, None)
DELTA = "[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Files were added to the root of the table"
ICEBERG = "org.apache.iceberg.exceptions.ValidationException: Found conflicting files that can …"
FULL = "No space left on device"


def tried(reasons: list[str], found: Mark | Mistakes | None) -> tuple[object, int]:
    """What came of a statement that is refused for these reasons first; how often it was run."""
    count = 0

    def write() -> Written:
        nonlocal count
        count += 1
        if count <= len(reasons):
            raise Mistakes([EngineRefused("Spark", reasons[count - 1])])
        return Written(inserted=1)

    def committed() -> Mark | None:
        if isinstance(found, Mistakes):
            raise found
        return found

    try:
        return written_once(write, committed, MARK), count
    except Mistakes as refused:
        return refused.mistakes[0].message, count


@pytest.mark.parametrize("conflict", [DELTA, ICEBERG])
@pytest.mark.parametrize("found", [BEFORE, None])
def test_a_commit_that_overtook_it_is_let_by(conflict: str, found: Mark | None) -> None:
    """Nothing of filtersql's came between: the same statement again, but not for ever."""
    assert tried([conflict, conflict], found) == (Written(inserted=1), 3)
    told, count = tried([conflict] * 99, found)
    assert (str(told).startswith("Spark refused a statement"), count) == (True, 5)


@pytest.mark.parametrize("reason", [DELTA, ICEBERG, FULL])
def test_what_was_committed_all_the_same_is_not_run_again(reason: str) -> None:
    """The mark is the statement's own."""
    assert tried([reason], MARK) == (None, 1)


@pytest.mark.parametrize(
    ("reason", "found"), [(DELTA, LATER), (ICEBERG, REFILLED), (FULL, BEFORE), (FULL, None)]
)
def test_anything_else_is_refused(reason: str, found: Mark | None) -> None:
    """Another writer went on, or no commit came between: no second try."""
    told, count = tried([reason], found)
    assert (str(told).startswith("Spark refused a statement"), count) == (True, 1)


def test_a_connection_that_is_gone_is_the_next_runs_to_settle() -> None:
    """The mark cannot be read: the first refusal is what is said."""
    told, count = tried([DELTA], Mistakes([UNREACHABLE(engine="Spark", reason="gone")]))
    assert (str(told).startswith("Spark refused a statement"), count) == (True, 1)
