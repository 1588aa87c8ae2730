"""When a publication was created, by which version and session: what literals depend on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from filtersql.source import DEFAULTS, Session

__all__ = ["Clock"]


@dataclass(frozen=True, slots=True)
class Clock:
    """`created` freezes 'today' and its like (decision 11); None refuses them."""

    created: datetime | None = None
    postgres_version: int = 18
    session: Session = DEFAULTS
