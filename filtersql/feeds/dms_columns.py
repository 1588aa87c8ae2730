"""Rows of DMS as columns: `ColumnReader(changes).blocks(batches, mistakes)`.

Example
    ===== ======== ============ =========== ===========
    seq   op       before.id    after.id    after.v
    ===== ======== ============ =========== ===========
    17    update   –            2           –
    18    delete   3            –           –
    ===== ======== ============ =========== ===========

    What `Changes` makes of one row is made here of thousands, which are of one table and have one
    header. Where something is wrong with a row, or unusual, it is asked instead; a test compares
    the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import pyarrow
from pyarrow import compute

from filtersql.feeds.blocks import Block, in_blocks
from filtersql.feeds.column_blocks import (
    ColumnBlock,
    ColumnTries,
    Group,
    Rows,
    each_of,
    plain_changes,
)
from filtersql.feeds.dms_changes import OPS, Changes, Member
from filtersql.feeds.dms_rows import Batch
from filtersql.feeds.places import PlacedMistake
from filtersql.feeds.records import relation_written

__all__ = ["ColumnReader"]

#: fewer rows are read as fast one by one
_FEWEST = 100


class ColumnReader(ColumnTries):
    """Reads rows as columns where they are the usual ones, as long as most of them are."""

    changes: Changes

    def blocks(
        self, batches: Iterable[tuple[Batch, Sequence[int]]], mistakes: list[PlacedMistake]
    ) -> Iterator[Block | ColumnBlock]:
        """The changes of rows, each batch with its seqs."""
        for batch, seqs in batches:
            found = self._read(batch, seqs)
            if found is None:
                yield from in_blocks(self.changes.each(batch, seqs, mistakes))
            else:
                yield found

    def _read(self, batch: Batch, seqs: Sequence[int]) -> ColumnBlock | None:
        if self.gave_up or len(batch.rows) < _FEWEST:
            return None
        self.misses += 1
        try:
            group = self._group(batch, seqs)
        except (pyarrow.ArrowException, OverflowError):
            return None
        if group is None:
            return None
        each = partial(each_of, [group])
        return ColumnBlock(batch.shown, batch.size, [group], each, self.taken)

    def _group(self, batch: Batch, seqs: Sequence[int]) -> Group | None:
        table = self.changes.catalog.tables.get(batch.table)
        relation = relation_written(*batch.table)
        if table is None or not isinstance(relation, str):
            return None
        ops: list[str | None] = ["read"] * len(seqs)
        if not batch.is_load:
            ops = [OPS.get(str(op)) for op in batch.column("Op")]
        if None in ops:
            return None
        op, shape = pyarrow.array(ops, pyarrow.string()), self.changes.shape(batch)
        columns = dict(zip(batch.header, zip(*batch.rows, strict=True), strict=True))
        is_deleted = compute.equal(op, "delete")
        null = self.changes.null(batch)
        new = self._image(shape.new, columns, op.is_valid(), null)
        if new is None:
            return None
        if shape.old is None:
            has_old = is_deleted
            old = {name: values for name, values in new.items() if name in shape.logged}
        else:
            looks_back = compute.or_(compute.equal(op, "update"), is_deleted)
            has_old = compute.and_(looks_back, bool(shape.old))
            found = self._image(shape.old, columns, has_old, null)
            if found is None:
                return None
            old = found
        known = [column.name for column in table.columns]
        images = {
            "before": _rows(has_old, old, known),
            "after": _rows(compute.invert(is_deleted), new, known),
        }
        seq, tx = pyarrow.array(seqs, pyarrow.int64()), pyarrow.nulls(len(op), pyarrow.string())
        reread = partial(self.changes.some, batch, seqs)
        return Group(relation, plain_changes(seq, op, tx), images, reread)

    def _image(
        self,
        members: Sequence[Member],
        columns: Mapping[str, Sequence[object]],
        there: pyarrow.BooleanArray,
        null: str | None,
    ) -> dict[str, pyarrow.Array] | None:
        """The values of rows that are there; None: what stands for NULL may be a text."""
        found = dict[str, pyarrow.Array]()
        for one in members:
            written = columns[one.key]
            if (finish := one.finish) is not None:
                written = [
                    finish(value) if isinstance(value, str) and value != null else value
                    for value in written
                ]
            values = pyarrow.array(written)
            if null is not None and values.type == pyarrow.string():
                is_null = compute.fill_null(compute.equal(values, null), False)
                if one.ambiguous and compute.any(compute.and_(is_null, there)).as_py():
                    return None
                values = compute.if_else(is_null, None, values)
            found[one.name] = values
        return found


def _rows(
    there: pyarrow.BooleanArray, values: Mapping[str, pyarrow.Array], known: Collection[str]
) -> Rows:
    """Images of all columns that are known; of those that are not told nothing."""
    untold = {name for name in known if name not in values}
    columns = dict.fromkeys(untold, pyarrow.nulls(len(there), pyarrow.string()))
    told = {name: compute.if_else(there, one, None) for name, one in values.items()}
    return Rows(there, columns | told, told.keys(), untold)
