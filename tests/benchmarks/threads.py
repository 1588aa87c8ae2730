"""How much faster a run of many small tables is with several threads, on a Thrift server.

    python tests/benchmarks/threads.py [--tables 50] [--threads 4] [--format iceberg]
        [--warm 0] [--rounds 2] [--memory 4g]

One server, one process; batches with one thread and with several take turns, so that what else the
machine does meets both. Printed is the seconds of each batch, and the ratio of the least of each.
A server that has just started compiles itself beside the statements, on the core that one thread
leaves free: `--warm` batches go before, so that it is as a server that has run for a while (six are
needed: the compiler then takes a tenth of a core). `--memory` is the server's heap.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from running import SPAN, World, insert, table
from spark_server import SparkServer, serving

from filtersql.run import Options, run
from filtersql.targets.open import open_engine

_CHANGES = 5


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--tables", type=int, default=50)
    asked.add_argument("--threads", type=int, default=4)
    asked.add_argument("--warm", type=int, default=0)
    asked.add_argument("--rounds", type=int, default=2)
    asked.add_argument("--memory", default="4g")
    asked.add_argument("--format", default="iceberg", choices=["delta", "iceberg"])
    said = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "server").mkdir()
        conf = {"spark.driver.memory": said.memory}
        with serving(Path(folder) / "server", {"binary": {}}, conf=conf) as server:
            measure(said, Path(folder), server)


def measure(said: argparse.Namespace, folder: Path, server: SparkServer) -> None:
    """Batches in turns, after one that makes the tables."""
    catalog = "lake" if said.format == "iceberg" else None
    world = World(folder, "spark", catalog)
    for number in range(said.tables):
        world.publish(table(f"t{number}", a="int4!", b="text"), where="{p}a > 5")
    settings = {"host": "127.0.0.1", "port": server.ports["binary"]}
    output = SimpleNamespace(type="spark", method="thrift", format=said.format, catalog=catalog,
                             threads=None, settings=settings, span=SPAN)  # fmt: skip
    engine = open_engine(output, folder)
    seqs, least = count(1), {1: float("inf"), said.threads: float("inf")}

    def batch(threads: int) -> float:
        changes = [
            {"seq": (seq := next(seqs)), **insert(f"t{number}", a=seq, b="x")}
            for number in range(said.tables)
            for _ in range(_CHANGES)
        ]
        world.feed(changes, name=f"{changes[0]['seq']:09}")
        began = time.perf_counter()
        result = run(world.inputs(), {"s1": world.compiled()}, engine, Options(threads=threads))
        assert result.mistakes == (), result.mistakes
        return time.perf_counter() - began

    print(f"tables made: {batch(said.threads):.1f} s")
    for _ in range(said.warm):
        print(f"warming: {batch(said.threads):.1f} s", flush=True)
    for _ in range(said.rounds):
        for threads in least:
            seconds = batch(threads)
            least[threads] = min(least[threads], seconds)
            print(f"{said.tables} tables, {threads} threads: {seconds:.1f} s", flush=True)
    print(f"ratio: {least[1] / least[said.threads]:.2f}")
    engine.close()


if __name__ == "__main__":
    main()
