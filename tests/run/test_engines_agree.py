"""Drawn definitions and histories of all four systems: the targets hold what the slow model says.

Overlapping publications, actions, column lists, partition trees, each system's semantics; rows and
changes, cut into runs. `python tests/support/soak_engines.py --examples 200 --seed 1` is the soak,
which also asks that Delta and Iceberg hold DuckDB's rows.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_runs import Difference, Stage
from places import HOME
from soak_engines import rounds


def test_duckdb_holds_what_the_model_says(tmp_path: Path) -> None:
    """After each run of 26 worlds; a run stops for the model's reason and no other."""
    with Stage(tmp_path, spark=()) as alone:
        rounds(alone, 26, 3)
        assert alone.played >= 26
        assert {"ended", "stopped", "refused"} <= {*alone.tried}


@pytest.mark.spark
@pytest.mark.parametrize("lake", ["delta", pytest.param("iceberg", marks=pytest.mark.long)])
def test_a_lake_holds_what_duckdb_holds(
    lake: str, tmp_path: Path, spark: object, announce: Callable[[str], None]
) -> None:
    """After each run of worlds of every kind; they end with the same words and counts.

    A world has a table or a tree: in one Spark a target more costs as much as a world.
    """
    with Stage(tmp_path, spark=(lake,)) as every:
        rounds(every, 26, 5, tables=1)
        assert every.played >= 26
        assert {"ended", "refused"} <= {*every.tried}
        announce(every.told())


@pytest.mark.long
def test_a_fault_in_a_macro_is_found_and_printed_as_a_few_rows(tmp_path: Path) -> None:
    """A MERGE that deletes what is to stay: shrunk to a change or two of one table."""
    macros = shutil.copytree(HOME / "macros", tmp_path / "macros")
    merge = macros / "merge.sql"
    right, wrong = "s.{{ plan.effect }} = 'delete'", "s.{{ plan.effect }} <> 'delete'"
    text = merge.read_text(encoding="utf-8")
    assert text.count(right) == 1
    merge.write_text(text.replace(right, wrong), encoding="utf-8")
    with Stage(tmp_path, spark=(), macros=macros) as alone, pytest.raises(Difference) as found:
        rounds(alone, 26, 1)
    printed = str(found.value)
    assert printed.count("CREATE TABLE") == 1
    assert len(re.findall(r'"op": ', printed)) <= 2
