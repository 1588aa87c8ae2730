"""Pauses until a server that was lost is there again: `Pauses(stops, say)`.

Example
    lost the connection to source "erp": Server closed the connection unexpectedly. Again in 1 s
    could not connect to source "erp": … Connection refused. Again in 2 s
    could not connect to source "erp": … Connection refused. Again in 4 s, and so on up to 30 s
"""

from __future__ import annotations

import time
from collections.abc import Callable

from filtersql.errors.live import Unavailable

__all__ = ["Pauses"]

_FIRST, _LONGEST = 1.0, 30.0
#: seconds between two looks whether it is over
_LOOK = 0.2


class Pauses:
    """Each is twice as long as the one before; `stops` says when nobody waits any more."""

    def __init__(self, stops: Callable[[], bool], say: Callable[[str], None]) -> None:
        self._stops, self._say = stops, say
        self.begin()

    def begin(self) -> None:
        """The server is there: the next pause is short."""
        self._seconds = _FIRST

    def passed(self, lost: Unavailable) -> bool:
        """Say what was lost, and wait; False: it is over."""
        (mistake,) = lost.mistakes
        self._say(f"{mistake.message}: {mistake.detail} Again in {self._seconds:.0f} s")
        until = time.monotonic() + self._seconds
        self._seconds = min(self._seconds * 2, _LONGEST)
        while time.monotonic() < until:
            if self._stops():
                return False
            time.sleep(_LOOK)
        return True
