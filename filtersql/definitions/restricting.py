"""The definitions of one family, and of nothing else: what the rest of the program sees of it.

Example
    p: FOR TABLE t1 WHERE (a > 5), t2; s subscribes to p and q; q: FOR TABLE t2
    Of the family of t1: the table t1, p FOR TABLE t1 WHERE (a > 5), and s, subscribed to p.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypeVar

from msgspec.structs import replace

from filtersql.catalog import Catalog
from filtersql.definitions.catalog_builder import Drafts
from filtersql.definitions.families import Family
from filtersql.definitions.model import Definitions, Publication, PublishedTable, ReplicationSet
from filtersql.names import RelationName
from filtersql.source import Span

__all__ = ["Restricting", "keep_only"]

_Group = TypeVar("_Group", Publication, ReplicationSet)
_Named = tuple[tuple[str, Span], ...]
#: by table, with their places in the list
_Entries = dict[RelationName, list[tuple[int, PublishedTable]]]


def keep_only(drafts: Drafts, tables: Collection[RelationName]) -> None:
    """Leaves other tables out: what they refer to may stand in files that were not read."""
    drafts.tables = {name: each for name, each in drafts.tables.items() if name in tables}
    drafts.test_subscriptions.clear()


class Restricting:
    """Cuts the definitions of families out of some that hold more."""

    def __init__(self, definitions: Definitions) -> None:
        self._definitions = definitions
        #: the entries of each publication and set by table, which most families have one of
        self._entries: dict[tuple[str, str], _Entries] = {}
        kinds = (definitions.publications, definitions.replication_sets)
        self._places = {name: place for kind in kinds for place, name in enumerate(kind)}

    def of(self, family: Family) -> Definitions:
        """What is defined of a family."""
        whole = self._definitions
        if family.whole:
            return whole
        names = [RelationName(*name[1:]) for name in family.tables]
        tables = {name: whole.catalog.tables[name] for name in names}
        schemas = frozenset({"public", *(name.schema for name in names)})
        kept = {kind: _of_kind(family.publications, kind) for kind in ("publications", _SETS)}
        return Definitions(
            Catalog(tables, replace(whole.catalog.made, schemas=schemas), schemas),
            self._groups("publications", whole.publications, kept["publications"], names),
            self._groups(_SETS, whole.replication_sets, kept[_SETS], names),
            {
                name: replace(
                    each,
                    publications=_kept(each.publications, kept["publications"]),
                    replication_sets=_kept(each.replication_sets, kept[_SETS]),
                )
                for name in _of_kind(family.subscriptions, "subscriptions")
                if (each := whole.subscriptions[name])
            },
        )

    def _groups(
        self,
        kind: str,
        groups: Mapping[str, _Group],
        names: Iterable[str],
        tables: Iterable[RelationName],
    ) -> dict[str, _Group]:
        """Publications or sets with the entries of these tables."""
        found: dict[str, _Group] = {}
        for name in sorted(filter(groups.__contains__, names), key=self._places.__getitem__):
            entries = self._by_table(kind, groups[name])
            kept = sorted(pair for table in tables for pair in entries.get(table, ()))
            found[name] = replace(groups[name], tables=tuple(entry for _, entry in kept))
        return found

    def _by_table(self, kind: str, group: Publication | ReplicationSet) -> _Entries:
        known = self._entries.get((kind, group.name))
        if known is None:
            known = self._entries[kind, group.name] = {}
            for place, entry in enumerate(group.tables):
                known.setdefault(entry.name, []).append((place, entry))
        return known


_SETS = "replication_sets"


def _of_kind(names: Iterable[tuple[str, ...]], kind: str) -> dict[str, None]:
    return dict.fromkeys(name[1] for name in names if name[0] == kind)


def _kept(named: _Named, names: Collection[str]) -> _Named:
    return tuple(pair for pair in named if pair[0] in names)
