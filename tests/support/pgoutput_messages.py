"""Messages of pgoutput as a server writes them, for tests: `transaction(7, insert("1"))`."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from filtersql.postgres.pgoutput_messages import UNCHANGED, Values

__all__ = [
    "OID",
    "STOP",
    "begin",
    "change",
    "commit",
    "in_stream",
    "relation",
    "row",
    "stream_abort",
    "stream_commit",
    "stream_start",
    "truncate",
]

OID = 16384
STOP = b"E"


def begin(position: int, xid: int = 7) -> bytes:
    return b"B" + struct.pack(">QqI", position, 0, xid)


def commit(position: int) -> bytes:
    return b"C" + struct.pack(">BQQq", 0, position, position + 48, 0)


def relation(
    columns: Sequence[tuple[str, int]], *, identity: str = "d", keys: int = 1, oid: int = OID
) -> bytes:
    """`columns` with the OIDs of their types; the first `keys` are the replica identity."""
    written = b"".join(
        bytes([number < keys]) + name.encode() + b"\0" + struct.pack(">Ii", kind, -1)
        for number, (name, kind) in enumerate(columns)
    )
    head = b"R" + struct.pack(">I", oid) + b"public\0t\0" + identity.encode()
    return head + struct.pack(">H", len(columns)) + written


def row(values: Values) -> bytes:
    """The values of a row; False is one that did not change."""
    written = struct.pack(">H", len(values))
    for value in values:
        if value is None:
            written += b"n"
        elif value is UNCHANGED:
            written += b"u"
        else:
            written += b"t" + struct.pack(">I", len(value)) + value
    return written


def change(
    letter: str, *, old: Values | None = None, kind: str = "K", new: Values | None = None
) -> bytes:
    """I, U or D of the table OID."""
    message = letter.encode() + struct.pack(">I", OID)
    message += b"" if old is None else kind.encode() + row(old)
    return message + (b"" if new is None else b"N" + row(new))


def truncate(options: int, *oids: int) -> bytes:
    return b"T" + struct.pack(f">IB{len(oids)}I", len(oids), options, *oids)


def in_stream(message: bytes, xid: int) -> bytes:
    """The same within a block of a streamed transaction."""
    return message[:1] + struct.pack(">I", xid) + message[1:]


def stream_start(xid: int, *, first: bool = True) -> bytes:
    return b"S" + struct.pack(">IB", xid, first)


def stream_commit(xid: int, position: int) -> bytes:
    return b"c" + struct.pack(">IBQQq", xid, 0, position, position + 48, 0)


def stream_abort(xid: int, sub_xid: int) -> bytes:
    return b"A" + struct.pack(">II", xid, sub_xid)
