"""`run`: compiles, then copies and applies everything pending, and says what happened."""

from __future__ import annotations

import re

import click

from filtersql.api.follow import Going
from filtersql.api.follow import follow as followed
from filtersql.api.run import RunFlags, run
from filtersql.commands.console import Console
from filtersql.commands.shared import subcommand
from filtersql.commands.stopping import stopping

__all__ = ["command"]

_UNITS = {"s": 1, "m": 60, "h": 3600}
#: seconds between the beginnings of two runs
_INTERVAL = 10.0


def _seconds(_: click.Context, __: click.Parameter, text: str | None) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", text)
    if found is None:
        raise click.BadParameter(f"{text} is no span of time such as 10s, 2m or 1h.")
    return float(found[1]) * _UNITS[found[2]]


@subcommand("run")
@click.option("--dry-run", is_flag=True, help="Read and judge everything, write nothing.")
@click.option("--full-refresh", is_flag=True, help="Empty the targets and copy them again.")
@click.option(
    "--accept-filter-change",
    is_flag=True,
    help="Go on with a changed filter, as PostgreSQL does: nothing is sent again.",
)
@click.option(
    "--require-approval",
    is_flag=True,
    help="Refuse targets whose statements approvals.yml does not approve.",
)
@click.option(
    "--adopt",
    is_flag=True,
    help="Take over targets that filtersql did not make, if an audit finds them right.",
)
@click.option("--at", type=click.IntRange(min=0), help="With --adopt: the last seq they hold.")
@click.option("--resync", metavar="TABLE", multiple=True, help="Copy this table again.")
@click.option("--release", is_flag=True, help="Apply the changes in quarantine.")
@click.option(
    "--as-of", metavar="TIMESTAMP", help="The clock of windows, in UTC; it never goes back."
)
@click.option("--verbose", is_flag=True, help="Say at the end where the time went.")
@click.option("--follow", is_flag=True, help="Go on: run what comes, until Ctrl-C or SIGTERM.")
@click.option(
    "--interval",
    metavar="SPAN",
    callback=_seconds,
    help="With --follow: begin a run each SPAN, such as 2s, 1m or 1h; 10s without it.",
)
@click.option("--until-idle", is_flag=True, help="With --follow: end where nothing is left to do.")
@click.option("--show", type=click.IntRange(min=1), help="Print the first rows of each target.")
def command(
    console: Console,
    *,
    dry_run: bool,
    full_refresh: bool,
    accept_filter_change: bool,
    require_approval: bool,
    adopt: bool,
    at: int | None,
    resync: tuple[str, ...],
    release: bool,
    as_of: str | None,
    verbose: bool,
    follow: bool,
    interval: float | None,
    until_idle: bool,
    show: int | None,
) -> int:
    """Copy what is missing, then apply every pending change in order, once.

    With --follow it goes on with the files as they are compiled then: Ctrl-C and SIGTERM end it
    behind the run in hand, a second one at once, and a run that fails is the last.
    """
    if not follow and (until_idle or interval is not None):
        raise click.UsageError("--interval and --until-idle are given with --follow.")
    if adopt != (at is not None):
        raise click.UsageError("--adopt and --at SEQ are given together.")
    flags = RunFlags(
        dry_run,
        full_refresh,
        accept_filter_change,
        require_approval,
        None if console.options.json else show,
        at,
        resync,
        release,
        as_of,
        verbose=verbose,
    )
    if not follow:
        return console.answered(run(console, flags))
    with stopping() as came:
        going = Going(_INTERVAL if interval is None else interval, until_idle, lambda: bool(came))
        return console.answered(followed(console, flags, going))
