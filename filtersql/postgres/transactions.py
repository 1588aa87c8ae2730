"""Messages of whole transactions, one after the other: what is streamed before it is decided waits.

Example
    ==================================== ==================================
    arrives                              is given
    ==================================== ==================================
    stream of 7: insert a                –
    begin 8, insert b, commit            begin 8, insert b, commit
    stream of 7: insert c, of its part 9 –
    abort of 9                           –
    commit of 7                          begin 7, insert a, commit
    ==================================== ==================================

    A streamed transaction waits in a file of its own, as it came; so none is held in memory.

PostgreSQL
    src/backend/replication/pgoutput/pgoutput.c, pgoutput_stream_start(), and
    src/backend/replication/logical/worker.c, apply_spooled_messages().
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct, field

from filtersql.postgres.pgoutput import Decoder, Malformed
from filtersql.postgres.pgoutput_messages import (
    Begin,
    Change,
    Commit,
    Message,
    StreamAbort,
    StreamCommit,
    StreamStart,
    StreamStop,
    Truncate,
)

__all__ = ["Transactions"]

#: the first letters of messages of streamed transactions, and of those that are ignored
_STREAMED = b"SEAcOM"
_SIZE = struct.Struct(">I")


class _Spool(Struct):
    """What came of a streamed transaction, and which of its parts never happened."""

    path: Path
    file: BinaryIO
    aborted: set[int] = field(default_factory=set)


class Transactions:
    """Gives messages in the order of commits; `folder` takes the files of streamed transactions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._decoder = Decoder()
        self._spools: dict[int, _Spool] = {}
        self._open: _Spool | None = None

    def take(self, payload: bytes) -> Iterable[tuple[Message, int]]:
        """The messages that are due with this one, and their bytes. Raises Malformed, OSError."""
        message = self._decoder.decode(payload)
        if self._open is None and payload[0] not in _STREAMED:
            return ((message, len(payload)),)
        match message:
            case StreamStart():
                self._open = self._spool(message.xid)
            case StreamStop():
                self._open = None
            case StreamAbort():
                self._abort(message)
            case StreamCommit():
                return self._replay(message)
            case _ if self._open is not None:
                self._open.file.write(_SIZE.pack(len(payload)) + payload)
        return ()

    def close(self) -> None:
        """Remove the files of transactions that were not decided: they are sent again."""
        for xid in list(self._spools):
            self._forget(xid)

    def _spool(self, xid: int) -> _Spool:
        if xid not in self._spools:
            path = self.folder / f"{xid}.stream"
            self._spools[xid] = _Spool(path, path.open("w+b"))
        return self._spools[xid]

    def _abort(self, message: StreamAbort) -> None:
        if message.xid == message.sub_xid:
            self._forget(message.xid)
        elif message.xid in self._spools:
            self._spools[message.xid].aborted.add(message.sub_xid)

    def _replay(self, commit: StreamCommit) -> Iterator[tuple[Message, int]]:
        spool = self._spools.get(commit.xid)
        if spool is None:
            raise Malformed(f"transaction {commit.xid} is committed, but was never streamed")
        yield Begin(commit.position, commit.at, commit.xid), 0
        decoder = Decoder()
        decoder.in_stream = True
        spool.file.seek(0)
        while header := spool.file.read(_SIZE.size):
            (size,) = _SIZE.unpack(header)
            message = decoder.decode(spool.file.read(size))
            # What a table looks like was told once, even where it was told by an aborted part.
            if not isinstance(message, Change | Truncate) or message.xid not in spool.aborted:
                yield message, size
        yield Commit(commit.position, commit.end), 0
        self._forget(commit.xid)

    def _forget(self, xid: int) -> None:
        if (spool := self._spools.pop(xid, None)) is not None:
            spool.file.close()
            spool.path.unlink()
