"""Foreign keys that point out of what is replicated: the referenced table is not there.

Example
    ======================================== =====================================
    set s2: t2 (x references t1)             t2, public, t2_x_fkey, s2
    set s2: t1, t2                           nothing
    subscription: p1 (t2), p2 (t1)           nothing: it gets both
    ======================================== =====================================

BDR
    Replication sets, "Foreign key closure": the four columns of the manual's query; BDR itself does
    not check. A replication set has to hold both tables; of publications, the subscription.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from filtersql.catalog import Table
from filtersql.errors import Notice
from filtersql.errors.publications import shown
from filtersql.names import RelationName
from filtersql.publications.index import SET, Index
from filtersql.publications.membership import Membership
from filtersql.publications.model import ResolvedTable

__all__ = ["OpenKey", "open_keys", "open_keys_of_sets", "unclosed"]


class OpenKey(NamedTuple):
    """A row of the manual's query."""

    relname: str
    nspname: str
    conname: str
    set_name: str


def open_keys_of_sets(members: Iterable[Membership], index: Index) -> Iterator[OpenKey]:
    """The violations of each replication set."""
    for member in members:
        held = {name for name in member.entries if name in index.lineage.tables}
        yield from open_keys(held, index.lineage.tables, member.name)


def open_keys(
    held: Iterable[RelationName], tables: Mapping[RelationName, Table], where: str
) -> Iterator[OpenKey]:
    """The foreign keys of tables that are there to tables that are not."""
    names = frozenset(held)
    for name in sorted(names):
        for key in tables[name].foreign_keys:
            if key.references not in names:
                yield OpenKey(name.name, name.schema, key.name, where)


def unclosed(
    resolved_tables: Iterable[ResolvedTable], members: Iterable[Membership], index: Index
) -> Mapping[RelationName, tuple[Notice, ...]]:
    """The warnings of one subscription, by the table that has the key."""
    targets = {each.table.name: each for each in resolved_tables}
    held = {*targets, *(source for each in targets.values() for source in each.sources)}
    keys: Iterable[OpenKey] = open_keys(held, index.lineage.tables, "")
    kind = "subscription"
    if index.kind == SET:
        keys, kind = open_keys_of_sets(members, index), SET
    notices: dict[RelationName, list[Notice]] = {}
    for key in keys:
        name = RelationName(key.nspname, key.relname)
        target = next(
            (one for one in targets.values() if name in (one.table.name, *one.sources)), None
        )
        if target is not None:
            where = key.set_name or target.subscription.name
            notice = _notice(name, key, f'{kind} "{where}"', target, index)
            notices.setdefault(target.table.name, []).append(notice)
    return {name: tuple(each) for name, each in notices.items()}


def _notice(
    name: RelationName, key: OpenKey, where: str, target: ResolvedTable, index: Index
) -> Notice:
    foreign_keys = index.lineage.tables[name].foreign_keys
    made = next(foreign_key for foreign_key in foreign_keys if foreign_key.name == key.conname)
    return Notice(
        "foreign-key-outside",
        f'table "{shown(name)}" references "{shown(made.references)}", which {where} does not hold',
        target.subscription.span,
        f'The foreign key is "{key.conname}".',
    )
