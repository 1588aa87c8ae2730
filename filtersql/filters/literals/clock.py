"""When a publication was created, and by which version: what a literal's meaning depends on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

__all__ = ["Clock"]


@dataclass(frozen=True, slots=True)
class Clock:
    """`created` freezes 'today' and its like (decision 11); None refuses them."""

    created: datetime | None = None
    postgres_version: int = 18
