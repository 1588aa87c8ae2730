"""Captures and runs that are killed while pgbench and other clients write: nothing is lost."""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from live_processes import Process, Writers
from live_projects import DDL, FILTERS, LiveProject
from own_servers import NEEDS_POSTGRES_15, own_server
from servers import RELEASES, Server, serve

pytestmark = NEEDS_POSTGRES_15
_PGBENCH = "/usr/lib/postgresql/15/bin/pgbench"
#: transactions a second, so that a run has an end
_RATE = 300
_BENCH = """
CREATE TABLE pgbench_accounts (aid int PRIMARY KEY, bid int, abalance int, filler char(84));
ALTER TABLE pgbench_accounts REPLICA IDENTITY FULL;
CREATE TABLE pgbench_branches (bid int PRIMARY KEY, bbalance int, filler char(88));
CREATE TABLE pgbench_tellers (tid int PRIMARY KEY, bid int, tbalance int, filler char(84));
CREATE TABLE pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp,
    filler char(22), id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
"""
_PUBLICATION = """
publications:
  - {name: b, tables: [{name: pgbench_accounts, where: abalance > 0}, pgbench_branches,
                       {name: pgbench_tellers, where: tid % 2 = 0},
                       {name: pgbench_history, where: id % 3 = 0}]}
"""


class Benched(LiveProject):
    """A project with pgbench's tables, too."""

    filters: ClassVar[Mapping[str, str]] = {
        **FILTERS,
        "pgbench_accounts": "SELECT * FROM pgbench_accounts WHERE abalance > 0",
        "pgbench_branches": "SELECT * FROM pgbench_branches",
        "pgbench_tellers": "SELECT * FROM pgbench_tellers WHERE tid % 2 = 0",
        "pgbench_history": "SELECT * FROM pgbench_history WHERE id % 3 = 0",
    }

    def bench(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Pgbench on its source."""
        command = [_PGBENCH, "-n", *arguments, self.server.url(self.database)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @contextmanager
    def benched(self) -> Iterator[None]:
        """Meanwhile its eight clients write."""
        with self.bench("-c", "8", "-T", "3600", "-R", str(_RATE)) as running:
            try:
                yield
                assert running.poll() is None
            finally:
                running.terminate()


def killed_at_random(folder: Path, server: Server, kills: int, seed: int) -> tuple[int, int]:
    """Kill captures and runs while clients write; how many transactions there were of each kind."""
    project = Benched.made(folder, server, DDL + _BENCH)
    assert project.bench("-i", "-I", "g").wait() == 0
    project.write("publications/b.yml", _PUBLICATION)
    written = (folder / "subscriptions/s.yml").read_text()
    project.write("subscriptions/s.yml", written.replace("[p, root]", "[p, root, b]"))
    project.capture("--create")
    chance = random.Random(seed)
    with project.benched(), Writers(project, 4, seed) as writers:
        for _ in range(kills):
            with (
                Process(project, "capture", "erp") as capture,
                Process(project, "run", "-q") as run,
            ):
                time.sleep(chance.uniform(0.5, 4.0))
                run.kill()
                capture.kill()
    project.brought_up_to_date()
    ((benched,),) = project.rows("SELECT count(*) FROM pgbench_history")
    project.drop()
    return writers.committed, benched


def test_killed_while_clients_write(tmp_path: Path) -> None:
    """Nothing is lost, nothing comes twice, whenever either process ends."""
    with own_server() as own:
        committed, benched = killed_at_random(tmp_path, own.server, 4, 30)
    assert min(committed, benched) > 50


@pytest.mark.long
@pytest.mark.parametrize("version", [15, *RELEASES])
def test_killed_fifty_times(
    tmp_path: Path, postgres: Server, version: int, announce: Callable[[str], None]
) -> None:
    """The same, for long, on each version."""
    with ExitStack() as stack:
        if version == 15:
            server = stack.enter_context(own_server()).server
        else:
            server = postgres if version == 18 else stack.enter_context(serve(version))
        committed, benched = killed_at_random(tmp_path, server, 50, version)
    announce(
        f"50 kills on PostgreSQL {version}: {committed:,} transactions of writers,"
        f" {benched:,} of pgbench"
    )
    assert min(committed, benched) > 500
