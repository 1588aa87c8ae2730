"""`ls`: what is defined, one node a line."""

from __future__ import annotations

from filtersql.api.ls import ls
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("ls", ("text", "json", "dbt"))
def command(console: Console) -> int:
    """List publications, tables, subscriptions and targets; each line is a selector.

    With --format dbt the targets are sources of a dbt project, for its models/sources.yml.
    """
    if console.options.format != "dbt":
        return console.answered(ls(console))
    from filtersql.api import listing

    console.result(listing.sources(console).rstrip("\n"))
    return 0
