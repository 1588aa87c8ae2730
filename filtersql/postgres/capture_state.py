"""Whether a server still is the one that files were captured from, and where these end.

Example
    end = End.of(folder, captured)
    check_server(connection, source, captured, server, end)    # from where the slot sends

PostgreSQL
    src/backend/replication/walsender.c, IdentifySystem(); pg_replication_slots.
"""

from __future__ import annotations

from msgspec import Struct

from filtersql.errors import Mistakes
from filtersql.errors.capturing import (
    GAP,
    OTHER_SERVER,
    OTHER_TIMELINE,
    RESTORED,
    SLOT_GONE,
    SLOT_LOST,
)
from filtersql.feeds.positions import lsn
from filtersql.postgres.capture_folder import Captured, Folder, Progress
from filtersql.postgres.connection import Connection
from filtersql.postgres.feed_files import last_tx
from filtersql.postgres.pgoutput_messages import Begin
from filtersql.postgres.recording import position_text, tx_position
from filtersql.project import LiveSource

__all__ = [
    "End",
    "Lag",
    "Server",
    "check_server",
    "identify",
    "identify_position",
    "lag_of",
    "slot_exists",
]

_SLOT = """
SELECT confirmed_flush_lsn::text, wal_status FROM pg_catalog.pg_replication_slots
WHERE slot_name = %s
"""
_LAG = """
SELECT confirmed_flush_lsn::text,
    (pg_catalog.pg_current_wal_lsn() - confirmed_flush_lsn)::pg_catalog.int8, active
FROM pg_catalog.pg_replication_slots WHERE slot_name = %s
"""
_HERE = "SELECT pg_catalog.pg_current_wal_lsn()::text"


class Server(Struct, frozen=True):
    """What a server says of itself; `position` is where its log is."""

    system_identifier: str
    timeline: int
    position: int


def identify(replication: Connection, plain: Connection) -> Server:
    """Ask a server what it is."""
    row = replication.execute("IDENTIFY_SYSTEM").fetchone()
    assert row is not None
    return Server(str(row[0]), int(row[1]), identify_position(plain))


def identify_position(connection: Connection) -> int:
    """Where the log of a server is."""
    row = connection.execute(_HERE).fetchone()
    assert row is not None
    return lsn(row[0])


class Lag(Struct, frozen=True):
    """How far behind its source a capture is: bytes of the log that no file has yet.

    `running`: a process captures at this moment; `rate`: so many changes a second, when it last
    said so.
    """

    position: str
    behind: int
    running: bool
    rate: float | None


def lag_of(
    connection: Connection, source: LiveSource, captured: Captured, progress: Progress | None
) -> Lag:
    """Ask the server. Raises Mistakes where the slot is gone or lost."""
    row = connection.execute(_LAG, (captured.slot,)).fetchone()
    if row is None or row[0] is None:
        raise Mistakes([SLOT_LOST(source=source.name, slot=captured.slot)])
    position, behind, running = row
    return Lag(position, behind, running, None if progress is None else progress.rate)


def slot_exists(connection: Connection, slot: str) -> bool:
    """Whether there is one of this name."""
    return connection.execute(_SLOT, (slot,)).fetchone() is not None


class End(Struct, frozen=True):
    """Where the files end: the position of the last commit record, and its transaction.

    `reached`: nothing was changed up to there. Before any transaction both are where the slot
    began.
    """

    position: int
    tx: str | None
    reached: int

    @classmethod
    def of(cls, folder: Folder, captured: Captured) -> End:
        """The end of the files of a folder."""
        start, tx = lsn(captured.start or "0/0"), last_tx(folder.changes)
        position = start if tx is None else lsn(tx_position(tx))
        return cls(position, tx, max(position, folder.reached()))

    def has(self, begin: Begin, tx: str) -> bool:
        """Whether the files have a transaction. Raises ValueError where they should and do not."""
        if begin.position < self.position:
            return True
        if begin.position == self.position and self.tx is not None:
            if tx == self.tx:
                return True
            raise ValueError(f"Transaction {tx} is where the files have {self.tx}.")
        return False


def check_server(
    connection: Connection, source: LiveSource, known: Captured, server: Server, end: End
) -> int:
    """From where the slot sends; it and the server are those that the files come from.

    Raises Mistakes where they are not, or where the slot cannot go on from the files' end.
    """
    name, ours = source.name, position_text(end.reached)
    mistakes = []
    if server.system_identifier != known.system_identifier:
        was, now = known.system_identifier, server.system_identifier
        mistakes.append(OTHER_SERVER(source=name, found=now, known=was))
    elif server.timeline != known.timeline:
        mistakes.append(OTHER_TIMELINE(source=name, found=server.timeline, known=known.timeline))
    elif server.position < end.reached:
        reason = f"Its log ends at {position_text(server.position)}, the files at {ours}."
        mistakes.append(RESTORED(source=name, reason=reason))
    elif (row := connection.execute(_SLOT, (known.slot,)).fetchone()) is None:
        mistakes.append(SLOT_GONE(source=name, slot=known.slot, position=ours))
    elif row[1] == "lost" or row[0] is None:
        mistakes.append(SLOT_LOST(source=name, slot=known.slot))
    elif lsn(row[0]) > end.reached:
        mistakes.append(GAP(source=name, slot_at=row[0], ours=ours))
    else:
        return lsn(row[0])
    raise Mistakes(mistakes)
