"""`plan`: what a changed definition moves in each target, before it does."""

from __future__ import annotations

import click

from filtersql.api.plan import plan
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("plan")
@click.option("--check", is_flag=True, help="Exit 1 if anything would change.")
@click.option(
    "--no-counts",
    is_flag=True,
    help="Ask no engine: compare with the manifest of --state, by the filters alone.",
)
def command(console: Console, *, check: bool, no_counts: bool) -> int:
    """Show what changed definitions would add to, remove from and change in each target.

    What is compiled is compared with the definition in force, at each target's position. Rows are
    counted by the engine, and one that leaves and one that enters is shown. No target is written:
    target/plan.json holds the plan, change.sql beside merge.sql what filtersql apply would execute.
    With --no-counts --state DIR definitions are compared with those of an earlier manifest.json.
    """
    planned = plan(console, no_counts=no_counts)
    return console.answered(planned) or int(check and planned.moves)
