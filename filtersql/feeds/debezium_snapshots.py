"""What the rows of Debezium's snapshots tell beyond themselves.

Example
    covered(reads, catalog)             partitioned tables whose rows stand there a second time
    second_snapshots(snapshots, …)      tables of which another one was taken, and its place
    read_before(snapshots, counted, …)  places of which rows may have been read before
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from filtersql.catalog import Catalog
from filtersql.feeds.debezium_order import is_keyed
from filtersql.feeds.held import Counted
from filtersql.feeds.landings import Lasts
from filtersql.feeds.positions import SLOT_BITS
from filtersql.names import RelationName

__all__ = ["covered", "read_before", "second_snapshots"]


def covered(reads: Mapping[RelationName, int], catalog: Catalog) -> Iterator[RelationName]:
    """The partitioned tables that have as many rows as their leaves: a snapshot is one moment."""
    for name, count in reads.items():
        table = catalog.tables.get(name)
        if table is not None and table.partition_by is not None:
            below = (
                found
                for leaf, found in reads.items()
                if (known := catalog.tables.get(leaf)) is not None
                and known.partition_by is None
                and any(each.name == name for each in catalog.ancestors(leaf))
            )
            if sum(below) == count:
                yield name


def second_snapshots(
    snapshots: Mapping[RelationName, Collection[int]],
    firsts: Mapping[RelationName, int],
    lasts: Lasts,
) -> dict[RelationName, int]:
    """Tables of which a second snapshot was taken that some target has not read, and its place.

    It stands behind other changes of its table: `firsts` are the first places of the tables.
    """
    found: dict[RelationName, int] = {}
    for table, places in snapshots.items():
        newest, seqs = max(places), lasts.get(table, ())
        known = {firsts[table], *(seq >> SLOT_BITS for seq in seqs if seq >= 0)}
        if min(known) < newest and any(seq < newest << SLOT_BITS for seq in seqs):
            found[table] = newest
    return found


def read_before(
    snapshots: Mapping[RelationName, Collection[int]],
    counted: Counted,
    catalog: Catalog,
    lasts: Lasts,
) -> Iterator[tuple[int, RelationName]]:
    """Places and tables of a snapshot whose rows were counted before and may stand here again.

    A table with a key is none of them: its rows would be known as the same ones. Nor is a place
    that all targets are beyond: they take none of its rows.
    """
    for name, places in snapshots.items():
        if not is_keyed(catalog, name):
            stands = min(lasts.get(name, ()), default=-1) >> SLOT_BITS
            yield from ((at, name) for at in places if at >= stands and (at, name) in counted)
