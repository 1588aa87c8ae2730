"""Who may write a subscription's targets: one run at a time, and the next one when it has died.

Example
    ======= ======== ===== ========== =================================================
    ordinal phase    owner held_until
    ======= ======== ===== ========== =================================================
    7       applying run A 12:02:00   A's first row is its lease: ordinal 7 is taken once
    8       held     run A 12:03:00   a heartbeat: A is alive, whatever its MERGE takes
    9       held     run A –          A's last row gives the lease back
    ======= ======== ===== ========== =================================================

    Where no heartbeat was needed nothing is written at the end: what A intended is marked, so A
    writes no target without a new row of the ledger, and whose that row is, is decided there.

    A run of this machine whose process is gone holds nothing; one of another machine holds its
    lease until it expires. DuckDB needs no lease: its file is open in one process at a time.
"""

from __future__ import annotations

import json
import math
import os
import socket
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from filtersql.errors import Mistakes
from filtersql.errors.applying import AnotherRun
from filtersql.run.ledger_entry import Entry, owner_of

__all__ = ["SECONDS", "Lease", "check_free", "leased"]

#: how long a run that is not heard of any more keeps others away
SECONDS = 120
_BEATS = 2
#: how much of it is over when a run looks before it writes a target
_DOUBT = 0.75
#: phases of the row that ends the commit of a run's intentions
_INTENTIONS = ("copying", "making", "applying", "read")
_living: set[str] = set()


class Lease(Struct):
    """One run's right to write. `owner` says in the ledger who it is."""

    owner: str
    seconds: float
    #: whether the ledger's newest row gives it to this run, and since when (monotonic seconds)
    held: bool = False
    since: float = 0.0
    #: whether the ledger's newest row is an intention of this run, which marks tell to be done
    ends_by_marks: bool = False
    #: held while rows of the ledger are numbered and written, by the run or by its heartbeat
    lock: threading.RLock = field(default_factory=threading.RLock)

    def until(self) -> int:
        """When it ends, unless it is renewed: seconds since 1970."""
        return math.ceil(time.time() + self.seconds)

    def note(self, *, held: bool) -> None:
        """The ledger was written."""
        self.held, self.since = held, time.monotonic()

    @property
    def doubtful(self) -> bool:
        """Whether it may have expired: the process was stopped, or its heartbeats failed."""
        return self.held and time.monotonic() - self.since > self.seconds * _DOUBT

    @property
    def pause(self) -> float:
        """The seconds between two heartbeats."""
        return self.seconds / _BEATS


@contextmanager
def leased() -> Iterator[Lease]:
    """A lease that is not held yet; its owner lives until the block ends."""
    run = uuid.uuid4().hex
    _living.add(run)
    try:
        yield Lease(json.dumps({**_process(os.getpid()), "run": run}), SECONDS)
    finally:
        _living.discard(run)


def check_free(
    subscription: str, newest: Entry | None, mine: str, is_done: Callable[[], bool]
) -> None:
    """Raises Mistakes where another run holds the lease, unless all that it intends is done."""
    if newest is None or newest.held_until is None or newest.owner == mine:
        return
    owner = owner_of(newest)
    if newest.held_until > time.time() and _alive(owner):
        if newest.phase in _INTENTIONS and is_done():
            return
        raise Mistakes([AnotherRun(subscription, owner, newest.held_until)])


def _alive(owner: Mapping[str, object]) -> bool:
    """Whether the owner may still be at work; of another machine's nothing is known."""
    mine = _process(os.getpid())
    if any(owner.get(name) != mine[name] for name in ("host", "place")):
        return True
    pid = owner.get("pid")
    if pid == os.getpid():
        return owner.get("run") in _living
    return isinstance(pid, int) and _process(pid)["started"] == owner.get("started")


def _process(pid: int) -> dict[str, object]:
    """A process: its number means something on one start of one machine, in one container."""
    return {
        "host": socket.gethostname(),
        "place": "/".join(filter(None, (_text("/proc/sys/kernel/random/boot_id"), _namespace()))),
        "pid": pid,
        "started": _started(pid),
    }


def _namespace() -> str | None:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return None


def _started(pid: int) -> str | None:
    """When a process began, as its system counts; None: there is none."""
    if sys.platform == "win32":
        return "running"  # a signal 0 would be Ctrl-C there
    if not Path("/proc/self/stat").exists():
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return None
        except OSError:
            pass
        return "running"
    stat = _text(f"/proc/{pid}/stat")
    if stat is None:
        return None
    # The name of the program stands in brackets and may hold any character.
    state, *numbers = stat.rpartition(")")[2].split()
    return None if state == "Z" else numbers[18]


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
