"""Parts of a feed that were read by themselves, and whether they follow each other: `chained`.

Example
    ========= ======= ======= ==============
    segment   first   last    transaction
    ========= ======= ======= ==============
    1         1       70      ends within b
    2         71      120     b goes on here
    ========= ======= ======= ==============
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from filtersql.feeds.blocks import Block
from filtersql.feeds.column_blocks import ColumnBlock
from filtersql.feeds.transaction_order import TransactionOrder

__all__ = ["Chain", "Segment", "chained", "grown"]


class Segment(Struct, frozen=True):
    """Changes of one piece; those above the start have an order."""

    file: str
    #: the largest seq, of changes at or below the start, too
    newest: int = -1
    first: int | None = None
    #: prev_seq and transaction of the first change
    previous: int | None = None
    transaction: str | None = None
    last: int | None = None
    #: the transaction that the last change leaves open
    open: str | None = None
    #: whether the last change ends its transaction
    whole: bool = True


class Chain(Struct, frozen=True):
    """Segments that follow each other: `inner` are ends of segments within a transaction."""

    last: int | None
    whole: bool
    inner: frozenset[int]


def chained(segments: Iterable[Segment], start: int | None) -> Chain | None:
    """All segments, one behind the other; None where they do not follow so."""
    found = sorted(
        (one for one in segments if one.first is not None), key=lambda one: (one.first, one.last)
    )
    inner: set[int] = set()
    last, going_on = start, None
    for one in found:
        first, previous = one.first or 0, one.previous
        if last is not None and (first <= last or (previous is not None and previous > last)):
            return None
        if last is not None and one.transaction is not None and one.transaction == going_on:
            inner.add(last)
        last, going_on = one.last, one.open
    newest = found[-1] if found else None
    whole = newest is None or newest.whole
    return Chain(None if newest is None else newest.last, whole, frozenset(inner))


def grown(segment: Segment, block: Block | ColumnBlock, order: TransactionOrder) -> Segment:
    """A segment with one more block, which its order has taken."""
    segment = replace(segment, newest=max(segment.newest, block.newest))
    if order.last is None:
        return segment
    if segment.first is None:
        first = block.first_above(-1 if order.start is None else order.start)
        transaction = None if first.tx is None else str(first.tx)
        segment = replace(
            segment, first=first.seq, previous=first.prev_seq, transaction=transaction
        )
    return replace(segment, last=order.last, open=order.open, whole=order.whole)
