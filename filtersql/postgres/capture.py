"""One capture of a live source, from the project to closed files: `capture(…)`.

Example
    capture(wanted, root, create=True, until_current=True, …)

    captured/erp/rows/public.orders/…41/1.jsonl     the rows at the slot's start
    captured/erp/changes/…41.jsonl, …97.jsonl       every committed transaction since
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from msgspec import Struct

from filtersql.catalog import Catalog
from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.capturing import (
    ALREADY_CAPTURING,
    NO_IDENTITY,
    NOT_CREATED,
    NOTHING_TO_CAPTURE,
)
from filtersql.exclusive import alone
from filtersql.names import RelationName
from filtersql.postgres.beginning import Beginning, begin, drop
from filtersql.postgres.capture_state import (
    Captured,
    End,
    Folder,
    Server,
    check_server,
    identify,
)
from filtersql.postgres.connection import Connection, connect, told
from filtersql.postgres.following import Following, Progress, follow
from filtersql.postgres.publication import check_publication
from filtersql.postgres.server_tables import KnownTables, check_all, server_tables, server_types
from filtersql.postgres.sessions import as_it_is
from filtersql.postgres.slot_stream import SlotStream
from filtersql.project import LiveSource
from filtersql.rendering.compiled import CompiledTable

__all__ = ["Listener", "Wanted", "capture", "remove", "wanted"]

_LONGEST_NAME = 63


class Wanted(Struct, frozen=True):
    """What a project reads of a live source."""

    source: LiveSource
    #: of slot and publication
    name: str
    known: KnownTables
    #: whose changes are read, and whose rows are copied
    sources: tuple[RelationName, ...]
    copied: tuple[RelationName, ...]


class Listener(Struct, frozen=True):
    """Who is told what happens, and says when to end."""

    say: Callable[[str], None]
    progress: Callable[[Progress], None]
    stops: Callable[[], bool]


def wanted(
    source: LiveSource,
    project: str,
    catalog: Catalog,
    subscriptions: Mapping[str, Subscription],
    compiled: Iterable[CompiledTable],
) -> Wanted:
    """What the subscriptions of a project read of a source. Raises Mistakes where they do not."""
    needed: dict[RelationName, frozenset[str]] = {}
    copied: dict[RelationName, None] = {}
    for table in compiled:
        subscription = subscriptions[table.subscription]
        if subscription.changes is not None and subscription.changes.postgres == source.name:
            for name in table.sources:
                read = {*table.identity, *table.judged_old}
                needed[name] = needed.get(name, frozenset()) | read
        if subscription.source is not None and subscription.source.postgres == source.name:
            copied[table.relation] = None
    if not needed:
        raise Mistakes([NOTHING_TO_CAPTURE(source.span, source=source.name)])
    return Wanted(
        source,
        _object_name(project, source.name),
        KnownTables(source.name, catalog, needed),
        tuple(needed),
        tuple(copied),
    )


def capture(
    asked: Wanted, root: Path, *, create: bool, until_current: bool, listener: Listener
) -> Progress:
    """Make what is missing, if told so, and record changes. Raises Mistakes, OSError."""
    source, folder = asked.source, Folder.of(root, asked.source.name)
    folder.path.mkdir(parents=True, exist_ok=True)
    with (
        _only_one(source, folder),
        told(source),
        closing(connect(source)) as plain,
        closing(connect(source, replication=True)) as replication,
    ):
        server = identify(replication, plain)
        captured = folder.read()
        if captured is None or captured.start is None:
            if not create:
                raise Mistakes([NOT_CREATED(source.span, source=source.name)])
            captured = _begin(asked, root, folder, server, plain, replication, listener)
            server = identify(replication, plain)
        end = End.of(folder, captured)
        sent_from = check_server(plain, source, captured, server, end)
        name, known = captured.publication, asked.known
        check_publication(plain, source, name, known.catalog, asked.sources)
        types = server_types(plain)
        plain.close()
        as_it_is(replication)
        stream = SlotStream(replication, captured.slot, captured.publication)
        following = Following(stream, folder, end, sent_from, known.check, types, source.name)
        until = server.position if until_current else None
        return follow(following, until, listener.stops, listener.progress)


def remove(source: LiveSource, root: Path) -> Captured | None:
    """Remove slot and publication that this project made; None where it made none."""
    folder = Folder.of(root, source.name)
    captured = folder.read()
    if captured is None:
        return None
    with _only_one(source, folder), told(source), connect(source) as plain:
        drop(plain, folder, captured)
    return captured


def _begin(
    asked: Wanted,
    root: Path,
    folder: Folder,
    server: Server,
    plain: Connection,
    replication: Connection,
    listener: Listener,
) -> Captured:
    names = tuple(dict.fromkeys((*asked.sources, *asked.copied)))
    held, types = server_tables(plain, names), server_types(plain)
    check_all(asked.known, names, held, types)
    lacking = [
        NO_IDENTITY(table=name, source=asked.source.name)
        for name in asked.sources
        if not any(column.is_key for column in held[name].relation.columns)
    ]
    if lacking:
        raise Mistakes(lacking)
    copied = [held[name].copied for name in asked.copied]
    beginning = Beginning(
        asked.source, root, plain, replication, asked.known, asked.sources, copied
    )
    return begin(beginning, folder, asked.name, server, listener.say)


@contextmanager
def _only_one(source: LiveSource, folder: Folder) -> Iterator[None]:
    try:
        with alone(folder.path, wait=False):
            yield
    except BlockingIOError:
        raise Mistakes([ALREADY_CAPTURING(source=source.name, folder=folder.path)]) from None


def _object_name(project: str, source: str) -> str:
    """What slot and publication are called: slots have small letters, digits and underscores."""
    return re.sub(r"[^a-z0-9_]", "_", f"filtersql_{project}_{source}".lower())[:_LONGEST_NAME]
