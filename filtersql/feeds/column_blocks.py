"""Some thousand changes of the native feed as columns: `ColumnReader(catalog).read(chunk)`.

Example
    ===== ======== ============ =========== ===========
    seq   op       before.a     after.a     after.b
    ===== ======== ============ =========== ===========
    17    update   –            2           102
    18    delete   3            –           –
    ===== ======== ============ =========== ===========

    Each relation's changes are read by Arrow, with a type for each column that keeps what was
    written, as some of the lines tell it. Lines of any other kind are left to `records.record`,
    which reads one at a time; what both read is the same, and a test compares them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec
import pyarrow
from msgspec import Struct
from pyarrow import compute

from filtersql.catalog import Catalog
from filtersql.feeds.arrow_lines import count_lines, read_lines, samples_of, written_fields
from filtersql.feeds.lines import Chunk
from filtersql.feeds.records import Record, record, relation_name

__all__ = ["ColumnBlock", "ColumnReader", "Group"]

#: relations with fewer changes in a block are read as fast line by line
_FEWEST = 500
#: a feed of which so many blocks in a row are not usual is read without a try
_MOST_MISSES = 3
_RELATION = re.compile(rb'"relation": ?"([^"\\]*)"')
_TEXT, _NUMBER = pyarrow.string(), pyarrow.int64()


class Rows(Struct, frozen=True):
    """The old, or the new, rows of changes: `there` says which changes have one."""

    there: pyarrow.BooleanArray
    columns: Mapping[str, pyarrow.Array]

    @classmethod
    def of(cls, image: pyarrow.StructArray) -> Rows:
        """The columns of an image; a value is null, too, where there is no row."""
        names = [field.name for field in image.type]
        return cls(image.is_valid(), dict(zip(names, image.flatten(), strict=True)))


class Group(Struct, frozen=True, dict=True):
    """Changes of one relation, in their order; of None: commits."""

    relation: str | None
    text: bytes
    changes: pyarrow.Table
    #: where they stand among all changes of the block; None: they are all
    places: Sequence[int] | None = None

    def column(self, name: str) -> pyarrow.Array:
        """A member of each change."""
        (chunk,) = self.changes[name].chunks
        return chunk

    @cached_property
    def images(self) -> Mapping[str, Rows]:
        """Old rows, and new ones."""
        return {image: Rows.of(self.column(image)) for image in ("before", "after")}

    @cached_property
    def _ops(self) -> pyarrow.DictionaryArray:
        return self.column("op").dictionary_encode()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many changes there are of each op."""
        names = self._ops.dictionary.to_pylist()
        counted = self._ops.indices.value_counts().to_pylist()
        return {names[one["values"]]: one["counts"] for one in counted}

    def is_among(self, ops: Collection[str]) -> pyarrow.BooleanArray:
        """Whether each change is one of these."""
        known = [op in ops for op in self._ops.dictionary.to_pylist()]
        return pyarrow.array(known, pyarrow.bool_()).take(self._ops.indices)

    def records(self, chosen: pyarrow.BooleanArray) -> Iterator[Record]:
        """Some of the changes, read line by line. Raises msgspec.DecodeError."""
        lines = self.text.split(b"\n")
        for number in compute.indices_nonzero(chosen).to_pylist():
            yield record(lines[number])


class ColumnBlock(Struct, frozen=True, dict=True):
    """The changes of some lines, relation by relation, and what their order is told by."""

    chunk: Chunk
    groups: Sequence[Group]
    seq: pyarrow.Int64Array
    tx: pyarrow.StringArray
    previous: pyarrow.Int64Array
    is_commit: pyarrow.BooleanArray
    reader: ColumnReader

    @property
    def shown(self) -> str:
        """The file that they are from."""
        return self.chunk.shown

    @property
    def size(self) -> int:
        """The bytes of its lines."""
        return len(self.chunk.text)

    @cached_property
    def newest(self) -> int:
        """The largest seq."""
        return int(compute.max(self.seq).as_py())

    def first_above(self, start: int) -> Record | None:
        """The first change above a position, with what tells its order."""
        found = compute.index(compute.greater(self.seq, start), True).as_py()
        if found < 0:
            return None
        seq, tx, previous = (column[found].as_py() for column in (self.seq, self.tx, self.previous))
        return Record(seq=seq, op="", tx=tx, prev_seq=previous)


class ColumnReader(Struct):
    """Reads lines as columns where they are the usual ones, as long as most of them are."""

    catalog: Catalog
    misses: int = 0

    def read(self, chunk: Chunk) -> ColumnBlock | None:
        """The changes of some lines; None: they have to be read line by line."""
        if self.misses >= _MOST_MISSES:
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
        seq, op, tx, previous = (
            _in_order(groups, name) for name in ("seq", "op", "tx", "prev_seq")
        )
        for column in (seq, previous):
            if (compute.min(column).as_py() or 0) < 0:
                return None
        is_commit = compute.equal(op, "commit")
        return ColumnBlock(chunk, groups, seq, tx, previous, is_commit, self)

    def taken(self) -> None:
        """What was read last could be used."""
        self.misses = 0

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
        return Group(relation, text, found)

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


def _in_order(groups: Sequence[Group], name: str) -> pyarrow.Array:
    """A member of all changes, as their lines stand."""
    if len(groups) == 1:
        return groups[0].column(name)
    places = [number for group in groups for number in group.places or ()]
    found = pyarrow.concat_arrays([group.column(name) for group in groups])
    return found.take(compute.sort_indices(pyarrow.array(places, _NUMBER)))
