"""What the places of some of Debezium's changes hang on, a list of each: `ChangeFacts`.

Example
    facts = ChangeFacts.of([(17, b'{"before": …', event), …])
    facts.place, facts.number                                  [32, …], [17, …]
    write_facts(file, facts)                                   as a portion leaves them
    read_facts(path, [("c0", ">=", 30)])                       those of some places

    Of texts numbers are kept: what says the same has equal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow
from msgspec import Struct
from pyarrow import parquet

from filtersql.feeds.debezium_messages import Event, table_named
from filtersql.feeds.row_files import Bound
from filtersql.feeds.staged_files import StagedFile, as_open
from filtersql.names import RelationName

__all__ = ["PLACE", "ChangeFacts", "fact_file", "read_facts", "write_facts"]

#: the column of places in a file of facts
PLACE = "c0"
_NUMBER, _TEXT, _FLAG = pyarrow.int64(), pyarrow.string(), pyarrow.bool_()
_KINDS = (*[_NUMBER] * 5, _TEXT, _FLAG, _FLAG, _NUMBER, _TEXT)


class ChangeFacts(Struct, frozen=True):
    """Changes in the order in which they were read."""

    #: the bucket of the log at which the transaction stands
    place: Sequence[int]
    lsn: Sequence[int]
    #: equal where the op and the images, and where the whole lines, say the same
    said: Sequence[int]
    line: Sequence[int]
    #: the number of the line, or of the message
    number: Sequence[int]
    op: Sequence[str]
    #: whether it holds the nanosecond in which it was made, and whether it follows a commit
    timed: Sequence[bool]
    follows: Sequence[bool]
    #: its number in its transaction, from 1, and the transaction's name, where these are sent
    order: Sequence[int | None]
    tx: Sequence[str | None]
    table: Sequence[RelationName]

    @classmethod
    def of(cls, changes: Sequence[tuple[int, bytes, Event]]) -> ChangeFacts:
        """The facts of changes, each with its number and its line."""
        events = [event for *_, event in changes]
        orders = [one.order for one in events]
        return cls(
            [one.bucket for one in events],
            [one.source.lsn for one in events],
            [hash((one.op, one.relation, bytes(one.before), bytes(one.after))) for one in events],
            [hash(line) for _, line, _ in changes],
            [number for number, *_ in changes],
            [one.op for one in events],
            [one.ts_ns is not None for one in events],
            [one.follows for one in events],
            orders,
            [None if order is None else one.tx for one, order in zip(events, orders, strict=True)],
            [one.relation for one in events],
        )

    @property
    def beginning(self) -> int:
        """The last place of a change that is told a number and follows no commit; -1: none is."""
        told = zip(self.place, self.order, self.follows, strict=True)
        numbered = (at for at, order, follows in told if order is not None and not follows)
        return max(numbered, default=-1)


def fact_file(path: Path) -> StagedFile:
    """A file for facts, in a folder that may not exist yet."""
    as_open(path.parent)
    return StagedFile(path, [*_KINDS, _TEXT, _TEXT])


def write_facts(file: StagedFile, facts: ChangeFacts) -> None:
    """Add facts to a file."""
    *columns, table = (getattr(facts, name) for name in facts.__struct_fields__)
    schemas, names = [one.schema for one in table], [one.name for one in table]
    values = zip([*columns, schemas, names], file.types, strict=True)
    file.write([pyarrow.array(some, kind) for some, kind in values])


def read_facts(path: Path, bounds: list[Bound]) -> ChangeFacts:
    """The facts of a file within bounds of places, `c0`; none where there is no file."""
    if not path.exists():
        return ChangeFacts.of([])
    columns = [one.to_pylist() for one in parquet.read_table(path, filters=bounds).columns]
    names = [*map(table_named, columns.pop(-2), columns.pop())]
    return ChangeFacts(**dict(zip(ChangeFacts.__struct_fields__, [*columns, names], strict=True)))
