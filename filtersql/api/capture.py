"""A live source's rows and changes as files, which a run reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from filtersql.api.loading import loaded_compilation
from filtersql.api.records import Captured
from filtersql.api.reporter import Reporter
from filtersql.errors import Mistakes
from filtersql.errors.live import UNKNOWN_SOURCE
from filtersql.errors.wording import meant
from filtersql.postgres.driver import require_driver

if TYPE_CHECKING:
    from filtersql.postgres.following import Progress
    from filtersql.project import LiveSource, Project

__all__ = ["CaptureFlags", "capture"]


class CaptureFlags(Struct, frozen=True):
    """What a capture is to do; `stops` is asked, about five times a second, whether it is over."""

    create: bool = False
    until_current: bool = False
    drop: bool = False
    stops: Callable[[], bool] = lambda: False


def capture(reporter: Reporter, source: str, flags: CaptureFlags) -> Captured:
    """Record a source of the profile. Raises Mistakes."""
    require_driver()
    from filtersql.postgres import capture as live

    project, compilation = loaded_compilation(reporter)
    found = _source(project, source)

    def say(text: str) -> None:
        reporter.message(f"{source}: {text}")

    def progress(now: Progress) -> None:
        content = msgspec.to_builtins(now)
        reporter.message(f"{source}: {_words(now)}", name="Captured", data=content)

    if flags.drop:
        gone = live.remove(found, project.root)
        say("nothing of this project is there" if gone is None else f'slot "{gone.slot}" is gone')
        return Captured(source)
    asked = live.wanted(
        found,
        project.name,
        project.definitions.catalog,
        project.definitions.subscriptions,
        (node.compiled for node in compilation.nodes),
    )
    done = live.capture(
        asked,
        project.root,
        create=flags.create,
        until_current=flags.until_current,
        listener=live.Listener(say, progress, flags.stops),
    )
    progress(done)
    return Captured(source, done.transactions, done.changes, done.position)


def _source(project: Project, name: str) -> LiveSource:
    known = project.sources
    if name not in known:
        names, hint = sorted(known) or None, meant(name, known)
        raise Mistakes([UNKNOWN_SOURCE(name=name, sources=names, hint=hint)])
    return known[name]


def _words(now: Progress) -> str:
    return (
        f"{now.transactions:,} transactions, {now.changes:,} changes up to {now.position}, "
        f"{now.rate:,.0f} a second, {now.behind:.1f} s behind"
    )
