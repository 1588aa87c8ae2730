"""Chunks of the native feed as columns: `column_blocks(chunks, ColumnReader(catalog), mistakes)`.

Each relation's changes are read by Arrow, with a type for each column that keeps what was written,
as some of the lines tell it. Lines of any other kind are left to `records.record`, which reads one
at a time; what both read is the same, and a test compares them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import msgspec
import pyarrow
from pyarrow import compute

from filtersql.catalog import Catalog
from filtersql.feeds.arrow_lines import ahead, count_lines, read_lines, samples_of, written_fields
from filtersql.feeds.blocks import Block
from filtersql.feeds.column_blocks import ColumnBlock, ColumnTries, Group, Rows
from filtersql.feeds.lines import Chunk
from filtersql.feeds.native import blocks_of_chunk
from filtersql.feeds.places import Place, PlacedMistake
from filtersql.feeds.records import Record, record, relation_name

__all__ = ["ColumnReader", "column_blocks"]

#: relations with fewer changes in a block are read as fast line by line
_FEWEST = 500
_RELATION = re.compile(rb'"relation": ?"([^"\\]*)"')
_TEXT, _NUMBER = pyarrow.string(), pyarrow.int64()


def column_blocks(
    pieces: Iterable[Chunk], reader: ColumnReader, mistakes: list[PlacedMistake]
) -> Iterator[Block | ColumnBlock]:
    """The changes of some chunks, in columns where they can be read so."""
    for chunk, columns in ahead((chunk, reader.read(chunk)) for chunk in pieces):
        if columns is not None:
            yield columns
        else:
            yield from blocks_of_chunk(chunk, mistakes)


class ColumnReader(ColumnTries):
    """Reads lines as columns where they are the usual ones, as long as most of them are."""

    catalog: Catalog

    def read(self, chunk: Chunk) -> ColumnBlock | None:
        """The changes of some lines; None: they have to be read line by line."""
        if self.gave_up:
            return None
        count = count_lines(chunk.text)
        if count is not None and count < _FEWEST:
            return None
        self.misses += 1
        if count is None:
            return None
        groups = self._groups(chunk.text, count)
        if not groups:
            return None
        each = partial(blocks_of_chunk, chunk)
        block = ColumnBlock(chunk.shown, len(chunk.text), groups, each, self.taken)
        for column in (block.seq, block.previous):
            if (compute.min(column).as_py() or 0) < 0:
                return None
        return block

    def _groups(self, text: bytes, count: int) -> list[Group] | None:
        samples = samples_of(text, record)
        if samples is None:
            return None
        named = [one.relation for one in samples if one.op != "commit"]
        relations = [one for one in named if isinstance(one, str)]
        if len(relations) < len(named):
            return None
        if len({*relations}) == 1:
            found = self._group(relations[0], text, count, samples)
            if found is not None:
                return [found]
        parts: dict[str | None, list[int]] = defaultdict(list)
        lines = text.removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(lines):
            found_name = _RELATION.search(line)
            parts[found_name[1].decode() if found_name else None].append(number)
        if len(parts) < 2 or count < _FEWEST * len(parts):
            return None
        groups = []
        for relation, places in parts.items():
            own = b"\n".join([lines[number] for number in places])
            samples = samples_of(own, record)
            if (
                samples is None
                or (found := self._group(relation, own, len(places), samples)) is None
            ):
                return None
            groups.append(msgspec.structs.replace(found, places=places))
        return groups

    def _group(
        self, relation: str | None, text: bytes, count: int, samples: Sequence[Record]
    ) -> Group | None:
        """Lines of which all but commits name one relation."""
        fields = self._fields(relation, samples)
        changes = None if fields is None else read_lines(text, count, fields)
        if changes is None:
            return None
        if changes["seq"].null_count or changes["op"].null_count:
            return None
        named = compute.equal(changes["relation"], relation)
        others = compute.invert(compute.fill_null(named, False))
        commits = compute.equal(changes["op"], "commit")
        if compute.any(compute.and_not(others, commits)).as_py():
            return None
        if compute.list_flatten(changes["unchanged"]).null_count:
            return None
        tx = changes["tx"].cast(_TEXT)
        found = changes.set_column(changes.schema.get_field_index("tx"), "tx", tx)
        images = {image: Rows.of(found[image].chunk(0)) for image in ("before", "after")}
        return Group(relation, found, images, partial(_reread, text))

    def _fields(
        self, relation: str | None, samples: Sequence[Record]
    ) -> list[pyarrow.Field] | None:
        """What changes of a relation may say."""
        images: dict[str, Sequence[pyarrow.Field]] = {"before": (), "after": ()}
        if relation is not None:
            name = relation_name(relation)
            table = None if name is None else self.catalog.tables.get(name)
            if table is None:
                return None
            for image in images:
                rows = [row for row in (getattr(one, image) for one in samples) if row]
                fields = written_fields(table.columns, rows)
                if fields is None:
                    return None
                images[image] = fields
        tx = _NUMBER if {type(one.tx) for one in samples} == {int} else _TEXT
        plain = {"seq": _NUMBER, "op": _TEXT, "relation": _TEXT, "tx": tx, "prev_seq": _NUMBER}
        return [
            *(pyarrow.field(name, kind) for name, kind in plain.items()),
            *(pyarrow.field(name, pyarrow.struct(list(each))) for name, each in images.items()),
            pyarrow.field("unchanged", pyarrow.list_(_TEXT)),
        ]


def _reread(
    text: bytes, numbers: Sequence[int], mistakes: list[PlacedMistake]
) -> Iterator[tuple[Place, Record]]:
    lines = text.split(b"\n")
    return ((("", 0, lines[number]), record(lines[number])) for number in numbers)
