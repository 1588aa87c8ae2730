"""The rows that one commit of a lakehouse table took away and added, as changes in an order.

Example
    ============================ =========================
    the commit                   becomes, in this order
    ============================ =========================
    1 deleted                    delete 1
    2 before, 3 behind an UPDATE update 2 to 3
    4 before, 4 behind           update 4
    1 inserted                   insert 1
    ============================ =========================

Such a table keeps no order inside of a commit, and needs none: no key is taken away twice or added
twice. An UPDATE that changed keys leaves as many old rows as new ones without a partner; which of
them belong together does not matter, because a filter judges each of them by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from filtersql.feeds.lake_tables import NUMBER_BITS
from filtersql.feeds.records import Record

__all__ = ["Commit", "Unpaired", "changes_of"]

Row = dict[str, Any]


class Unpaired(Exception):
    """The rows of a commit cannot be those of a table with that key; the message says why."""


class Commit(Struct):
    """What one commit changed. `old` and `new` are the two sides of updates."""

    number: int
    deleted: list[Row] = field(default_factory=list)
    old: list[Row] = field(default_factory=list)
    new: list[Row] = field(default_factory=list)
    inserted: list[Row] = field(default_factory=list)


def changes_of(commit: Commit, relation: str | list[str], key: Sequence[str]) -> Iterator[Record]:
    """The changes of a commit, numbered. Raises Unpaired."""
    base, tx = commit.number << NUMBER_BITS, str(commit.number)
    for number, (op, before, after) in enumerate(_ordered(commit, key)):
        yield Record(base + number, op, relation, before, after, tx=tx)


def _ordered(commit: Commit, key: Sequence[str]) -> Iterator[tuple[str, Row | None, Row | None]]:
    if len(commit.old) != len(commit.new):
        raise Unpaired(f"{len(commit.old)} rows before and {len(commit.new)} behind its updates")
    _once([*commit.deleted, *commit.old], key, "taken away")
    _once([*commit.new, *commit.inserted], key, "added")
    new = {_key(row, key): row for row in commit.new} if key else {}
    pairs = [(row, new.pop(_key(row, key), None)) for row in _sorted(commit.old)]
    rest = iter(_sorted(list(new.values()) if key else commit.new))
    for row in _sorted(commit.deleted):
        yield "delete", row, None
    for before, after in pairs:
        if after is None:
            yield "update", before, next(rest)
    for before, after in pairs:
        if after is not None:
            yield "update", before, after
    for row in _sorted(commit.inserted):
        yield "insert", None, row


def _once(rows: Sequence[Row], key: Sequence[str], what: str) -> None:
    if key and len({_key(row, key) for row in rows}) != len(rows):
        raise Unpaired(f"two rows with one key are {what}")


def _key(row: Mapping[str, object], key: Sequence[str]) -> tuple[object, ...]:
    return tuple(row.get(name) for name in key)


def _sorted(rows: Sequence[Row]) -> list[Row]:
    """In an order that is the same whenever the commit is read."""
    return sorted(rows, key=lambda row: [(value is None, str(value)) for value in row.values()])
