"""Histories of several tables, cut anywhere, replayed, overlapping: the targets are the model's.

Transactions, key changes, row movement between partitions, TRUNCATE, columns that were not sent,
rows without a key. FILTERSQL_HISTORIES says how many histories (20 without it);
`python tests/support/soak_histories.py --target delta --histories 100` is the soak.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from replaying import Replaying

HISTORIES = int(os.environ.get("FILTERSQL_HISTORIES", "20"))


def test_any_cut_replay_and_overlap_leaves_what_the_model_says() -> None:
    """On DuckDB; after each run every target stands at its position."""
    run_state_machine_as_test(
        Replaying,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=12,
            deadline=None,
            database=None,
            derandomize="FILTERSQL_HISTORIES" not in os.environ,
            suppress_health_check=list(HealthCheck),
        ),
    )
