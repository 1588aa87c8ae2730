"""`status`: how far every target got, since when its definition is in force, when rows leave."""

from __future__ import annotations

from filtersql.api.status import status
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("status")
def command(console: Console) -> int:
    """Show position, lag, conflicts and quarantine of every target, and what is in force.

    "Changes per run" draws how many of its table's changes each of the last 12 runs applied since
    the target was filled, the oldest left. The lowest bar is a run without changes, the highest one
    that had the most.
    """
    return console.answered(status(console))
