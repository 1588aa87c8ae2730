"""`capture`: a live source's rows and changes as files, which a run reads."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click
import msgspec

from filtersql.commands.console import Console
from filtersql.commands.loading import loaded_compilation
from filtersql.commands.shared import subcommand
from filtersql.errors import Mistakes
from filtersql.errors.live import UNKNOWN_SOURCE
from filtersql.errors.wording import meant
from filtersql.postgres.driver import require_driver

if TYPE_CHECKING:
    from filtersql.postgres.following import Progress
    from filtersql.project import LiveSource, Project

__all__ = ["command"]


@subcommand("capture")
@click.argument("source")
@click.option(
    "--create",
    is_flag=True,
    help="Make publication and slot where they are missing, copy the rows.",
)
@click.option(
    "--until-current", is_flag=True, help="Stop at the server's present position; else go on."
)
@click.option("--drop", is_flag=True, help="Remove publication and slot; the files stay.")
def command(console: Console, *, source: str, create: bool, until_current: bool, drop: bool) -> int:
    """Record a live SOURCE of the profile: its rows once, then every committed transaction.

    The files below captured/ are what `source: {postgres: SOURCE}` and `changes: {postgres:
    SOURCE}` of subscriptions read. A file is whole and on disk before the server is told. Ctrl-C
    and SIGTERM end it behind the transaction in hand; a kill loses and repeats nothing.
    """
    if drop and (create or until_current):
        raise click.UsageError("--drop removes what --create made: it stands alone.")
    require_driver()
    from filtersql.postgres.capture import Listener, capture, remove, wanted

    project, compilation = loaded_compilation(console)
    live = _source(project, source)

    def say(text: str) -> None:
        console.message(f"{source}: {text}")

    def progress(now: Progress) -> None:
        content = msgspec.to_builtins(now)
        console.message(f"{source}: {_words(now)}", name="Captured", data=content)

    if drop:
        gone = remove(live, project.root)
        say("nothing of this project is there" if gone is None else f'slot "{gone.slot}" is gone')
        return 0
    asked = wanted(
        live,
        project.name,
        project.definitions.catalog,
        project.definitions.subscriptions,
        (node.compiled for node in compilation.nodes),
    )
    with _stopping() as stopped:
        listener = Listener(say, progress, lambda: bool(stopped))
        done = capture(
            asked, project.root, create=create, until_current=until_current, listener=listener
        )
    progress(done)
    if console.options.json:
        console.document(done)
    return 0


def _source(project: Project, name: str) -> LiveSource:
    known = project.sources
    if name not in known:
        names, hint = sorted(known) or None, meant(name, known)
        raise Mistakes([UNKNOWN_SOURCE(name=name, sources=names, hint=hint)])
    return known[name]


def _words(now: Progress) -> str:
    return (
        f"{now.transactions:,} transactions, {now.changes:,} records up to {now.position}, "
        f"{now.rate:,.0f} a second, {now.behind:.1f} s behind"
    )


@contextmanager
def _stopping() -> Iterator[list[int]]:
    """The signals that came, in place of an interruption at any instant."""
    came: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        came.append(number)

    before = {each: signal.signal(each, note) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
