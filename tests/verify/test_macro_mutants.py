"""`check` reports a change of a single token of a macro, wherever it alters a row."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from macro_mutants import ASKED, Mutant, alike, chosen, every, judge, macros
from macro_projects import Target, prepared

#: of each macro in the default suite; the rest is for FILTERSQL_LONG_TESTS, or for the script
_FEW = 2


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Where macros and statements are written."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def targets(folder: Path) -> list[Target]:
    """Targets with every branch of the macros."""
    return prepared(folder)


def judged(mutants: Sequence[Mutant], targets: list[Target], folder: Path) -> dict[Mutant, str]:
    """What comes of mutants."""
    return {mutant: judge(mutant, targets, folder) for mutant in mutants}


def test_a_few_mutants_of_each_macro_are_noticed(
    targets: list[Target], folder: Path, announce: Callable[[str], None]
) -> None:
    """Of those that are not known to change no row, in macros that print a statement."""
    printing = [name for name in macros() if name not in ASKED]
    said = judged(chosen(printing, _FEW, without=alike()), targets, folder)
    noticed = sum(word == "is noticed" for word in said.values())
    announce(f"check noticed {noticed} of {len(said)} mutants of the macros")
    assert [one for one, word in said.items() if word.startswith("survives")] == []
    assert noticed > len(said) / 2


@pytest.mark.long
@pytest.mark.parametrize("macro", macros())
def test_every_mutant_is_noticed_or_changes_no_row(
    macro: str, targets: list[Target], folder: Path
) -> None:
    """And those that are known to change no row are not noticed."""
    said = judged(every(macro), targets, folder)
    survivors = {one.key for one, word in said.items() if word.startswith("survives")}
    assert survivors == {key for key in alike() if key[0] == macro}


def test_mutants_that_change_no_row_are_mutants() -> None:
    """A macro that changed has others."""
    assert {*alike()} <= {one.key for macro in macros() for one in every(macro)}


def test_every_flag_of_the_plans_is_met_both_ways(targets: list[Target]) -> None:
    """On what a macro branches, some target has and some target has not."""
    assert {one.node.compiled.form for one in targets} == {
        *("append", "keyed", "keyed_keeping", "keyed_skipping", "keyed_unchanged"),
        *("keyless", "keyless_skipping"),
    }
    assert {one.node.compiled.truncates for one in targets} == {True, False}
    assert {one.node.compiled.merge_completing_sql is None for one in targets} == {True, False}
    for part in ("unchanged", "'held'", "'left'", "op = 'update' AND"):
        held = [part in one.node.compiled.merge_sql for one in targets]
        assert any(held), part
        assert not all(held), part
