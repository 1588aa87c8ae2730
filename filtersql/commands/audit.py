"""`audit`: compares every target with the filter over its source, and mends what differs."""

from __future__ import annotations

from pathlib import Path

import click

from filtersql.api.audit import audit, audited
from filtersql.commands.console import Console, echo
from filtersql.commands.pages import write_page
from filtersql.commands.shared import subcommand
from filtersql.errors import Mistakes
from filtersql.errors.wording import counted
from filtersql.review.audit_page import audit_page

__all__ = ["command"]


@subcommand("audit", formats=("text", "json", "html"))
@click.option("--repair", is_flag=True, help="Write exactly the rows that were found.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where to write the page of --format html, instead of printing it.",
)
def command(console: Console, *, repair: bool, output: Path | None = None) -> int:
    """Compare each target with the filter over its source, at the target's position.

    The source's rows are brought to that position by the feed. Exits 1 when rows have leaked, are
    missing or differ, unless --repair mended them. With --format html the answer is a page: a few
    rows of each finding, the source's beside the target's, with the values marked that differ.
    """
    if console.options.format != "html":
        if output is not None:
            raise click.UsageError("--output is where --format html writes.")
        return console.answered(audit(console, repair=repair))
    project, done = audited(console, repair=repair, beside=True)
    assert project.output is not None  # audited asked for one
    for each in done:
        if each.mistakes:
            console.report(Mistakes(each.mistakes))
    page = audit_page(project.name, f"{project.output.name} ({project.output.type})", done)
    if output is None:
        echo(page, nl=False)
    else:
        write_page(output, page)
        console.message(f"Wrote the audit of {counted(len(done), 'target')} to {output}")
    return console.exit_code(right=all(each.right for each in done))
