"""Where the time of a run goes: what `run --verbose` prints at its end.

Example
    ======= ===== ==== =========================================================
    part    s     %    what
    ======= ===== ==== =========================================================
    read    1.2   12   the feed, and the sources of copies
    reduce  2.1   21   the rows of each MERGE: staged, judged, counted
    merge   4.0   40   what is written to the targets, their making included
    commit  0.7   7    the ledger, read and written
    waiting 2.0   20   the engine's start, and what is asked of it before a row is
    ======= ===== ==== =========================================================

    Seconds by the clock, of the run itself: what several sessions do at once counts once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from msgspec import Struct, field

__all__ = ["Part", "Spent"]

Part = Literal["read", "reduce", "merge", "commit"]


class Spent(Struct):
    """The seconds of each part; one within another is the inner one's alone."""

    seconds: dict[str, float] = field(
        default_factory=lambda: {"read": 0.0, "reduce": 0.0, "merge": 0.0, "commit": 0.0}
    )
    inner: float = 0.0

    @contextmanager
    def on(self, part: Part) -> Iterator[None]:
        """Adds the seconds of a block, which the run's own thread carries out, to a part."""
        before, self.inner = self.inner, 0.0
        began = time.perf_counter()
        try:
            yield
        finally:
            took = time.perf_counter() - began
            self.seconds[part] += took - self.inner
            self.inner = before + took

    def told(self, elapsed: float) -> dict[str, float]:
        """All parts, with what is left of the whole time as waiting."""
        return {**self.seconds, "waiting": max(elapsed - sum(self.seconds.values()), 0.0)}
