"""`retry`: runs again what failed, was skipped or waited in the last run."""

from __future__ import annotations

from filtersql.api.retry import retry
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("retry")
def command(console: Console) -> int:
    """Run again what failed, was skipped or waited in the last run, with that run's flags.

    Reads target/run_results.json. A flag that is given here comes before the earlier one. With
    --select or --exclude those targets are run, whatever the last run was.
    """
    return console.answered(retry(console))
