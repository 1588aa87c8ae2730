"""The ledger as a run of many subscriptions knows it: read once, and again when that is long ago.

Example
    100 subscriptions without a change: one query

    What another process writes meanwhile is not seen, and nothing is lost by that: a subscription's
    next number is given once, so who knows too little is told so before it writes a target.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from filtersql.run import ledger
from filtersql.run.ledger import Ledger
from filtersql.targets.model import Engine

__all__ = ["LedgerCache"]

_SECONDS = 30.0


@dataclass(slots=True)
class LedgerCache:
    """What was read last. A subscription that comes again, as after a refusal, is read anew."""

    known: Ledger | None = None
    at: float = 0.0
    asked: set[str] = field(default_factory=set)
    #: the last number that this run gave
    ordinal: int = 0
    made: bool = False

    def read(self, engine: Engine, schema: str, subscription: str) -> Ledger:
        """The ledger for a subscription. Raises Mistakes."""
        old = time.monotonic() - self.at > _SECONDS
        if self.known is None or old or subscription in self.asked:
            self.known, self.at = ledger.read(engine, schema), time.monotonic()
        self.asked.add(subscription)
        ordinal = max(self.known.ordinal, self.ordinal)
        return replace(self.known, ordinal=ordinal, made=self.known.made or self.made)

    def wrote(self, ordinal: int) -> None:
        """Rows up to a number were written."""
        self.ordinal, self.made = ordinal, True
