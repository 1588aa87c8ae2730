"""`check` notices when a file that skips changes skips others, for each form of table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from checked import Mutation, with_conflicts, with_profile
from mutations_skipping import EQUIVALENT_SKIPPING, PGLOGICAL, SKIPPING
from test_check import proofs


@pytest.mark.parametrize(
    ("files", "mutations"),
    [(with_conflicts("skip"), SKIPPING), (with_profile("pglogical"), PGLOGICAL)],
)
def test_what_is_skipped_is_noticed(
    files: Mapping[str, str],
    mutations: Sequence[Mutation],
    tmp_path: Path,
    announce: Callable[[str], None],
) -> None:
    """Of all changes of the files, those that are not noticed are known to change no row."""
    made = proofs(tmp_path / "project", "dev", tmp_path, files)
    survivors = [each for each in mutations if not made.notices(each)]
    noticed = len(mutations) - len(survivors)
    announce(f"check noticed {noticed} of {len(mutations)} mutations of what is skipped")
    tables = {each.table for each in mutations}
    assert {(each.table, each.name) for each in survivors} == {
        one for one in EQUIVALENT_SKIPPING if one[0] in tables
    }
