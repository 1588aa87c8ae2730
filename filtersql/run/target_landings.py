"""What a feed is told of a target: where it stands, and what was read of its tables.

Example
    ==================== ========================================================
    a target that        is told to stand
    ==================== ========================================================
    the ledger knows     at its own changes; `reached` is how far the feed was read
    is copied first      at the changes that the copy's source holds already
    ==================== ========================================================
"""

from __future__ import annotations

from collections.abc import Mapping

from filtersql.definitions.model import Subscription
from filtersql.feeds.formats import end_of_place, own_position, place_bits
from filtersql.feeds.landings import Landing
from filtersql.names import RelationName
from filtersql.rendering.compiled import CompiledTable
from filtersql.run.ledger_entry import Entry

__all__ = ["copied_to", "landing_of", "landing_of_copy", "newest_of_tables", "tables_of"]


def tables_of(compiled: CompiledTable) -> frozenset[RelationName]:
    """The source tables whose changes a target takes."""
    return frozenset((*compiled.sources, *(compiled.truncated_by if compiled.truncates else ())))


def landing_of(subscription: Subscription, compiled: CompiledTable, entry: Entry) -> Landing:
    """What a feed is told of a target whose newest row is true."""
    position = own_position(subscription.changes, entry.stands, entry.position)
    newest = newest_of_tables(compiled, subscription, entry.read, entry.position)
    return Landing(compiled, position, entry.position, newest)


def landing_of_copy(subscription: Subscription, compiled: CompiledTable) -> Landing:
    """The same of a target that is copied first."""
    at = copied_to(compiled, subscription)
    return Landing(compiled, at, at, newest_of_tables(compiled, subscription, {}, at))


def copied_to(compiled: CompiledTable, subscription: Subscription) -> int | None:
    """The changes that a source of an initial copy holds already."""
    source = subscription.source
    return source.seq_of(compiled.relation) if source and compiled.copy_data else None


def newest_of_tables(
    compiled: CompiledTable,
    subscription: Subscription,
    known: Mapping[RelationName, int],
    reached: int | None,
) -> Mapping[RelationName, int] | None:
    """The last change of each table of a target; of a table that is not `known` all was read."""
    if place_bits(subscription.changes) is None:
        return None
    all_read = -1 if reached is None else end_of_place(subscription.changes, reached)
    return {name: known.get(name, all_read) for name in tables_of(compiled)}
