"""One live source, from the project to closed files: `Capturing.of(…).capture(…)`.

Example
    capturing.capture(create=True, rows=(), until_current=True, …)

    captured/erp/rows/public.orders/…41/1.jsonl     the rows at the slot's start
    captured/erp/changes/…41.jsonl, …97.jsonl       every committed transaction since
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from filtersql.catalog import Catalog
from filtersql.definitions.model import Subscription
from filtersql.errors import Mistakes
from filtersql.errors.capturing import NOT_CREATED, NOTHING_TO_CAPTURE
from filtersql.errors.live import Unavailable
from filtersql.names import RelationName
from filtersql.postgres.beginning import Beginning, begin, copy_anew, drop, settle_anew, slot_name
from filtersql.postgres.capture_folder import Captured, Folder, Progress
from filtersql.postgres.capture_state import (
    End,
    Lag,
    check_server,
    identify,
    identify_position,
    lag_of,
)
from filtersql.postgres.connection import Connection, connect, told
from filtersql.postgres.feed_files import prune_changes
from filtersql.postgres.following import Following, Mark, follow
from filtersql.postgres.imported_since import published_otherwise
from filtersql.postgres.initial_rows import prune_rows
from filtersql.postgres.reconnecting import Pauses
from filtersql.postgres.sent_tables import check_sent
from filtersql.postgres.server_keys import check_server_keys
from filtersql.postgres.server_tables import KnownTables, copied_tables, server_types
from filtersql.postgres.sessions import as_it_is
from filtersql.postgres.slot_stream import SlotStream
from filtersql.postgres.tables_read import chosen_tables, tables_read
from filtersql.project import LiveSource
from filtersql.project.captured import newest_rows
from filtersql.rendering.compiled import CompiledTable

__all__ = ["Capturing"]


class Capturing(Struct, frozen=True):
    """A live source of a project, and what the project reads of it."""

    source: LiveSource
    root: Path
    #: of slot and publication
    name: str
    known: KnownTables
    #: whose changes are read, and whose rows are copied
    sources: tuple[RelationName, ...]
    copied: tuple[RelationName, ...]

    @classmethod
    def of(
        cls,
        source: LiveSource,
        root: Path,
        project: str,
        catalog: Catalog,
        subscriptions: Mapping[str, Subscription],
        compiled: Iterable[CompiledTable],
    ) -> Capturing:
        """What the subscriptions of a project read; they may read nothing any more."""
        needed, copied = tables_read(source.name, catalog, subscriptions, compiled)
        known = KnownTables(source.name, catalog, needed)
        return cls(source, root, slot_name(project, source.name), known, tuple(needed), copied)

    @property
    def folder(self) -> Folder:
        """The files of the source."""
        return Folder.of(self.root, self.source.name)

    def capture(
        self,
        *,
        create: bool,
        rows: Sequence[str],
        until_current: bool,
        say: Callable[[str], None],
        on_progress: Callable[[Progress], object],
        stops: Callable[[], bool],
    ) -> Progress:
        """Make what is missing, if told so, and record changes. Raises Mistakes.

        `rows` are patterns of names of tables whose rows are copied anew; `stops` says when to end.
        Once changes were followed, a connection that is lost is made again, but `until_current`.
        """
        source, folder = self.source, self.folder
        if not self.sources:
            raise Mistakes([NOTHING_TO_CAPTURE(source.span, source=source.name)])
        beginning = chosen_tables(rows, self.copied, source.name), create, say

        def noted(progress: Progress) -> Progress:
            folder.write_progress(progress)
            on_progress(progress)
            return progress

        folder.path.mkdir(parents=True, exist_ok=True)
        following, pauses = None, Pauses(stops, say)
        with folder.alone(source.name), folder.written(source.name):
            while True:
                try:
                    with (
                        told(source),
                        closing(connect(source)) as plain,
                        closing(connect(source, replication=True)) as replication,
                    ):
                        following = self._following(plain, replication, beginning, following)
                        pauses.begin()
                        until = identify_position(plain) if until_current else None
                        plain.close()
                        return noted(follow(following, until, stops, noted))
                except Unavailable as lost:
                    if until_current or following is None:
                        raise
                    if not pauses.passed(lost):
                        return noted(following.progress())

    def _following(
        self,
        plain: Connection,
        replication: Connection,
        asked: tuple[Sequence[RelationName], bool, Callable[[str], None]],
        before: Following | None,
    ) -> Following:
        """Changes from where the files end, or where the slot that is made begins.

        Asked is which rows are copied anew, whether to make what is missing, and who is told.
        """
        source, folder = self.source, self.folder
        chosen, create, say = asked
        as_it_is(replication)
        server, captured = identify(replication, plain), folder.read()
        if captured is None or captured.start is None:
            if not create:
                raise Mistakes([NOT_CREATED(source.span, source=source.name)])
            captured = begin(self._beginning(plain, replication, self.copied), folder, server, say)
            chosen, server = (), identify(replication, plain)
        end = End.of(folder, captured)
        sent_from = check_server(plain, source, captured, server, end)
        mark = self._anew(plain, chosen, say) if chosen and before is None else None
        sent = self._sent(plain, captured)
        looked = server.position  # tables may be altered by what is committed behind it

        def recheck(table: RelationName, position: int) -> None:
            nonlocal looked
            if table not in sent or position > looked:
                with told(source), closing(connect(source)) as other:
                    looked = identify_position(other)
                    self._sent(other, captured)

        known = replace(self.known.for_server(plain), recheck=recheck)
        types = server_types(plain)
        if before is None and (path := published_otherwise(plain, self.root, source.name)):
            say(
                f"publications changed since {path} was imported, which targets follow: "
                f'"filtersql import {source.name}" shows what differs'
            )
        stream = SlotStream(replication, captured.slot, captured.publication)
        made = Following(stream, folder, end, sent_from, known.check, types, source.name, mark)
        if before is not None:
            made.go_on_from(before)
        return made

    def _sent(self, connection: Connection, captured: Captured) -> frozenset[RelationName]:
        """The tables that the publication sends. Raises Mistakes where they are other ones."""
        name, catalog = captured.publication, self.known.catalog
        source, sources = self.source, self.sources
        sent = check_sent(connection, source, self.folder, name, catalog, sources, self.copied)
        check_server_keys(connection, source.name, catalog, sources)
        return sent

    def remove(self, say: Callable[[str], None]) -> None:
        """Remove slot and publication that this project made."""
        captured = self.folder.read()
        if captured is None:
            say("nothing of this project is there")
            return
        with self.folder.alone(self.source.name), told(self.source), connect(self.source) as plain:
            dropped = drop(plain, self.folder, captured)
        say(f'slot "{captured.slot}" is gone')
        if not dropped:
            say(f'publication "{captured.publication}" is another role\'s, and stays')

    def lag(self) -> Lag | None:
        """How far behind the source its files are; None where nothing is captured."""
        captured = self.folder.read()
        if captured is None or captured.start is None:
            return None
        with told(self.source), connect(self.source) as plain:
            return lag_of(plain, self.source, captured, self.folder.progress())

    def prune(self, passed: int) -> tuple[int, int]:
        """Remove files that all targets, and the newest rows of each table, have passed.

        How many were removed, and up to which seq. Rows that are not the newest go, too.
        """
        for name in self.copied:
            newest = newest_rows(self.root, self.source.name, name)
            passed = min(passed, -1 if newest is None else newest)
        with self.folder.alone(self.source.name):
            prune_rows(self.source, self.root, self.copied)
            return prune_changes(self.folder.changes, passed), passed

    def _anew(
        self, plain: Connection, chosen: Sequence[RelationName], say: Callable[[str], None]
    ) -> Mark:
        """Copy rows as they are now; they are looked at once changes were recorded up to there."""
        with closing(connect(self.source, replication=True)) as replication:
            as_it_is(replication)
            beginning = self._beginning(plain, replication, chosen)
            position = copy_anew(beginning, self.folder, say)

        def settle(closed: int, last: int) -> int:
            taken = settle_anew(beginning, self.folder, closed, last)
            say(f"the rows are those at seq {taken}")
            return taken

        return Mark(position, settle)

    def _beginning(
        self, plain: Connection, replication: Connection, copied: Sequence[RelationName]
    ) -> Beginning:
        """What is read, compared with the server. Raises Mistakes with all that differs."""
        rows = copied_tables(plain, self.known, self.sources, copied)
        return Beginning(
            self.source,
            self.root,
            self.name,
            plain,
            replication,
            self.known,
            self.sources,
            rows,
            self.copied,
        )
