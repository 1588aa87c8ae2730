"""What one line of a native change feed says: `record(line)`.

Example
    >>> record(b'{"seq": 1, "op": "insert", "relation": "public.t", "after": {"n": 1.50}}').after
    {'n': '1.50'}

A number with a point or an exponent stays the text that was written (`Number`); an integer is a
Python int of any size. Nothing passes through a float.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import msgspec

from filtersql.names import RelationName

__all__ = [
    "OPERATIONS",
    "Number",
    "Record",
    "digest",
    "record",
    "relation_name",
    "relation_of",
    "relation_written",
]

#: The ops that a change can have. `commit` ends a transaction; `read` is a snapshot's row.
OPERATIONS = ("insert", "update", "delete", "truncate", "commit", "read")


#: what a BIGINT holds, without what is negative: a position before the first change is -1
Seq = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Number(str):
    """A JSON number that is not an integer, as it was written."""

    __slots__ = ()


class Record(msgspec.Struct, forbid_unknown_fields=True, gc=False, omit_defaults=True):
    """The fields of a change. Values of images are JSON values (`Number` for non-integers)."""

    seq: Seq
    op: str
    relation: str | list[str] | None = None
    # Values are judged column by column, by the column's type: Any is what JSON gives here.
    before: dict[str, Any] | None = None
    after: dict[str, Any] | None = None
    unchanged: list[str] | None = None
    tx: str | int | None = None
    prev_seq: Seq | None = None
    relations: list[str | list[str]] | None = None
    cascade: bool | None = None
    restart_identity: bool | None = None


_decoder = msgspec.json.Decoder(Record, float_hook=Number)
_encoder = msgspec.json.Encoder(enc_hook=str, order="sorted")


def record(line: bytes) -> Record:
    """The record on a line. Raises msgspec.DecodeError, msgspec.ValidationError."""
    return _decoder.decode(line)


def digest(change: Record) -> int:
    """A number that two records share when they say the same."""
    return hash(_encoder.encode(change))


def relation_name(written: str | list[str]) -> RelationName | None:
    """The table that `relation` names; None when it cannot be one.

    >>> relation_name("public.t1"), relation_name(["a.b", "t"]), relation_name("a.b.c")
    (RelationName(schema='public', name='t1'), RelationName(schema='a.b', name='t'), None)
    """
    parts = written.split(".") if isinstance(written, str) else written
    if len(parts) == 1 and parts[0]:
        return RelationName("public", parts[0])
    if len(parts) != 2 or not all(parts):
        return None
    return RelationName(parts[0], parts[1])


def relation_of(change: Record) -> RelationName | None:
    """The table that a change is one of; None where it names several, or none."""
    return None if change.relation is None else relation_name(change.relation)


@lru_cache(maxsize=4096)
def relation_written(schema: str, table: str) -> str | list[str]:
    """A table as `relation` names it.

    >>> relation_written("public", "t1"), relation_written("a.b", "t")
    ('public.t1', ['a.b', 't'])
    """
    parts = [schema, table]
    return parts if any("." in part for part in parts) else ".".join(parts)
