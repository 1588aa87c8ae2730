"""A live source's rows and changes as files, which a run reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from filtersql.api.documents import Record
from filtersql.api.loading import loaded_compilation
from filtersql.api.reporter import Reporter
from filtersql.api.statuses import statuses
from filtersql.errors import Mistakes
from filtersql.errors.capturing import NOT_FILLED
from filtersql.errors.live import unknown_source
from filtersql.errors.wording import counted
from filtersql.postgres.driver import require_driver

if TYPE_CHECKING:
    from filtersql.compile import Compilation
    from filtersql.postgres.capture import Capturing
    from filtersql.postgres.capture_folder import Progress
    from filtersql.project import LiveSource, Project

__all__ = ["CaptureFlags", "Captured", "capture", "capturing_of"]


class CaptureFlags(Struct, frozen=True):
    """What a capture is to do; `stops` is asked, about five times a second, whether it is over."""

    create: bool = False
    until_current: bool = False
    #: patterns of tables whose rows are copied anew
    rows: tuple[str, ...] = ()
    drop: bool = False
    prune: bool = False
    stops: Callable[[], bool] = lambda: False


class Captured(Record, frozen=True):
    """What one call of `capture` recorded, up to a position in the source's log."""

    source: str
    transactions: int = 0
    changes: int = 0
    position: str | None = None


def capture(reporter: Reporter, source: str, flags: CaptureFlags) -> Captured:
    """Record a source of the profile. Raises Mistakes."""
    project, compilation = loaded_compilation(reporter)
    capturing = capturing_of(project, compilation, _source(project, source))

    def say(text: str) -> None:
        reporter.message(f"{source}: {text}")

    def progress(now: Progress) -> None:
        content = msgspec.to_builtins(now)
        reporter.message(f"{source}: {_words(now)}", name="Captured", data=content)

    if flags.drop:
        capturing.remove(say)
        return Captured(source)
    if flags.prune:
        count, passed = capturing.prune(_passed(project, compilation, source))
        say(f"{count} files of changes up to seq {passed} were removed")
        return Captured(source)
    done = capturing.capture(
        create=flags.create,
        rows=flags.rows,
        until_current=flags.until_current,
        say=say,
        on_progress=progress,
        stops=flags.stops,
    )
    return Captured(source, done.transactions, done.changes, done.position)


def capturing_of(project: Project, compilation: Compilation, source: LiveSource) -> Capturing:
    """The work at a source. Raises a Mistake where psycopg is missing."""
    require_driver()
    from filtersql.postgres.capture import Capturing

    definitions = project.definitions
    return Capturing.of(
        source,
        project.root,
        project.name,
        definitions.catalog,
        definitions.subscriptions,
        [node.compiled for node in compilation.nodes],
    )


def _source(project: Project, name: str) -> LiveSource:
    known = project.sources
    if name not in known:
        raise Mistakes([unknown_source(name, known)])
    return known[name]


def _passed(project: Project, compilation: Compilation, source: str) -> int:
    """The last seq that all targets of a source have applied. Raises Mistakes."""
    subscriptions = project.definitions.subscriptions
    nodes = []
    for node in compilation.nodes:
        changes = subscriptions[node.compiled.subscription].changes
        if changes is not None and changes.postgres == source:
            nodes.append(node)
    passed = []
    for each in statuses(project, nodes):
        if each.position is None:
            raise Mistakes([NOT_FILLED(name=each.compiled.unique_id)])
        passed.append(each.position)
    return min(passed, default=-1)


def _words(now: Progress) -> str:
    said = f"{counted(now.transactions, 'transaction')}, {counted(now.changes, 'change')}"
    return f"{said} up to {now.position}, {now.rate:,.0f} a second, {now.behind:.1f} s behind"
