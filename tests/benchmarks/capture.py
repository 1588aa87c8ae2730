"""What it costs to capture: beside pg_recvlogical with the same slot's changes, and psql's copy.

    python tests/benchmarks/capture.py [CHANGES]

Debian's PostgreSQL 15 on this machine. Seconds by the clock and of this side's CPU; each pair in
turn, three times, medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from live_projects import LiveProject
from own_servers import own_server

_BIN = Path("/usr/lib/postgresql/15/bin")
_TIMES = 3
NARROW = "id int PRIMARY KEY, region text, status text, total numeric(10,2), at timestamp"
_WIDE = ", ".join(f"t{n} text, n{n} int" for n in range(6))
WIDE = f"id int PRIMARY KEY, region text, {_WIDE}"
_FILL = """
CREATE PROCEDURE fill(n int, per int) LANGUAGE plpgsql AS $$ BEGIN
    FOR i IN 0 .. n / per / 2 - 1 LOOP
        INSERT INTO orders SELECT g, 'eu', 'paid', g / 100.0, '2026-01-01'::timestamp
            + g * interval '1 s' FROM generate_series(i * per + 1, (i + 1) * per) g;
        COMMIT;
        UPDATE orders SET status = 'packed' WHERE id BETWEEN i * per + 1 AND (i + 1) * per;
        COMMIT;
    END LOOP;
END $$
"""


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of the CPU of processes that were started."""
    cpu, clock = os.times(), time.perf_counter()
    call()
    clock, after = time.perf_counter() - clock, os.times()
    return clock, after.children_user + after.children_system - (
        cpu.children_user + cpu.children_system
    )


def called(*command: str | Path, folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def capture(project: LiveProject, *flags: str) -> None:
    called(
        sys.executable, "-m", "filtersql", "capture", "erp", "--until-current", "-q", *flags,
        folder=project.folder,
    )  # fmt: skip


def changes(project: LiveProject, count: int, per: int) -> tuple[float, float]:
    """Changes of five columns, half of them updates by key, in transactions of so many."""
    url = project.server.url(project.database)
    project.sql("SELECT pg_create_logical_replication_slot('beside', 'pgoutput')")
    written, _ = timed(lambda: project.sql("TRUNCATE orders", f"CALL fill({count}, {per})"))
    ours = timed(lambda: capture(project))
    ((end,),) = project.rows("SELECT pg_current_wal_lsn()::text")
    options = ("-o", "proto_version=1", "-o", f"publication_names={project.slot}")
    theirs = timed(
        lambda: called(
            _BIN / "pg_recvlogical", "-d", url, "--slot", "beside", "--start", *options,
            "-f", "changes", "-E", end, "--no-loop", folder=project.folder,
        )
    )  # fmt: skip
    project.sql("SELECT pg_drop_replication_slot('beside')")
    print(
        f"changes: {count / ours[0]:,.0f} a second, {count / ours[1]:,.0f} a second of CPU,"
        f" written at {count / written:,.0f} a second by one client"
    )
    return ours[0], theirs[0]


def copies(project: LiveProject) -> tuple[float, float]:
    """The rows of a table, in the copy of a capture, and in psql's."""
    url = project.server.url(project.database)
    start = timed(lambda: capture(project))
    ours = timed(lambda: capture(project, "--rows", "orders"))
    theirs = timed(
        lambda: called(_BIN / "psql", url, "-c", "\\copy orders to copied", folder=project.folder)
    )
    return ours[0] - start[0], theirs[0]


def main(count: int) -> None:
    """Print all of it."""
    at = "'2026-01-01'::timestamp + g * interval '1 s'"
    texts = ", ".join(f"md5((g + {n})::text), g * {n}" for n in range(6))
    for title, columns, values, rows in (
        ("five columns", NARROW, f"'paid', g / 100.0, {at}", count * 5),
        ("fourteen columns", WIDE, texts, count * 2),
    ):
        with tempfile.TemporaryDirectory() as folder, own_server() as server:
            ddl = f"CREATE TABLE orders ({columns});"
            project = LiveProject.made(Path(folder), server.server, ddl)
            project.write(
                "publications/p.yml",
                "publications: [{name: p, tables: [{name: orders, where: id % 2 = 0}]}]",
            )
            project.write(
                "subscriptions/s.yml",
                "subscriptions: [{name: s, publications: [p], source: {postgres: erp},"
                " changes: {postgres: erp}}]",
            )
            project.sql(
                f"INSERT INTO orders SELECT g, 'eu', {values} FROM generate_series(1, {rows}) g",
                "VACUUM ANALYZE orders",
            )
            capture(project, "--create")
            pairs = [copies(project) for _ in range(_TIMES)]
            told(f"copy of {rows:,} rows of {title} beside psql's", pairs)
            if columns == NARROW:
                project.sql(_FILL)
                for some, per in ((count, 1000), (count, 100), (count // 2, 10), (count // 5, 1)):
                    pairs = [changes(project, some, per) for _ in range(_TIMES)]
                    told(f"capture of transactions of {per} beside pg_recvlogical", pairs)


def told(what: str, pairs: list[tuple[float, float]]) -> None:
    ours, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{what}: {ours:.2f} s and {theirs:.2f} s, {theirs / ours:.2f} of its speed")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
