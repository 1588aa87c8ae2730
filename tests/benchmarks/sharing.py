"""What 16 subscriptions of one feed cost beside one of them, as whole commands on DuckDB.

    python tests/benchmarks/sharing.py --changes 200000 --subscriptions 16 --rounds 3

Each round is two processes in turn, with new databases: CPU seconds, and how many times as many the
second one takes. Initial MERGEs and the start of Python count.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
from pathlib import Path

from review import called

__all__ = ["main", "write_shared"]


def write_shared(folder: Path, changes: int, subscriptions: int) -> None:
    """A project of one table, a filter for each subscription, and one file of changes."""
    publications = [
        {"name": f"p{each}", "tables": [{"name": "t", "where": f"v > {each} AND s <> 'r{each}'"}]}
        for each in range(subscriptions)
    ]
    subscribed = [
        {"name": f"s{each}", "publications": [f"p{each}"], "changes": {"path": "changes.jsonl"}}
        for each in range(subscriptions)
    ]
    files = {
        "filtersql_project.yml": "{name: shared, version: 1}\n",
        "profiles.yml": "shared: {outputs: {local: {type: duckdb, path: shared.duckdb}}}\n",
        "tables/t.sql": "CREATE TABLE t (id bigint PRIMARY KEY, v int, s text, n numeric(12,2));\n"
        "ALTER TABLE t REPLICA IDENTITY FULL;\n",
        "publications/p.yml": json.dumps({"publications": publications}, indent=1),
        "subscriptions/s.yml": json.dumps({"subscriptions": subscribed}, indent=1),
        "changes.jsonl": "".join(f"{json.dumps(one)}\n" for one in _changes(changes)),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _changes(count: int) -> list[dict[str, object]]:
    chance = random.Random(1)
    rows: dict[int, dict[str, object]] = {}
    found = []
    for seq in range(1, count + 1):
        key = chance.randrange(max(count // 3, 1))
        old = rows.pop(key, None)
        change: dict[str, object] = {"seq": seq, "relation": "public.t", "op": "delete"}
        if old is None or chance.random() < 0.85:
            rows[key] = {"id": key, "v": chance.randrange(100), "s": f"r{chance.randrange(20)}",
                         "n": f"{chance.randrange(10**6) / 100:.2f}"}  # fmt: skip
            change |= {"op": "insert" if old is None else "update", "after": rows[key]}
        found.append(change if old is None else {**change, "before": old})
    return found


def main() -> None:
    """Prints the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=200_000)
    parser.add_argument("--subscriptions", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    seconds: dict[str, list[float]] = {"one": [], "all": []}
    with tempfile.TemporaryDirectory() as name:
        write_shared(Path(name), options.changes, options.subscriptions)
        for _ in range(options.rounds):
            for what, more in (("one", ["--select", "subscription:s0"]), ("all", [])):
                Path(name, "shared.duckdb").unlink(missing_ok=True)
                seconds[what].append(called(Path(name), ["run", "-q", *more])[1])
    one, every = (statistics.median(seconds[what]) for what in ("one", "all"))
    sys.stdout.write(
        f"one subscription {one:.1f} s, {options.subscriptions} of the same feed {every:.1f} s:"
        f" {every / one:.1f} times\n"
    )


if __name__ == "__main__":
    main()
