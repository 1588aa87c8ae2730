"""Chunks of Debezium's values as columns: `ColumnReader(changes).read(chunk, seqs)`.

Example
    ===== ======== ============ =========== ==================================================
    seq   op       before.id    after.id    the line
    ===== ======== ============ =========== ==================================================
    17    u        –            2           in columns
    -1    c        –            3           was read before: left out
    19    u        –            4           holds a placeholder: `apart`, to be read by itself
    ===== ======== ============ =========== ==================================================

    Arrow reads the lines of one table, with a type for each member that keeps what was written, as
    some of them tell it. Which seq each of them has was found out before. What `Changes` makes of
    one line is made here of thousands; where something is unusual, it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import msgspec
import pyarrow
from msgspec import Struct
from pyarrow import compute

from filtersql.catalog import Table
from filtersql.feeds.arrow_lines import count_lines, read_lines, samples_of
from filtersql.feeds.column_blocks import (
    ColumnBlock,
    ColumnTries,
    Group,
    Rows,
    each_of,
    plain_changes,
)
from filtersql.feeds.debezium_arrays import Unusual, event_fields, image_rows
from filtersql.feeds.debezium_changes import OPS, Changes, Read, message, unwrapped
from filtersql.feeds.lines import Chunk, lines_in
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record, relation_written
from filtersql.names import RelationName

__all__ = ["ColumnReader", "InColumns"]

#: fewer changes are read as fast line by line
_FEWEST = 500
#: how many lines are looked at first, to see whether they are of one table
_SAMPLES = 64
_OPS = {op: name for op, name in OPS.items() if op != "t"}
_TABLE = re.compile(rb'"schema": ?"[^"\\]*", ?"table": ?"[^"\\]*"')
_values = msgspec.json.Decoder(dict[str, Any])


class InColumns(Struct, frozen=True):
    """The changes of a chunk: most of them in columns, and lines `apart`, with the seqs of changes.

    Lines that tell no change have the seq -1.
    """

    block: ColumnBlock
    apart: Sequence[tuple[Place, int]]


#: the changes that are in columns, and the numbers of the lines that are read apart
_Part: TypeAlias = tuple[Group | None, Sequence[int]]


class _TableLines(Struct, frozen=True):
    """Lines that were read as columns: values of one table, under one schema."""

    #: where each stands; the seq of each
    places: Sequence[Place]
    seqs: pyarrow.Int64Array
    #: where each stands among the changes of its chunk
    rows: Sequence[int]
    #: the lines without their schema, which all of them share
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


class ColumnReader(ColumnTries):
    """Reads lines as columns where they are the usual ones, as long as most of them are."""

    changes: Changes
    #: log positions at which some change is one half of an UPDATE
    halves: Collection[int] = ()
    #: partitioned tables whose rows the snapshot holds a second time
    covered: Collection[RelationName] = ()

    def read(self, chunk: Chunk, seqs: pyarrow.Int64Array) -> InColumns | None:
        """The changes of some lines, whose numbers are `seqs` (-1: read before).

        None: they have to be read line by line.
        """
        if self.gave_up or len(seqs) < _FEWEST:
            return None
        self.misses += 1
        lines: list[Place] = []
        others: list[Place] = []
        for place in lines_in([chunk]):
            (lines if b'"source"' in place[2] else others).append(place)
        if len(lines) != len(seqs):
            return None
        try:
            tables = _by_table([line for _, _, line in lines])
        except (msgspec.DecodeError, UnicodeError):
            return None
        if len(lines) < _FEWEST * len(tables):
            return None
        groups: list[Group] = []
        apart: list[int] = []
        for rows in tables:
            try:
                group, odd = self._part(lines, seqs, rows)
            except (Unusual, msgspec.DecodeError, UnicodeError):
                group, odd = None, rows
            groups += [] if group is None else [group]
            apart += odd
        if not groups:
            return None
        size, each = len(chunk.text), partial(each_of, groups)
        block = ColumnBlock(chunk.shown, size, groups, each, self.taken)
        told = [
            (lines[row], seq)
            for row, seq in zip(apart, seqs.take(_array(apart)).to_pylist(), strict=True)
        ]
        return InColumns(block, [*told, *((place, -1) for place in others)])

    def _part(self, lines: Sequence[Place], seqs: pyarrow.Int64Array, rows: Sequence[int]) -> _Part:
        """The lines of one table. Raises Unusual, msgspec.DecodeError."""
        lines, seqs = [lines[row] for row in rows], seqs.take(_array(rows))
        text, schema = unwrapped(b"".join(line for _, _, line in lines))
        samples = samples_of(text, _values.decode)
        if samples is None or count_lines(text) != len(lines):
            raise Unusual
        names = {*map(_table_of, samples)}
        name = names.pop() if len(names) == 1 else None
        table = None if name is None else self.changes.catalog.tables.get(name)
        if table is None:
            raise Unusual
        fields = event_fields(table, samples, self.changes.feed, self.changes.needed)
        events = read_lines(text, len(lines), fields)
        if events is None:
            raise Unusual
        known = _TableLines(lines, seqs, rows, text, schema, table, self.changes)
        return self._chosen(known, events)

    def _chosen(self, lines: _TableLines, events: pyarrow.Table) -> _Part:
        """What is taken in columns, and what is apart. Raises Unusual."""
        table, count = lines.table, len(lines.seqs)
        source = Rows.of(events["source"].chunk(0)).columns
        op = events["op"].chunk(0)
        ops = compute.index_in(op, value_set=pyarrow.array([*_OPS]))
        named = (("schema", table.name.schema), ("table", table.name.name))
        alike = (compute.equal(source[of], name) for of, name in named)
        written = relation_written(*table.name)
        if (
            op.null_count
            or source["lsn"].null_count
            or not all(compute.all(compute.fill_null(one, False)).as_py() for one in alike)
            or not isinstance(written, str)
        ):
            raise Unusual
        is_read = compute.equal(op, "r")
        taken = compute.greater_equal(lines.seqs, 0)
        if table.name in self.covered:
            taken = compute.and_not(taken, is_read)
        decoder = self.changes.decoder(table, lines.schema)
        updates = compute.equal(op, "u")
        images, odd = image_rows(events, lines.text, table, decoder, self.changes.needed, updates)
        halves = _array([*self.halves])
        odd = compute.or_(odd, compute.is_in(source["lsn"], value_set=halves))
        odd = compute.or_(odd, ops.is_null())  # a TRUNCATE
        apart = [lines.rows[one] for one in _where(compute.and_(taken, odd))]
        chosen = compute.and_not(taken, odd)
        numbers = _where(chosen)
        if not numbers:
            return None, apart
        tx = source["txId"] if "txId" in source else pyarrow.nulls(count)
        columns = (
            lines.seqs,
            pyarrow.array([*_OPS.values()]).take(ops),
            compute.if_else(is_read, None, tx.cast(pyarrow.string())),
        )
        changes = plain_changes(*(one.filter(chosen) for one in columns))
        images = {image: rows.only(chosen) for image, rows in images.items()}
        places = [lines.rows[one] for one in numbers]
        group = Group(written, changes, images, partial(lines.reread, numbers), places)
        return group, apart


def _by_table(lines: Sequence[bytes]) -> list[Sequence[int]]:
    """The numbers of the lines of each table, as far as that is seen at a glance.

    Raises msgspec.DecodeError.
    """
    if len({_table_of(_values.decode(line)) for line in lines[:: 1 + len(lines) // _SAMPLES]}) == 1:
        return [range(len(lines))]
    found: dict[bytes, list[int]] = {}
    for number, line in enumerate(lines):
        seen = _TABLE.search(line)
        found.setdefault(b"" if seen is None else seen[0], []).append(number)
    return [*found.values()]


def _table_of(value: Mapping[str, Any]) -> RelationName | None:
    """The table that a value names."""
    payload = value.get("payload") or value
    source = payload.get("source")
    if not isinstance(source, dict):
        return None
    return RelationName(str(source.get("schema")), str(source.get("table")))


def _array(numbers: Sequence[int]) -> pyarrow.Int64Array:
    return pyarrow.array(numbers, pyarrow.int64())


def _where(some: pyarrow.BooleanArray) -> list[int]:
    found: list[int] = compute.indices_nonzero(some).to_pylist()
    return found
