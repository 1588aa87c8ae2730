"""From a place in PostgreSQL's log and the number of a change there to its `seq`.

Example
    >>> lsn("0/15BAB18")
    22784792
    >>> seq_at(lsn("0/15BAB18"), 3) < seq_at(lsn("0/15BAB40"), 0)
    True

Changes are sent in the order of commits, and the log position of a change says nothing of that. A
transaction is placed by the position of a commit; two commit records are at least 40 bytes apart,
so 32 bytes share a number. Each holds 2^20 changes (of Debezium: of each table); more run on into
the numbers of the positions behind, which no other transaction has unless both are huge: then the
feed is refused, because a seq would be used twice. Positions end at 256 TiB of log.

PostgreSQL
    xact.h, xl_xact_commit and SizeOfXactCommit; reorderbuffer.c, ReorderBufferReplay().
"""

from __future__ import annotations

import re

__all__ = ["SLOT_BITS", "bucket", "is_lsn", "last_seq_at", "lsn", "seq_at"]

SLOT_BITS = 20
_BUCKET_BITS = 5
_LSN = re.compile(r"([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})")


def is_lsn(text: str) -> bool:
    """Whether it is a log position as PostgreSQL prints it."""
    return _LSN.fullmatch(text) is not None


def lsn(text: str) -> int:
    """The number of a log position as PostgreSQL prints it. Raises ValueError."""
    match = _LSN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is not a log position")
    return (int(match[1], 16) << 32) + int(match[2], 16)


def bucket(position: int) -> int:
    """The 32 bytes of the log that a position is in."""
    return position >> _BUCKET_BITS


def seq_at(position: int, number: int) -> int:
    """The seq of the change with that number, from 0, at a log position."""
    return (bucket(position) << SLOT_BITS) + number


def last_seq_at(position: int) -> int:
    """The largest seq that a change at a log position, or before it, may have."""
    return (bucket(position) + 1 << SLOT_BITS) - 1
