"""Under whose name a partition's rows are published, and which publications then count.

The topmost ancestor that any subscribed publication publishes via root wins. Publications of a
lower level are displaced: their filters and column lists do not count, their actions still do.

Example
    ========== =================== ============ =============
    filter on  via_partition_root  published as filter used
    ========== =================== ============ =============
    root       yes                 root         root's
    leaf       no                  leaf         leaf's
    both       yes                 root         root's
    leaf       yes                 leaf         leaf's
    ========== =================== ============ =============

    Two publications, A (root, via root, insert only, id > 10) and B (leaf, update and delete,
    id < 5): the leaf's rows are published as root; inserts by A's filter, updates and deletes by
    no filter at all.

    Replication sets with routing `root_wins` (3.7's manual): a root in any set stands for all of
    its partitions. With `as_added` (what pglogical 2.4 does): a root in a set sends nothing, and
    each partition is sent by its own memberships alone.

PostgreSQL
    pgoutput.c, get_rel_sync_entry(); pg_publication.c, GetTopMostAncestorInPublication()
pglogical
    pglogical_repset.c, get_table_replication_info(), which is asked of the leaf
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from filtersql.names import RelationName
from filtersql.publications.lineage import Lineage, is_publishable
from filtersql.publications.membership import Membership

__all__ = ["Listing", "Published", "listing", "published_as"]

Routing = Literal["via_root_topmost", "leaf", "root_wins", "as_added"]


class Published(Struct, frozen=True):
    """The relation under whose name rows are sent; members by the relation that they list.

    `members` publish under that name, `displaced` under a lower one.
    """

    name: RelationName
    members: tuple[tuple[Membership, RelationName], ...]
    displaced: tuple[tuple[Membership, RelationName], ...] = ()


class Listing(Struct, frozen=True):
    """The subscribed publications, found by the relation or schema that they list."""

    members: Sequence[Membership]
    routing: Routing
    by_name: Mapping[RelationName, Sequence[int]]
    by_schema: Mapping[str, Sequence[int]]
    all_tables: Sequence[int]
    #: listed by any set of the project: under `root_wins` it silences its partitions' memberships
    roots: frozenset[RelationName]


def listing(
    members: Sequence[Membership], routing: Routing, roots: Iterable[RelationName] = ()
) -> Listing:
    """Index the subscribed publications."""
    by_name: dict[RelationName, list[int]] = {}
    by_schema: dict[str, list[int]] = {}
    for index, member in enumerate(members):
        for name in member.entries:
            by_name.setdefault(name, []).append(index)
        for schema in member.schemas:
            by_schema.setdefault(schema, []).append(index)
    all_tables = [index for index, member in enumerate(members) if member.all_tables]
    return Listing(members, routing, by_name, by_schema, all_tables, frozenset(roots))


def published_as(name: RelationName, listed: Listing, lineage: Lineage) -> Published | None:
    """Where the rows written to a relation go, or None when no publication holds it."""
    path = lineage.lineage(name)
    heights = _heights(path, listed, lineage)
    is_root = lineage.tables[name].partition_by is not None
    if is_root and listed.routing == "as_added":
        return None
    if is_root and listed.routing == "via_root_topmost":
        # A partitioned table has no rows of its own; only via root anything bears its name.
        heights = {up: at for up, at in heights.items() if listed.members[up].via_root}
    if not heights:
        return None
    levels = {index: _level(height, index, listed) for index, height in heights.items()}
    top = max(levels.values())
    members = [(index, listed.members[index], path[heights[index]]) for index in sorted(levels)]
    return Published(
        path[top],
        tuple((member, at) for index, member, at in members if levels[index] == top),
        tuple((member, at) for index, member, at in members if levels[index] < top),
    )


def _heights(path: Sequence[RelationName], listed: Listing, lineage: Lineage) -> dict[int, int]:
    """For each publication that holds the relation: how high in the tree, at its topmost."""
    heights: dict[int, int] = {}
    lowest = 0
    if listed.routing == "root_wins":
        lowest = max((up for up, name in enumerate(path) if name in listed.roots), default=0)
    for height in range(lowest, 1 if listed.routing == "as_added" else len(path)):
        name = path[height]
        for index in listed.by_name.get(name, ()):
            heights[index] = height
        # A schema holds its logged tables only; a partition comes with its root whatever it is.
        if name.schema in listed.by_schema and is_publishable(lineage.tables[name]):
            for index in listed.by_schema[name.schema]:
                heights[index] = height
    top = len(path) - 1
    for index in listed.all_tables:
        member = listed.members[index]
        # The copy of a root reads its unlogged partitions, too.
        held = path[top if member.via_root else 0]
        if path[top] not in member.excepted and is_publishable(lineage.tables[held]):
            heights[index] = top
    return heights


def _level(height: int, index: int, listed: Listing) -> int:
    match listed.routing:
        case "root_wins":
            return height
        case "via_root_topmost":
            return height if listed.members[index].via_root else 0
        case "leaf" | "as_added":
            return 0
