"""Lines of Debezium's values that are read as columns, table by table: `TableLines`.

Example
    by_table(lines)                 [[0, 1, 3], [2]]: the third line is of another table
    lines.reread([0, 3], [1], [])   the change of the second of two, as `Changes` makes it
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow
from msgspec import Struct

from filtersql.catalog import Table
from filtersql.feeds.debezium_changes import Changes, Read, message
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record
from filtersql.names import RelationName

__all__ = ["TableLines", "by_table", "sample", "table_of"]

_SAMPLES = 64
_TABLE = re.compile(rb'"schema": ?"[^"\\]*", ?"table": ?"[^"\\]*"')
_values = msgspec.json.Decoder(dict[str, Any])


class TableLines(Struct, frozen=True):
    """Lines that were read as columns: values of one table, under one schema."""

    #: where each stands; the seq of each
    places: Sequence[Place]
    seqs: pyarrow.Int64Array
    #: where each stands among the changes of its chunk
    rows: Sequence[int]
    #: the same without their schema
    text: bytes
    schema: bytes
    table: Table
    changes: Changes

    def reread(
        self, chosen: Sequence[int], numbers: Sequence[int], mistakes: list[PlacedMistake]
    ) -> Iterator[tuple[Place, Record]]:
        """The changes of some of the lines that were chosen, one by one."""
        values, seqs = self.text.split(b"\n"), self.seqs.to_pylist()
        for one in (chosen[number] for number in numbers):
            found = message(values[one])
            assert isinstance(found, Read)  # Arrow has read its op
            read = Read(found.event, self.schema)
            yield from self.changes.of(self.places[one], seqs[one], read, read, mistakes)


def by_table(lines: Sequence[bytes]) -> list[Sequence[int]]:
    """The numbers of the lines of each table, as far as that is seen at a glance."""
    if len({table_of(sample(line)) for line in lines[:: 1 + len(lines) // _SAMPLES]}) == 1:
        return [range(len(lines))]
    found: dict[bytes, list[int]] = {}
    for number, line in enumerate(lines):
        seen = _TABLE.search(line)
        found.setdefault(b"" if seen is None else seen[0], []).append(number)
    return [*found.values()]


def sample(line: bytes) -> dict[str, Any]:
    """What a value says, as JSON's own kinds. Raises msgspec.DecodeError."""
    return _values.decode(line)


def table_of(value: Mapping[str, Any]) -> RelationName | None:
    """The table that a value names."""
    payload = value.get("payload") or value
    source = payload.get("source")
    if not isinstance(source, dict):
        return None
    return RelationName(str(source.get("schema")), str(source.get("table")))
