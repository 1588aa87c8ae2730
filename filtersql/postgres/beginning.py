"""Publication, slot and the rows at its exact start: `begin(…)`; and their end: `drop(…)`.

Example
    1. source.json says that this project begins, and with which slot
    2. the publication is made, then the slot: it sends what is committed from its start on
    3. the rows of each table are copied, as they are at that start: the slot exports a snapshot
    4. an empty file of changes says the seq of the start; source.json says that all is there

    What was interrupted before 4 is begun anew: its slot is dropped, its rows are written over.

PostgreSQL
    src/backend/replication/walsender.c, CreateReplicationSlot().
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import psycopg
from msgspec import Struct
from msgspec.structs import replace
from psycopg import sql

from filtersql.errors import Mistakes
from filtersql.errors.capturing import SLOT_EXISTS, SLOT_REFUSED
from filtersql.errors.wording import counted
from filtersql.feeds.positions import lsn, seq_at
from filtersql.names import RelationName
from filtersql.postgres.capture_folder import Captured, Folder
from filtersql.postgres.capture_state import Server, slot_exists
from filtersql.postgres.connection import Connection
from filtersql.postgres.feed_files import write_whole
from filtersql.postgres.initial_rows import copy_rows, settle_rows
from filtersql.postgres.json_rows import CopiedTable
from filtersql.postgres.publication import (
    add_tables,
    ensure_publication,
    publish_generated,
    published_names,
)
from filtersql.postgres.sent_tables import check_sent
from filtersql.postgres.server_tables import KnownTables
from filtersql.project import LiveSource
from filtersql.project.captured import joined_tables, newest_rows, number_name

__all__ = ["Beginning", "begin", "copy_anew", "drop", "settle_anew", "slot_name"]

_CREATE = sql.SQL("CREATE_REPLICATION_SLOT {} LOGICAL pgoutput (SNAPSHOT 'export')")
_CREATE_TEMPORARY = sql.SQL(
    "CREATE_REPLICATION_SLOT {} TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')"
)
#: a slot begins once these have ended, whatever database they are of
_OPEN_TRANSACTIONS = """
SELECT 'process ' || pid FROM pg_catalog.pg_stat_activity
WHERE backend_xid IS NOT NULL AND xact_start < now() - interval '2 seconds'
UNION ALL SELECT 'prepared transaction ' || quote_literal(gid) FROM pg_catalog.pg_prepared_xacts
"""
_LONGEST_NAME = 63
#: so many letters of a slot's name leave room for the number of a process
_TEMPORARY = 50
_DROP_SLOT = (
    "SELECT pg_catalog.pg_drop_replication_slot(slot_name)"
    " FROM pg_catalog.pg_replication_slots WHERE slot_name = %s"
)


class Beginning(Struct, frozen=True):
    """What is made, and of what: connections to the source and the tables that are read."""

    source: LiveSource
    root: Path
    #: of slot and publication
    name: str
    plain: Connection
    replication: Connection
    known: KnownTables
    #: whose changes are read
    sources: Sequence[RelationName]
    #: whose rows are copied, now and at any time
    copied: Sequence[CopiedTable]
    ever_copied: Sequence[RelationName]

    def below(self, table: RelationName) -> list[RelationName]:
        """The leaf tables that a table's rows are in."""
        return [leaf.name for leaf in self.known.catalog.leaves(table)]

    @property
    def leaves(self) -> list[RelationName]:
        """The leaf tables of all that is copied."""
        return [leaf for table in self.copied for leaf in self.below(table.name)]


def begin(
    beginning: Beginning, folder: Folder, server: Server, say: Callable[[str], None]
) -> Captured:
    """Make publication and slot and copy the rows. Raises Mistakes, OSError."""
    source, name, before = beginning.source, beginning.name, folder.read()
    if slot_exists(beginning.plain, name):
        if before is None:
            raise Mistakes([SLOT_EXISTS(slot=name, source=source.name)])
        beginning.plain.execute(_DROP_SLOT, (name,))
        say("the rows at the start were not copied to the end: begun anew")
    captured = Captured(server.system_identifier, server.timeline, name, name)
    folder.changes.mkdir(parents=True, exist_ok=True)
    folder.forget()
    folder.write(captured)
    names = published_names(beginning.known.catalog, beginning.sources)
    if ensure_publication(beginning.plain, source, name, beginning.known.catalog, names):
        say(f'publication "{name}" was made')
    else:
        publish_generated(beginning.plain, name, beginning.known.catalog, names)
    _sent(beginning, folder)
    start, snapshot = _create_slot(beginning, name, _CREATE, say)
    # Above all that was captured before, though a restored server counts from an earlier place.
    seq = max(seq_at(lsn(start), 0), folder.greatest_seq() + 1)
    say(f'slot "{name}" begins at {start}')
    copy_rows(source, beginning.root, beginning.copied, snapshot, _teller(say))
    settle_rows(source, beginning.root, beginning.copied, seq)
    write_whole(folder.changes / f"{number_name(seq)}.jsonl", b"")
    captured = replace(captured, start=start)
    folder.write(captured)
    return captured


def copy_anew(beginning: Beginning, folder: Folder, say: Callable[[str], None]) -> int:
    """Copy rows as they are now, with a slot that goes with the connection; where that is.

    Those that the publication lacks join it before. Raises Mistakes, OSError.
    """
    source, name = beginning.source, f"{beginning.name[:_TEMPORARY]}_{os.getpid()}"
    catalog, plain = beginning.known.catalog, beginning.plain
    # What is refused behind the copy leaves tables that joined, and whose rows nobody looks at.
    joining = frozenset(beginning.leaves).difference(_sent(beginning, folder, beginning.leaves))
    folder.note_moving(joining)
    publish_generated(plain, beginning.name, catalog, beginning.leaves)
    for table in add_tables(plain, source, beginning.name, catalog, joining):
        say(f'{table} joins publication "{beginning.name}"')
    start, snapshot = _create_slot(beginning, name, _CREATE_TEMPORARY, say)
    copy_rows(source, beginning.root, beginning.copied, snapshot, _teller(say))
    return lsn(start)


def settle_anew(beginning: Beginning, folder: Folder, closed: int, last: int) -> int:
    """What was copied is looked at from now on; the last seq that rows have, or `last`.

    Rows hold the changes up to `closed`, the end of the files. Those of a table that came back have
    a seq of their own behind `last`, so that a target which ends there lacks what is between. A
    table that is new lacks nothing. Raises OSError.
    """
    source, root, joined = beginning.source, beginning.root, joined_tables(folder.path)
    waiting = {leaf for leaf in beginning.leaves if joined.get(leaf.path, last) is None}
    back = waiting.intersection(
        leaf
        for name in beginning.ever_copied
        if newest_rows(root, source.name, name) is not None
        for leaf in beginning.below(name)
    )
    for table in beginning.copied:
        if back.intersection(beginning.below(table.name)):
            settle_rows(source, root, [table], last + 1)
        else:
            newest = newest_rows(root, source.name, table.name)
            settle_rows(source, root, [table], max(closed, -1 if newest is None else newest))
    new = {leaf.path for leaf in waiting - back}
    joined |= {leaf.path: last + 1 for leaf in back}
    folder.write_joined({path: seq for path, seq in joined.items() if path not in new})
    return last + bool(back)


def drop(connection: Connection, folder: Folder, captured: Captured) -> bool:
    """Remove slot and publication of this project; the files stay.

    False: the publication is another role's, and stays, too.
    """
    connection.execute(_DROP_SLOT, (captured.slot,))
    dropping = sql.SQL("DROP PUBLICATION IF EXISTS {}")
    try:
        connection.execute(dropping.format(sql.Identifier(captured.publication)))
    except psycopg.errors.InsufficientPrivilege:
        return False
    finally:
        folder.forget()
    return True


def slot_name(project: str, source: str) -> str:
    """What slot and publication are called: slots have small letters, digits and underscores."""
    return re.sub(r"[^a-z0-9_]", "_", f"filtersql_{project}_{source}".lower())[:_LONGEST_NAME]


def _sent(
    beginning: Beginning, folder: Folder, joining: Iterable[RelationName] = ()
) -> frozenset[RelationName]:
    """The tables that the publication sends. Raises Mistakes, but for those that are `joining`."""
    return check_sent(
        beginning.plain,
        beginning.source,
        folder,
        beginning.name,
        beginning.known.catalog,
        beginning.sources,
        beginning.ever_copied,
        joining,
    )


def _teller(say: Callable[[str], None]) -> Callable[[RelationName, int], None]:
    return lambda table, count: say(f"{counted(count, 'row')} of {table}")


def _create_slot(
    beginning: Beginning, name: str, creating: sql.SQL, say: Callable[[str], None]
) -> tuple[str, str]:
    """Where the slot begins, and the snapshot of that place: valid while nothing else is said."""
    if waited := [str(one) for (one,) in beginning.plain.execute(_OPEN_TRANSACTIONS)]:
        say(f'slot "{name}" waits for the end of open transactions: {", ".join(waited)}')
    try:
        statement = creating.format(sql.Identifier(name))
        row = beginning.replication.execute(statement).fetchone()
    except psycopg.Error as error:
        reason = error.diag.message_primary or str(error)
        refused = SLOT_REFUSED(source=beginning.source.name, slot=name, reason=reason)
        raise Mistakes([refused]) from None
    assert row is not None
    return str(row[1]), str(row[2])
