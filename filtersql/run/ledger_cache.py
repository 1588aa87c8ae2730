"""The ledger as a run of many subscriptions knows it: read once, and again when that is long ago.

Example
    100 subscriptions without a change: one query

    What another process writes meanwhile is not seen, and nothing is lost by that: a subscription's
    next number is given once, so a run that knows too little is refused before it writes a target.
"""

from __future__ import annotations

import time

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.run import ledger
from filtersql.run.ledger import Ledger
from filtersql.targets.model import Engine

__all__ = ["LedgerCache"]

_SECONDS = 30.0


class LedgerCache(Struct):
    """What was read last. A subscription that comes again, as after a refusal, is read anew."""

    known: Ledger | None = None
    at: float = 0.0
    asked: set[str] = field(default_factory=set)
    #: how many rows this run has written since
    written: int = 0
    #: whether there is a ledger
    made: bool = False

    def read(self, engine: Engine, schema: str, subscription: str) -> Ledger:
        """The ledger for a subscription. Raises Mistakes."""
        old = time.monotonic() - self.at > _SECONDS
        if self.known is None or old or subscription in self.asked:
            self.known, self.at, self.written = ledger.read(engine, schema), time.monotonic(), 0
        self.asked.add(subscription)
        rows = self.known.rows + self.written
        self.made = self.made or self.known.made
        return replace(self.known, rows=rows, made=self.made)

    def forget(self) -> None:
        """What was written was undone."""
        self.known, self.written, self.made = None, 0, False

    def wrote(self, rows: int) -> None:
        """So many rows were written."""
        self.written, self.made = self.written + rows, True
