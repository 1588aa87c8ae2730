"""Runs killed around each of their commits, many in a second: the protocol of ledger and marks.

    python tests/support/soak_commits.py --histories 200 --seed 1

DuckDB commits table by table here, as Delta and Iceberg do, and dies before or after a commit;
killed runs may be of some tables only. tests/support/crashes.py kills processes on the engines.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from histories import TARGETS
from one_by_one import Killed, OneByOne
from replaying import Stand

from filtersql.run import Options, run
from filtersql.targets.duckdb_file import connect

__all__ = ["Tried", "play"]


@dataclass
class Tried:
    """What happened in all histories."""

    kills: int = 0
    runs: int = 0


def play(seed: int, folder: Path, tried: Tried) -> None:
    """One history in some runs. Raises AssertionError where a target is not the model's."""
    chance = random.Random(seed)
    memory = connect(None)
    try:
        stand = Stand(random.Random(seed), "duckdb", folder, OneByOne(memory.connection))
        for _ in range(chance.randint(2, 5)):
            stand.history.go(chance.randint(1, 6))
            stand.deliver(chance.randint(1, 30), chance.randrange(5))
            for _ in range(chance.choice((0, 1, 1, 2, 3))):
                some = [name for name in TARGETS if chance.random() < 0.8]
                names = some or [chance.choice(list(TARGETS))]
                chosen = [table for table in stand.tables if table.relation.name in names]
                dying = OneByOne(memory.connection, chance.randint(1, 7), chance.random() < 0.5)
                tried.runs += 1
                with suppress(Killed):
                    assert run(stand.inputs, {"s1": chosen}, dying, Options()).mistakes == ()
                    tried.kills -= 1
                tried.kills += 1
                if chance.random() < 0.5:
                    stand.history.go(1)
                    stand.deliver(chance.randint(1, 9), chance.randrange(5))
            stand.engine = OneByOne(memory.connection)
            some = chance.sample(list(TARGETS), chance.randint(1, 4))
            stand.run(some if chance.random() < 0.3 else list(TARGETS))
            tried.runs += 1
        stand.deliver(len(stand.history.records), 3)
        stand.run(list(TARGETS))
    finally:
        memory.close()


def main() -> None:
    """The soak."""
    parser = argparse.ArgumentParser(description="Kills around commits, against the model.")
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tried, wrong, began = Tried(), 0, time.monotonic()
    for seed in range(asked.seed, asked.seed + asked.histories):
        folder = Path(tempfile.mkdtemp(prefix="filtersql-commits-"))
        try:
            play(seed, folder, tried)
        except AssertionError as error:
            wrong += 1
            print(f"seed {seed}: {error}", flush=True)
        finally:
            shutil.rmtree(folder)
    print(
        f"{asked.histories} histories, {tried.runs} runs, {tried.kills} kills, {wrong} wrong, "
        f"{time.monotonic() - began:.0f} s"
    )
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
