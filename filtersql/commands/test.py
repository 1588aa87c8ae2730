"""`test`: runs the unit tests of tests/*.yml, on DuckDB unless --target says otherwise."""

from __future__ import annotations

from filtersql.api.test import test
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand

__all__ = ["command"]


@subcommand("test")
def command(console: Console) -> int:
    """Run the project's unit tests: on DuckDB in memory, or on the output of --target."""
    return console.answered(test(console))
