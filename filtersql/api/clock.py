"""`--as-of TIMESTAMP`: the clock of a run, in place of the time of day.

Example
    >>> print(moment_of("2026-11-26"), "|", moment_of("2026-11-26 01:00+02:00"))
    2026-11-26 00:00:00 | 2026-11-25 23:00:00
"""

from __future__ import annotations

from datetime import UTC, datetime

from filtersql.api.options import WrongUsage

__all__ = ["moment_of"]


def moment_of(text: str) -> datetime:
    """The time in UTC, without a zone; a text without one is UTC. Raises WrongUsage."""
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        raise WrongUsage(
            f"--as-of: {text!r} is no time, such as 2026-11-26 or 2026-11-26T10:00:00Z."
        ) from None
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
