"""Decoded messages as records of filtersql's native change feed.

A slot whose publication does not publish via the root tells each leaf's changes, but a TRUNCATE of
a partitioned table comes as one of its leaves only. A second slot, which publishes truncates via
the root, tells at the same LSN whether the statement named the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pgoutput import (
    Begin,
    Commit,
    Decoder,
    Delete,
    Insert,
    Message,
    Relation,
    Truncate,
    Unchanged,
    Update,
)
from psycopg import Connection

__all__ = ["Decoded", "Record", "decoded", "recorded", "records", "truncated"]

Record = dict[str, Any]

_BOOLEAN, _INTEGERS = 16, (20, 21, 23)
_LARGEST_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class Decoded:
    """A message with the log position of its change."""

    lsn: str
    message: Message


def decoded(
    connection: Connection[Any], slot: str, publications: Iterable[str], batch: int = 20_000
) -> Iterator[Decoded]:
    """Everything that a slot holds, through pgoutput; the slot moves on."""
    decoder = Decoder()
    call = (
        "SELECT lsn::text, data FROM pg_logical_slot_get_binary_changes"
        "(%s, NULL, %s, 'proto_version', '1', 'publication_names', %s)"
    )
    while True:
        # The limit is looked at after each transaction, so a batch ends where a transaction does.
        found = connection.execute(call, (slot, batch, ",".join(publications))).fetchall()
        if not found:
            return
        for lsn, message in found:
            known = decoder.decode(message)
            if known is not None:
                yield Decoded(lsn, known)


def records(messages: Iterable[Decoded], roots: Mapping[str, tuple[str, ...]]) -> Iterator[Record]:
    """The feed's records. `roots`: the tables that a TRUNCATE at an LSN names via the root."""
    seq, tx = 0, ""
    for each in messages:
        if isinstance(each.message, Begin):
            tx = str(each.message.xid)
        for record in _records(each, roots):
            seq += 1
            yield {"seq": seq, "tx": tx, **record}


def recorded(
    connection: Connection[Any], publisher: str, partitioned: Iterable[str]
) -> Iterator[Record]:
    """The feed of a publisher with slots and publications of recorders, one for each root."""
    roots: dict[str, tuple[str, ...]] = {}
    for name in partitioned:
        for each in decoded(connection, f"{publisher}_{name}", [f"recorder_{name}"]):
            if f"public.{name}" in truncated(each):
                roots[each.lsn] = (*roots.get(each.lsn, ()), f"public.{name}")
    yield from records(decoded(connection, f"{publisher}_rows", ["recorder"]), roots)


def truncated(each: Decoded) -> tuple[str, ...]:
    """The tables that a TRUNCATE message names; none for another message."""
    if not isinstance(each.message, Truncate):
        return ()
    return tuple(map(_name, each.message.relations))


def _records(each: Decoded, roots: Mapping[str, tuple[str, ...]]) -> Iterator[Record]:
    match each.message:
        case Commit():
            yield {"op": "commit"}
        case Insert(relation, new):
            yield {"relation": _name(relation), "op": "insert", **_after(relation, new)}
        case Update(relation, old, new):
            before = {"before": _values(relation, old) if old is not None else None}
            yield {"relation": _name(relation), "op": "update", **before, **_after(relation, new)}
        case Delete(relation, old):
            yield {"relation": _name(relation), "op": "delete", "before": _values(relation, old)}
        case Truncate(relations, cascade, restart_identity):
            names = dict.fromkeys((*roots.get(each.lsn, ()), *map(_name, relations)))
            more = {"relations": list(names)}
            options = {"cascade": cascade, "restart_identity": restart_identity}
            for relation in relations:
                yield {"relation": _name(relation), "op": "truncate", **more, **options}


def _name(relation: Relation) -> str:
    assert "." not in relation.schema + relation.name
    return f"{relation.schema}.{relation.name}"


def _after(relation: Relation, new: Mapping[str, str | Unchanged | None]) -> Record:
    record: Record = {"after": _values(relation, new)}
    unchanged = [name for name, value in new.items() if isinstance(value, Unchanged)]
    return {**record, "unchanged": unchanged} if unchanged else record


def _values(relation: Relation, row: Mapping[str, str | Unchanged | None]) -> Record:
    return {
        column.name: _scalar(column.type_oid, value)
        for column in relation.columns
        if column.name in row and not isinstance(value := row[column.name], Unchanged)
    }


def _scalar(type_oid: int, text: str | None) -> object:
    """JSON's own scalar where it says the same, else PostgreSQL's text."""
    if text is None:
        return None
    if type_oid == _BOOLEAN:
        return text == "t"
    if type_oid in _INTEGERS and abs(int(text)) <= _LARGEST_EXACT:
        return int(text)
    return text
