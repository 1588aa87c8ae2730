"""`python tests/support/mutants.py` tells a broken rule from a sound one."""

from __future__ import annotations

import ast
from pathlib import Path

import mutant_runs
import mutants

from filtersql.publications import truncates

SOURCE = Path(truncates.__file__)


def test_a_broken_rule_fails_a_case_and_a_sound_one_does_not() -> None:
    """The cases that claim a module answer as before, until one of its places is turned."""
    cases = mutants.claiming("publications/truncates")
    lines = mutant_runs.in_child(mutant_runs.lines_run, truncates, cases)  # type: ignore[arg-type]
    assert lines is not None
    assert not lines.startswith("failed")
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    places = mutants.places(tree, {int(line) for line in lines.split()})

    assert cases != []
    assert places != []
    assert any(
        mutant_runs.in_child(mutants.break_and_ask, truncates, each, cases)  # type: ignore[arg-type]
        for each in places
    )
    assert mutant_runs.in_child(mutant_runs.carry_out, cases) is None  # type: ignore[arg-type]


def test_what_is_turned() -> None:
    """Comparisons, AND and OR, NOT, flags and branches of functions; nothing outside of them."""
    tree = ast.parse(
        "A = True\ndef f(a, b):\n    if a == b and not a:\n        return True\n    yield a\n"
    )

    assert [place.what for place in mutants.places(tree, set(range(9)))] == [
        "the branch is the other one",
        "the statement is left out",
        "And is Or",
        "Eq is NotEq",
        "Not is left out",
        "True is False",
    ]
