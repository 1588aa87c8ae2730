"""Judging changes that were read as columns, and handing them to their targets: `take_columns`.

Example
    taken = take_columns(taker, block)
    None: take its lines one by one; nothing was remembered or counted of them

    What `dispatch.Taker` says of a change is said here of thousands: where each row has a value in
    each column that it needs, nothing can be wrong. In the other rows a value may be null, or
    absent: they are read line by line and judged by their shapes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import msgspec
import pyarrow
from msgspec import Struct
from pyarrow import compute

from filtersql.feeds.blocks import shapes
from filtersql.feeds.column_blocks import ColumnBlock, Group
from filtersql.feeds.dispatch import Taker
from filtersql.feeds.images import NEEDS_AFTER, NEEDS_BEFORE, Judged
from filtersql.feeds.order import Order
from filtersql.feeds.placed_order import PlacedOrder
from filtersql.feeds.places import PlacedMistake
from filtersql.feeds.staging import ChangeStage, distinct
from filtersql.feeds.transaction_order import TransactionOrder

__all__ = ["take_columns"]

_OPERATIONS = frozenset({"insert", "update", "delete", "read", "commit"})
_Mask: TypeAlias = pyarrow.BooleanArray


class _Taken(Struct, frozen=True):
    """What is known of a group, and what each stage takes of it."""

    group: Group
    judged: Judged
    staged: Sequence[tuple[ChangeStage, Sequence[pyarrow.Array]]]


def take_columns(taker: Taker, block: ColumnBlock) -> int | None:
    """Take a block's changes; how many times a target's file took one. Raises Unordered."""
    order = taker.order
    if isinstance(order, Order):
        return None
    first, last = int(compute.min(block.seq).as_py()), block.newest
    parted = order.start is not None and first <= order.start < last
    if parted or any(landing.parts(first, last) for landing in taker.landings):
        return None
    new = order.start is None or first > order.start
    found: list[_Taken] = []
    for group in block.groups:
        taken = _judged(taker, group, last, new=new)
        if taken is None:
            return None
        found.append(taken)
    for group in block.groups if taker.asks_for_newest else ():
        taker.note_newest(group.relation, group.newest)
    if new and isinstance(order, TransactionOrder):
        is_commit = compute.equal(block.op, "commit")
        order.extend_columns(block.seq, block.tx, block.previous, is_commit)
    elif new and isinstance(order, PlacedOrder):
        order.extend_columns(block.seq, block.op)
    return sum(_take(taker, taken, last, new=new) for taken in found)


def _take(taker: Taker, taken: _Taken, last: int, *, new: bool) -> int:
    for op, count in taken.group.counts.items():
        taker.tally.total += count
        taker.count(taken.judged, op, count, last, new=new)
    for stage, arrays in taken.staged:
        stage.extend_columns(arrays)
    return sum(len(arrays[0]) for _, arrays in taken.staged)


def _judged(taker: Taker, group: Group, last: int, *, new: bool) -> _Taken | None:
    """What is right about a group; None: some of it may not be."""
    ops = group.counts
    judged: Judged | None = Judged(())
    if group.relation is not None:
        columns = tuple(group.images["after"].columns)
        judged = taker.judged(("read", group.relation, None, columns, None))
    if judged is None or not _OPERATIONS.issuperset(ops):
        return None
    takers: dict[int, set[str]] = {}
    for op in ops:
        for stage in taker.takers(judged, op, last, new=new):
            takers.setdefault(id(stage), set()).add(op)
    stages = [stage for stage in distinct(taker.stages) if id(stage) in takers]
    if judged.targets and not _is_right(taker, group, judged, stages):
        return None
    staged = []
    images = {image: rows.columns for image, rows in group.images.items()}
    for stage in stages:
        arrays = stage.arrays_of(group.column, images)
        if arrays is None:
            return None
        chosen = takers[id(stage)]
        if len(chosen) < len(ops):
            mask = group.is_among(chosen)
            arrays = [array.filter(mask) for array in arrays]
        staged.append((stage, arrays))
    return _Taken(group, judged, staged)


def _is_right(taker: Taker, group: Group, judged: Judged, stages: Collection[ChangeStage]) -> bool:
    """Whether each change says all that it has to."""
    before, after = group.images["before"], group.images["after"]
    needs_after, looks_back = group.is_among(NEEDS_AFTER), group.is_among({"update", "delete"})
    needing = {*(NEEDS_BEFORE if judged.old else ()), *(("update",) if judged.judges_old else ())}
    for needs, rows in ((needs_after, after), (group.is_among(needing), before)):
        if compute.any(compute.and_not(needs, rows.there)).as_py():
            return False
    guarded = {column.name for stage in stages for column in stage.guarded}
    old, new = judged.old.difference(before.told), judged.new.difference(after.told)
    doubts = [
        *_lacking(after.columns, new, needs_after),
        *_lacking(before.columns, old, compute.and_(looks_back, before.there)),
        *(
            one
            for rows in (before, after)
            for one in _lacking(rows.columns, guarded.difference(rows.untold), rows.there)
        ),
    ]
    unchanged = group.column("unchanged")
    if unchanged.null_count < len(unchanged):
        doubts.append(unchanged.is_valid())
    if not doubts:
        return True
    return _are_right(taker, group, reduce(compute.or_, doubts), guarded)


def _lacking(
    columns: Mapping[str, pyarrow.Array], names: Collection[str], needs: _Mask
) -> Iterator[_Mask]:
    """The rows that need a value and have none, of each column where there are some."""
    for name in names:
        column = columns.get(name)
        if column is None:
            yield needs
        elif column.null_count:
            lacking = compute.and_(column.is_null(), needs)
            if compute.any(lacking).as_py():
                yield lacking


def _are_right(taker: Taker, group: Group, chosen: _Mask, guarded: Collection[str]) -> bool:
    """Whether some changes are right, each looked at by itself."""
    numbers, mistakes = compute.indices_nonzero(chosen).to_pylist(), list[PlacedMistake]()
    try:
        records = [change for _, change in group.reread(numbers, mistakes)]
    except (msgspec.DecodeError, UnicodeError):
        return False
    if mistakes or any(taker.judged(shape) is None for shape in {*shapes(records)}):
        return False
    images = (image for one in records for image in (one.before, one.after) if image)
    return not any(name in image and image[name] is None for image in images for name in guarded)
