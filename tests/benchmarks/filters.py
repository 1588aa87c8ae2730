"""What an ordinary row filter costs once warm, and what PostgreSQL's catalog tables cost once.

    python tests/benchmarks/filters.py [--rounds 9]

Ten filters of the kinds that most tables have (=, <, IN, AND, OR, LIKE, IS NULL, BETWEEN, dates,
numerics) are resolved, translated and printed again and again. Milliseconds of CPU time for one
filter, the least of all rounds. The goals: 0.3 ms to resolve and translate, 30 ms and 15 MB to load
the tables. The last line is the speed of the machine: the goals were set where it is 2 s.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable

from sqlglot import exp

from filtersql.catalog import Column, PgType, Table
from filtersql.filters import resolve, write
from filtersql.filters.facts import facts
from filtersql.names import RelationName
from filtersql.pgtypes import typmod
from filtersql.source import Passage, Source
from filtersql.storage import Engine

FILTERS = [
    "a > 5 AND c = 'NSW'",
    "c IN ('a', 'b', 'c')",
    "a = 1 OR b < 10",
    "v LIKE 'ab%'",
    "b IS NULL",
    "d >= '2024-01-01' AND d < '2025-01-01'",
    "n > 10.5",
    "x AND NOT a = b",
    "a BETWEEN 1 AND 10",
    "ts > '2024-01-01 00:00:00' AND v <> 'x'",
]
_COLUMNS = {"a": "int4", "b": "int4", "c": "text", "d": "date", "n": "numeric", "v": "varchar",
            "x": "bool", "ts": "timestamp"}  # fmt: skip
_TYPMODS = {"n": typmod("numeric", [10, 2], None), "v": typmod("varchar", [20], None)}
_TIMES = 20


def table() -> Table:
    """The table of the filters."""
    span = Source("t.sql", "t").span(0, 1)
    columns = tuple(
        Column(name, PgType(kind, _TYPMODS.get(name, -1)), span) for name, kind in _COLUMNS.items()
    )
    return Table(RelationName("public", "t"), columns, span)


def least(rounds: int, work: Callable[[], object]) -> float:
    """Milliseconds of CPU time for one filter."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(_TIMES):
            work()
        found.append((time.process_time() - start) / _TIMES / len(FILTERS) * 1000)
    return min(found)


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9, help="of which the least counts")
    rounds = parser.parse_args().rounds
    facts.cache_clear()
    start = time.process_time()
    facts()
    print(f"tables loaded    {(time.process_time() - start) * 1000:7.1f} ms")
    facts.cache_clear()
    tracemalloc.start()
    facts()
    print(f"tables held      {tracemalloc.get_traced_memory()[1] / 1e6:7.1f} MB")
    tracemalloc.stop()

    known, passages = table(), [Passage(text, Source("f", text)) for text in FILTERS]
    filters = [resolve(passage, known) for passage in passages]
    resolving = least(rounds, lambda: [resolve(passage, known) for passage in passages])
    print(f"resolve          {resolving:7.3f} ms")
    engines: tuple[Engine, ...] = ("spark", "duckdb")
    for engine in engines:
        trees = [write(one, engine, exp.column) for one in filters]
        writing = least(rounds, lambda e=engine: [write(one, e, exp.column) for one in filters])  # type: ignore[misc]
        printing = least(rounds, lambda e=engine, t=trees: [one.sql(dialect=e) for one in t])  # type: ignore[misc]
        print(f"{engine:7} translate{writing:7.3f} ms, print {printing:.3f} ms, "
              f"resolve and translate {resolving + writing:.3f} ms")  # fmt: skip
    start, total = time.process_time(), 0
    for number in range(20_000_000):
        total += number * number % 7
    print(f"this machine     {time.process_time() - start:7.1f} s")


if __name__ == "__main__":
    main()
