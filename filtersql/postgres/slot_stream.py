"""What a replication slot sends, over the replication protocol: `SlotStream(connection, …)`.

Example
    stream = SlotStream(connection, slot="filtersql_shop_erp", publication="filtersql_shop_erp")
    while (payload := stream.receive()) is not None:
        …                                     a message of pgoutput, while there is one
    stream.tell(position)                     all before it is on disk
    stream.wait(1.0)                          until more arrives, or a second passed

A server ends a connection from which it hears nothing for `wal_sender_timeout`: who works for long
says `keep_alive` now and then. What psycopg raises is for `connection.told`.

PostgreSQL
    src/backend/replication/walsender.c; "Streaming Replication Protocol".
"""

from __future__ import annotations

import select
import struct
import time

import psycopg
from psycopg import errors, pq, sql

from filtersql.postgres.connection import Connection

__all__ = ["SlotStream"]

_DATA, _KEEPALIVE = b"wk"
_HEADER = 1 + 8 + 8 + 8
#: when it was sent: the last eight bytes of a header, and the third field of a keepalive
_SENT_AT = {_DATA: struct.Struct(">17xq"), _KEEPALIVE: struct.Struct(">9xq")}
_ASKING = struct.Struct(">cQqB")
_STATUS = struct.Struct(">cQQQqB")
#: seconds between two reports, well below any wal_sender_timeout
_REPORT_EACH = 2.0
#: seconds; a server may be busy for minutes with what is no business of this slot
_LOST = 600.0
#: PostgreSQL counts microseconds since 2000-01-01
_EPOCH = 946_684_800
_START = sql.SQL(
    "START_REPLICATION SLOT {} LOGICAL 0/0"
    " (proto_version '2', streaming 'on', publication_names {})"
)
#: how long a server may take to notice that the process before this one is gone, in seconds
_PATIENCE = 30.0


class SlotStream:
    """One run of START_REPLICATION, from where the slot stands."""

    def __init__(self, connection: Connection, slot: str, publication: str) -> None:
        #: up to where the server was told that all is on disk
        self.told = 0
        #: up to where the server has sent everything
        self.reached = 0
        #: whether it waits for a report
        self.asked = False
        self._newest: bytes | memoryview = b""
        self._pgconn = connection.pgconn
        self._reported = self._heard = time.monotonic()
        names = sql.Literal(sql.Identifier(publication).as_string(connection))
        self._start(_START.format(sql.Identifier(slot), names).as_bytes(connection))

    @property
    def sent_at(self) -> int:
        """When the server sent the last message, in µs since 2000 by its clock; 0: none came."""
        newest = self._newest
        return int(_SENT_AT[newest[0]].unpack_from(newest)[0]) if newest else 0

    def receive(self) -> bytes | None:
        """The next message of the plug-in; None where none has arrived."""
        looked = False
        while True:
            count, received = self._pgconn.get_copy_data(1)
            if count == 0:
                if looked:
                    return None
                self._pgconn.consume_input()
                looked = True
            elif count < 0:
                raise self._end()
            elif received[0] == _DATA:
                self._newest = received
                return received.tobytes()[_HEADER:]
            elif received[0] == _KEEPALIVE:
                self._newest = received
                _, end, _, asked = _ASKING.unpack(received)
                self.reached = max(self.reached, end)
                self.asked = self.asked or bool(asked)

    def wait(self, seconds: float) -> bool:
        """Until something arrives, or for so long; whether anything did.

        A server that says nothing for long, though it is asked, is lost.
        """
        if select.select([self._pgconn.socket], [], [], seconds)[0]:
            self._heard = time.monotonic()
            return True
        if self._silent >= _LOST:
            raise psycopg.OperationalError(f"nothing was heard of the server for {_LOST:.0f} s")
        return False

    def tell(self, position: int) -> None:
        """All changes before a position are on disk."""
        self.told = max(self.told, position)
        self._report()

    def keep_alive(self) -> None:
        """Say that this side lives, where the server asks or heard nothing for long."""
        if self.asked or time.monotonic() - self._reported >= _REPORT_EACH:
            self._report()

    def ask(self) -> None:
        """Ask how far the server is: it answers at once."""
        self._report(wants_answer=True)

    @property
    def _silent(self) -> float:
        return time.monotonic() - self._heard

    def _report(self, *, wants_answer: bool = False) -> None:
        wants_answer = wants_answer or self._silent >= _LOST / 2
        now = int((time.time() - _EPOCH) * 1_000_000)
        received = max(self.told, self.reached)
        status = _STATUS.pack(b"r", received, self.told, self.told, now, wants_answer)
        self._pgconn.put_copy_data(status)
        self._pgconn.flush()
        self.asked = False
        self._reported = time.monotonic()

    def _start(self, command: bytes) -> None:
        patient_until = time.monotonic() + _PATIENCE
        while True:
            result = self._pgconn.exec_(command)
            if result.status == pq.ExecStatus.COPY_BOTH:
                return
            refused = errors.error_from_result(result)
            busy = isinstance(refused, errors.ObjectInUse)
            if not busy or time.monotonic() > patient_until:
                raise refused
            time.sleep(0.2)

    def _end(self) -> psycopg.Error:
        """What ended the stream."""
        result = self._pgconn.get_result()
        if result is not None and result.status == pq.ExecStatus.FATAL_ERROR:
            return errors.error_from_result(result)
        return psycopg.OperationalError("the server ended the stream of changes")
