"""`compile`: definitions to SQL under target/compiled/ and manifest.json."""

from __future__ import annotations

import click

from filtersql.api.compile import compile, stale_files
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("compile", ("text", "json", "github", "sarif"))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the files differ.")
def command(console: Console, *, check: bool) -> int:
    """Write the SQL of every subscription under target/compiled/, and manifest.json.

    Needs no engine. With --select, one target's MERGE is printed too.
    """
    if not check:
        return console.answered(compile(console))
    stale = stale_files(console)
    if console.options.json:
        console.document({"stale": stale})
    return int(bool(stale))
