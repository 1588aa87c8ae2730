"""Messages of the plug-in pgoutput, decoded: `Decoder().decode(message)`.

Example
    >>> decoder = Decoder()
    >>> decoder.decode(b"C" + bytes(1) + bytes(7) + b"\\x28" + bytes(7) + b"\\x50" + bytes(8))
    Commit(position=40, end=80)

A value is the bytes of PostgreSQL's text output, None for null, or UNCHANGED: it is stored out of
line and was not sent. Of a streamed transaction each message names the (sub)transaction it is of.

PostgreSQL
    src/backend/replication/logical/proto.c; "Logical Replication Message Formats".
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from filtersql.postgres.pgoutput_messages import (
    UNCHANGED,
    Begin,
    Change,
    Commit,
    Ignored,
    Message,
    Relation,
    RelationColumn,
    StreamAbort,
    StreamCommit,
    StreamStart,
    StreamStop,
    Truncate,
    Type,
    Values,
)

__all__ = ["Decoder", "Malformed"]


class Malformed(ValueError):
    """The bytes are no message of pgoutput; the text says why."""


_BEGIN = struct.Struct(">QqI")
_COMMIT = struct.Struct(">BQQq")
_STREAM_COMMIT = struct.Struct(">IBQQq")
_ABORT = struct.Struct(">II")
_U32 = struct.Struct(">I")
_I32 = struct.Struct(">i")
_U16 = struct.Struct(">H")
_TEXT, _NULL, _UNCHANGED = b"tnu"
_KEY, _OLD, _NEW = b"KON"
_IDENTITIES = "dnfi"
_IGNORED = b"OM"
#: the start and the stop of a block of a streamed transaction
_BLOCKS = b"SE"


class Decoder:
    """Decodes messages in their order; between StreamStart and StreamStop they hold a number more.

    `protocol` 4 may tell where and when a streamed transaction was aborted.
    """

    def __init__(self) -> None:
        self.in_stream = False

    def decode(self, message: bytes) -> Message:
        """One message. Raises Malformed."""
        kind = message[0] if message else 0
        read = _READERS.get(kind)
        if read is None:
            if kind in _IGNORED:
                return Ignored()
            raise Malformed(f"unknown message {message[:1]!r}")
        try:
            if self.in_stream and kind in _NUMBERED:
                (xid,) = _U32.unpack_from(message, 1)
                found, at = read(message, 5, xid)
            else:
                found, at = read(message, 1, 0)
        except (struct.error, IndexError, ValueError) as error:
            reason = "it ends too early" if isinstance(error, struct.error | IndexError) else error
            raise Malformed(f"message {chr(kind)}: {reason}") from None
        if at != len(message):
            raise Malformed(f"message {chr(kind)}: {len(message)} bytes, {at} read")
        if kind in _BLOCKS:
            if self.in_stream is isinstance(found, StreamStart):
                raise Malformed("blocks of streamed transactions lie in each other")
            self.in_stream = not self.in_stream
        return found


def _begin(message: bytes, at: int, _: int) -> tuple[Message, int]:
    return Begin(*_BEGIN.unpack_from(message, at)), at + _BEGIN.size


def _commit(message: bytes, at: int, _: int) -> tuple[Message, int]:
    _, position, end, _ = _COMMIT.unpack_from(message, at)
    return Commit(position, end), at + _COMMIT.size


def _relation(message: bytes, at: int, _: int) -> tuple[Message, int]:
    (oid,) = _U32.unpack_from(message, at)
    schema, at = _string(message, at + 4)
    name, at = _string(message, at)
    identity = chr(message[at])
    if identity not in _IDENTITIES:
        raise ValueError(f"replica identity {identity!r}")
    (count,) = _U16.unpack_from(message, at + 1)
    at += 3
    columns = []
    for _ in range(count):
        is_key = bool(message[at] & 1)
        column, at = _string(message, at + 1)
        (type_oid,) = _U32.unpack_from(message, at)
        (typmod,) = _I32.unpack_from(message, at + 4)
        columns.append(RelationColumn(column, type_oid, typmod, is_key))
        at += 8
    # pg_catalog is sent as an empty name
    return Relation(oid, schema or "pg_catalog", name, identity, tuple(columns)), at


def _type(message: bytes, at: int, _: int) -> tuple[Message, int]:
    (oid,) = _U32.unpack_from(message, at)
    schema, at = _string(message, at + 4)
    name, at = _string(message, at)
    return Type(oid, schema or "pg_catalog", name), at


def _insert(message: bytes, at: int, xid: int) -> tuple[Message, int]:
    (oid,) = _U32.unpack_from(message, at)
    _expect(message[at + 4], _NEW)
    new, at = _row(message, at + 5)
    return Change("insert", oid, None, new, False, xid), at


def _update(message: bytes, at: int, xid: int) -> tuple[Message, int]:
    (oid,) = _U32.unpack_from(message, at)
    kind, at = message[at + 4], at + 5
    old = None
    if kind in (_KEY, _OLD):
        old, at = _row(message, at)
        _expect(message[at], _NEW)
        at += 1
    else:
        _expect(kind, _NEW)
    new, at = _row(message, at)
    return Change("update", oid, old, new, kind == _KEY, xid), at


def _delete(message: bytes, at: int, xid: int) -> tuple[Message, int]:
    (oid,) = _U32.unpack_from(message, at)
    kind = message[at + 4]
    _expect(kind, _KEY, _OLD)
    old, at = _row(message, at + 5)
    return Change("delete", oid, old, None, kind == _KEY, xid), at


def _truncate(message: bytes, at: int, xid: int) -> tuple[Message, int]:
    (count,) = _U32.unpack_from(message, at)
    options = message[at + 4]
    end = at + 5 + 4 * count
    if end > len(message):
        raise IndexError
    oids = struct.unpack_from(f">{count}I", message, at + 5)
    return Truncate(oids, bool(options & 1), bool(options & 2), xid), end


def _stream_start(message: bytes, at: int, _: int) -> tuple[Message, int]:
    (xid,) = _U32.unpack_from(message, at)
    message[at + 4]  # whether it is the first block
    return StreamStart(xid), at + 5


def _stream_stop(_: bytes, at: int, __: int) -> tuple[Message, int]:
    return StreamStop(), at


def _stream_commit(message: bytes, at: int, _: int) -> tuple[Message, int]:
    xid, _, position, end, moment = _STREAM_COMMIT.unpack_from(message, at)
    return StreamCommit(xid, position, end, moment), at + _STREAM_COMMIT.size


def _stream_abort(message: bytes, at: int, _: int) -> tuple[Message, int]:
    xid, sub_xid = _ABORT.unpack_from(message, at)
    # Protocol 4 with parallel streaming adds where and when.
    whole = at + _ABORT.size
    return StreamAbort(xid, sub_xid), whole + 16 if len(message) == whole + 16 else whole


def _row(message: bytes, at: int) -> tuple[Values, int]:
    """The values of a row, and where they end."""
    (count,) = _U16.unpack_from(message, at)
    at += 2
    values: Values = []
    add, size_of = values.append, _U32.unpack_from
    for _ in range(count):
        kind = message[at]
        if kind == _TEXT:
            start = at + 5
            at = start + size_of(message, at + 1)[0]
            add(message[start:at])
        elif kind == _NULL:
            add(None)
            at += 1
        elif kind == _UNCHANGED:
            add(UNCHANGED)
            at += 1
        else:
            raise ValueError(f"value of kind {chr(kind)!r}")
    if at > len(message):
        raise IndexError
    return values, at


def _string(message: bytes, at: int) -> tuple[str, int]:
    end = message.index(b"\0", at)
    return message[at:end].decode(), end + 1


def _expect(kind: int, *kinds: int) -> None:
    if kind not in kinds:
        raise ValueError(f"row of kind {chr(kind)!r}")


#: the messages that name their (sub)transaction within a block of a streamed one
_NUMBERED = b"RYIUDT"
_READERS: Mapping[int, Callable[[bytes, int, int], tuple[Message, int]]] = {
    ord("B"): _begin,
    ord("C"): _commit,
    ord("R"): _relation,
    ord("Y"): _type,
    ord("I"): _insert,
    ord("U"): _update,
    ord("D"): _delete,
    ord("T"): _truncate,
    ord("S"): _stream_start,
    ord("E"): _stream_stop,
    ord("c"): _stream_commit,
    ord("A"): _stream_abort,
}
