"""`capture`: a live source's rows and changes as files, which a run reads."""

from __future__ import annotations

import click

from filtersql.api.capture import CaptureFlags, capture
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.commands.stopping import stopping

__all__ = ["command"]


@subcommand("capture")
@click.argument("source")
@click.option(
    "--create", is_flag=True, help="Make publication and slot if they are missing; copy the rows."
)
@click.option(
    "--until-current/--follow",
    default=False,
    help="Stop at the server's present position, or go on, which is the default.",
)
@click.option(
    "--rows", metavar="TABLE", multiple=True, help="Copy this table's rows anew; '*' is all."
)
@click.option("--drop", is_flag=True, help="Remove publication and slot; the files stay.")
@click.option("--prune", is_flag=True, help="Remove files that every target has passed.")
def command(
    console: Console,
    *,
    source: str,
    create: bool,
    until_current: bool,
    rows: tuple[str, ...],
    drop: bool,
    prune: bool,
) -> int:
    """Record a live SOURCE of the profile: its rows once, then every committed transaction.

    The files below captured/ are what `source: {postgres: SOURCE}` and `changes: {postgres:
    SOURCE}` of subscriptions read. A file is whole and on disk before the server is told. Ctrl-C
    and SIGTERM end it behind the transaction in hand, a second one at once; a kill loses and
    repeats nothing. A server that goes away meanwhile is waited for, but with --until-current.
    """
    if drop + prune + (create or until_current or bool(rows)) > 1:
        raise click.UsageError("--drop and --prune take away what others record: alone.")
    with stopping() as came:
        flags = CaptureFlags(create, until_current, rows, drop, prune, lambda: bool(came))
        return console.answered(capture(console, source, flags))
