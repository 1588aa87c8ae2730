"""When a publication was created, by which version and session: what literals depend on."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from filtersql.source import DEFAULTS, Session

__all__ = ["Clock"]


class Clock(Struct, frozen=True):
    """`created` freezes 'today' and its like (decision 11); None refuses them."""

    created: datetime | None = None
    postgres_version: int = 18
    session: Session = DEFAULTS
