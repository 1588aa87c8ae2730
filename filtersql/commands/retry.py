"""`retry`: runs again what failed or was skipped in the last run, with that run's flags."""

from __future__ import annotations

import click

from filtersql.api.retry import retry
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("retry")
def command(console: Console) -> int:
    """Run again what failed or was skipped in the last run, with that run's flags.

    Reads target/run_results.json. A flag that is given here comes before the earlier one.
    """
    if console.options.select or console.options.exclude:
        raise click.UsageError("retry takes no --select or --exclude: run_results.json says what.")
    return console.answered(retry(console))
