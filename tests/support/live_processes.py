"""Processes that capture and run, and clients that write meanwhile, for tests.

with Writers(project, clients=4, seed=1), Process(project, "capture", "erp") as capture:
    wait_for(lambda: len(project.changes) > 2)
    capture.kill()
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
from live_projects import LiveProject

__all__ = ["Process", "Writers", "wait_for", "watched"]


def wait_for(condition: Callable[[], bool]) -> None:
    """Until something is so."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


class Process:
    """`filtersql …` as a process of its own."""

    def __init__(
        self, project: LiveProject, *arguments: str, limited: Callable[[], None] | None = None
    ) -> None:
        self.project = project
        self.process = subprocess.Popen(
            [sys.executable, "-m", "filtersql", *arguments],
            cwd=project.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=limited,
        )  # fmt: skip

    def ended(self, seconds: float = 60) -> tuple[int, str]:
        """Its exit code and what it said."""
        said, _ = self.process.communicate(timeout=seconds)
        return self.process.returncode, said

    def stopped(self) -> tuple[int, str]:
        """The same, after a signal to end."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def begins(self) -> None:
        """Wait until the server sends to this capture."""
        active = f"SELECT active FROM pg_replication_slots WHERE slot_name = '{self.project.slot}'"
        wait_for(lambda: self.project.rows(active) == [(True,)])

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.kill()


class Writers:
    """Clients that change rows until they are told to stop; a server may go away meanwhile."""

    def __init__(self, project: LiveProject, clients: int, seed: int) -> None:
        self.project, self.stopping, self.committed = project, threading.Event(), 0
        chances = [random.Random(seed * 100 + number) for number in range(clients)]
        self.threads = [threading.Thread(target=self._write, args=[one]) for one in chances]

    def _write(self, chance: random.Random) -> None:
        while not self.stopping.is_set():
            try:
                with self.project.server.connect(self.project.database) as connection:
                    while not self.stopping.is_set():
                        with connection.transaction():
                            for _ in range(chance.randint(1, 5)):
                                connection.execute(self._statement(chance))
                        self.committed += 1
            except psycopg.Error:
                time.sleep(0.05)

    def _statement(self, chance: random.Random) -> str:
        key, other = chance.randrange(1000), chance.randrange(1000)
        region, status = chance.choice(["eu", "us"]), chance.choice(["paid", "cart"])
        return chance.choice(
            [
                f"INSERT INTO orders VALUES ({key}, '{region}', '{status}', {other}, '')"
                f" ON CONFLICT (id) DO UPDATE SET region = '{region}', status = '{status}'",
                f"UPDATE orders SET region = '{region}' WHERE id BETWEEN {key} AND {key + 9}",
                f"DELETE FROM orders WHERE id = {key}",
                f"INSERT INTO items VALUES ({key}, 'k', 'n') ON CONFLICT DO NOTHING",
                f"UPDATE items SET id = {other} WHERE id = {key}"
                f" AND NOT EXISTS (SELECT FROM items WHERE id = {other})",
                f"DELETE FROM items WHERE id = {key}",
                f"INSERT INTO events VALUES ({key % 2 + 1}, {key}, {other})"
                f" ON CONFLICT (k, id) DO UPDATE SET n = {other}",
                f"UPDATE events SET k = 3 - k WHERE id = {key} AND NOT EXISTS"
                f" (SELECT FROM events e WHERE e.id = {key} AND e.k <> events.k)",
            ]
        )

    def __enter__(self) -> Writers:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()


def watched(process: Process) -> tuple[int, str]:
    """The most memory of a process that must end well, in MB, and what it said."""
    most = 0
    while process.process.poll() is None:
        most = max(most, _resident(process.process.pid))
        time.sleep(0.1)
    code, said = process.ended()
    assert code == 0, said
    return most // 1024, said


def _resident(process: int) -> int:
    """The most memory that a process had at once so far, in KB; 0: it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0
