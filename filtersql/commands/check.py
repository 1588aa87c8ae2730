"""`check`: proves the compiled SQL on disk against the reference semantics."""

from __future__ import annotations

import click

from filtersql.api.check import ENGINES, check
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("check", ("text", "json", "github", "sarif"))
@click.option("--deep", is_flag=True, help="Try histories of three changes, too.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="duckdb",
    help="What runs the statements; on Spark their text stands as it is. Default: duckdb.",
)
def command(console: Console, *, deep: bool, engine: str) -> int:
    """Prove the compiled files against a slow model of PostgreSQL's semantics.

    Every statement under target/compiled/ is tried: a MERGE on all cells of old row, new row, what
    the filters say of them, row in the target or not, and action; the initial copy and the audit on
    rows of the source and of the target. The smallest case that goes wrong is printed as rows.
    """
    return console.answered(check(console, deep=deep, engine=engine))
