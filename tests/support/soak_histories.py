"""Many histories on any engine, each from its seed.

    python tests/support/soak_histories.py --target iceberg --histories 100 --seed 1

prints each seed with what was tried; a history that ends with other rows is printed and kept.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from histories import TARGETS, History, write_files
from replaying import Stand

from filtersql.api.loading import load_project
from filtersql.api.options import Options as Flags
from filtersql.api.reporter import Reporter
from filtersql.targets.model import Engine
from filtersql.targets.open import open_engine

__all__ = ["play"]


def play(seed: int, target: str, folder: Path, runs: int) -> Stand:
    """One history in some runs; raises AssertionError where a target is not the model's."""
    chance = random.Random(seed)
    write_files(folder, History(random.Random(seed)), target)
    engine = _engine(folder, target)
    try:
        stand = Stand(random.Random(seed), target, folder, engine)
        for _ in range(runs):
            stand.history.go(chance.randint(1, 12))
            stand.deliver(chance.randint(1, 60), chance.randrange(9))
            if stand.written and chance.random() < 0.3:
                begin = chance.randrange(stand.written)
                again = stand.history.records[begin : min(begin + 9, stand.written)]
                chance.shuffle(again)
                stand.record(again)
            everything = list(TARGETS)
            some = chance.sample(everything, chance.randint(1, 4))
            stand.run(some if chance.random() < 0.4 else everything)
        stand.deliver(len(stand.history.records), 3)
        stand.run(list(TARGETS))
        return stand
    finally:
        engine.close()


def _engine(folder: Path, target: str) -> Engine:
    project = load_project(Reporter(Flags(project_dir=folder, target=target)))
    assert project.output
    return open_engine(project.output, folder)


def main() -> None:
    """The soak."""
    parser = argparse.ArgumentParser(description="Histories of several tables against the model.")
    parser.add_argument("--histories", type=int, default=100)
    parser.add_argument("--runs", type=int, default=4, help="runs of each history")
    parser.add_argument("--target", choices=["duckdb", "delta", "iceberg"], default="duckdb")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    wrong = changes = runs = 0
    began = time.monotonic()
    for seed in range(asked.seed, asked.seed + asked.histories):
        folder = Path(tempfile.mkdtemp(prefix="filtersql-history-"))
        try:
            stand = play(seed, asked.target, folder, asked.runs)
        except AssertionError as error:
            wrong += 1
            print(f"seed {seed}: {error}\n    kept in {folder}", flush=True)
            continue
        shutil.rmtree(folder)
        runs += stand.runs
        changes += len(stand.history.records)
        told = f"{len(stand.history.records)} changes in {stand.runs} runs: equal"
        print(f"seed {seed}: {told}", flush=True)
    seconds = time.monotonic() - began
    print(
        f"{asked.histories} histories on {asked.target}, {changes} changes, {runs} runs, "
        f"{wrong} wrong, {seconds:.0f} s"
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
