"""Worlds of all four systems on DuckDB, Delta and Iceberg beside the slow model, by number.

    python tests/support/soak_engines.py --examples 200 --seed 1

draws so many worlds, from a seed, and prints what was tried; a difference is shrunk and printed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from drawn_worlds import worlds
from engine_runs import SPARK, Difference, Stage
from engine_worlds import World
from hypothesis import HealthCheck, given, seed, settings

__all__ = ["TURNS", "agree", "rounds"]

#: who is played in turn: system, whether with a partition tree, and worlds of a round.
#: Hypothesis repeats itself where it is asked for more than ten of a kind.
TURNS = (
    ("postgres", False, 8),
    ("postgres", True, 6),
    ("xdb", None, 4),
    ("pglogical", None, 4),
    ("bdr", None, 4),
)


def agree(
    stage: Stage, kind: tuple[str, bool | None], tables: int, examples: int, number: int
) -> None:
    """The property, for some worlds of a kind. Raises Difference with the smallest world of it."""

    @seed(number)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(worlds(*kind, tables))
    def engines_agree(world: World) -> None:
        stage.play(world)

    engines_agree()


def rounds(stage: Stage, examples: int, first: int, *, tables: int = 2) -> None:
    """So many worlds, in turn of every kind; each round has the next seed. Raises Difference.

    `tables`: how many tables a world has at most.
    """
    number = first
    while examples > 0:
        for profile, tree, most in TURNS:
            if examples > 0:
                agree(stage, (profile, tree), tables, min(most, examples), number)
                examples -= most
        number += 1


def main() -> None:
    """The soak."""
    parser = argparse.ArgumentParser(description="Drawn worlds on three engines and a model.")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--duckdb", action="store_true", help="without Spark")
    asked = parser.parse_args()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="filtersql-worlds-") as folder,
        Stage(Path(folder), spark=() if asked.duckdb else SPARK) as stage,
    ):
        try:
            rounds(stage, asked.examples, asked.seed)
        except Difference as difference:
            print(difference)
            sys.exit(1)
        finally:
            print(f"seed {asked.seed}: {stage.told()}, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
