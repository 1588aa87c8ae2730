"""`apply`: a plan is shown, agreed to and carried out."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from filtersql.api.apply import apply
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("apply")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--max-deletes",
    metavar="N|N%",
    help="Refuse a plan that deletes more rows in all, or more of a target's.",
)
@click.option(
    "--plan",
    "plan_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Refuse if the plan is not the one of this file any more.",
)
@click.option("--drop-removed", is_flag=True, help="Drop targets that no definition names.")
def command(
    console: Console,
    *,
    yes: bool,
    max_deletes: str | None,
    plan_file: Path | None,
    drop_removed: bool,
) -> int:
    """Carry out what filtersql plan shows: rows, definition and position in one commit a target.

    The plan is made anew and shown, and a person is asked. Later changes go on from the same
    position. A process that dies leaves each target at the old or the new definition, and apply
    again goes on.
    """
    applied = apply(
        console,
        lambda: yes or _asked(),
        max_deletes=max_deletes,
        plan_file=plan_file,
        drop_removed=drop_removed,
    )
    return console.answered(applied)


def _asked() -> bool:
    if not sys.stdin.isatty():
        raise click.UsageError("Nobody can answer here: --yes carries the plan out unasked.")
    return click.confirm("Carry it out?", err=True)
