"""Drawn definitions and histories of all four systems: the targets hold what the slow model says.

Overlapping publications, actions, column lists, partition trees, each system's semantics; rows and
changes, cut into runs. `python tests/support/soak_engines.py --examples 200 --seed 1` is the soak,
which also asks that Delta and Iceberg hold DuckDB's rows.
"""

from __future__ import annotations

from pathlib import Path

from engine_runs import Stage
from soak_engines import rounds


def test_duckdb_holds_what_the_model_says(tmp_path: Path) -> None:
    """After each run of 26 worlds; a run stops for the model's reason and no other."""
    with Stage(tmp_path, spark=()) as alone:
        rounds(alone, 26, 1)
        assert alone.played >= 26
        assert {"ended", "stopped"} <= {*alone.tried}
