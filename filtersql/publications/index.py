"""All publications of a project, looked up once for all of its subscriptions.

Example
    `index_of(definitions, settings)` twice with the same definitions gives the same index, and so
    the same mistakes: a mistake of a publication is reported once, however many subscribe to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from filtersql.definitions.model import Definitions, Earlier, ReplicationSet, Subscription
from filtersql.definitions.predefined_sets import predefined_set
from filtersql.errors import Mistake, Notice
from filtersql.errors.publications import (
    PUBLICATION_DOES_NOT_EXIST,
    PUBLICATION_TWICE,
    missing_publication,
    perhaps,
)
from filtersql.errors.replication_sets import SET_NOT_FOUND, SETS_NEED_PROFILE
from filtersql.names import RelationName
from filtersql.publications.lineage import Lineage
from filtersql.publications.membership import Membership, membership
from filtersql.publications.model import Settings
from filtersql.publications.named_filters import enabled
from filtersql.publications.refusals import notices, refusals
from filtersql.publications.replication_sets import (
    ignored_partitions,
    ignored_roots,
    set_membership,
    set_refusals,
    unusable,
)
from filtersql.source import Span

__all__ = ["SET", "Index", "index_of"]

_IGNORES_MISSING = 18
PUBLICATION, SET = "publication", "replication set"


class Index(Struct, frozen=True):
    """Publications and sets by name, what is wrong with each, and the families of the tables."""

    definitions: Definitions
    settings: Settings
    lineage: Lineage
    publications: Mapping[str, Membership]
    sets: Mapping[str, Membership]
    #: by kind and name
    mistakes: Mapping[tuple[str, str], tuple[Mistake, ...]]
    #: by name, of those that have any
    notices: Mapping[str, tuple[Notice, ...]]
    #: relations that any publication or set lists, whoever subscribes to it
    roots: frozenset[RelationName]
    order: Mapping[RelationName, int]

    @property
    def kind(self) -> str:
        """What subscriptions of this source system name: publications, or replication sets."""
        sets = self.settings.semantics.publishes == "replication_sets"
        return SET if sets else PUBLICATION

    @property
    def members(self) -> Mapping[str, Membership]:
        """Those by name."""
        return self.sets if self.kind == SET else self.publications

    def subscribed(self, subscription: Subscription) -> tuple[list[Membership], list[Mistake]]:
        """The publications of a subscription in its order, and what is wrong with them."""
        semantics = self.settings.semantics
        names, others = subscription.publications, subscription.replication_sets
        other = SET
        if self.kind == SET:
            names, others, other = others, names, PUBLICATION
        mistakes: list[Mistake] = [
            SETS_NEED_PROFILE(
                span, subscription=subscription.name, kind=other, semantics=semantics.name
            )
            for _, span in others[:1]
        ]
        members: list[Membership] = []
        for name in _known_once(self.kind, names, self.members, mistakes, self._ignores_missing):
            members.append(self.members[name])
            mistakes += self.mistakes.get((self.kind, name), ())
            if self.kind == SET:
                mistakes += unusable(self.members[name], self.lineage, semantics)
        members, wrong = enabled(members, subscription, semantics)
        return members, [*mistakes, *wrong]

    @property
    def _ignores_missing(self) -> bool:
        newest = self.settings.postgres_version >= _IGNORES_MISSING
        return newest and self.kind == PUBLICATION

    def judged_then(self, earlier: Earlier) -> Iterator[Mistake]:
        """What was wrong with a publication or set when a statement said it."""
        lineage = replace(
            self.lineage,
            tables={**self.lineage.tables, **earlier.tables},
            others={**self.lineage.others, **earlier.others},
        )
        if isinstance(earlier.said, ReplicationSet):
            return set_refusals(earlier.said, lineage, self.settings)
        return refusals(earlier.said, lineage, self.settings)

    def in_vain(self, subscription: Subscription) -> Iterator[Notice]:
        """What a subscription names in vain: publications, partitions that their root silences."""
        names = {name for name, _ in subscription.replication_sets}
        chosen = [
            replication_set
            for replication_set in self.sets.values()
            if replication_set.name in names
        ]
        if self.settings.semantics.partition_routing == "root_wins":
            roots = {
                name: replication_set.name
                for replication_set in self.sets.values()
                for name in replication_set.entries
            }
            yield from ignored_partitions(subscription, chosen, roots, self.lineage)
        if self.settings.semantics.partition_routing == "as_added":
            yield from ignored_roots(subscription, chosen, self.lineage)
        for name, span in subscription.publications if self._ignores_missing else ():
            if name not in self.publications:
                yield missing_publication(name, self.publications, span)


_last: list[Index] = []


def index_of(definitions: Definitions, settings: Settings) -> Index:
    """The index of these definitions; the last one is kept, because every subscription asks."""
    for index in _last:
        if index.definitions is definitions and index.settings == settings:
            return index
    _last[:] = [_index(definitions, settings)]
    return _last[0]


def _index(definitions: Definitions, settings: Settings) -> Index:
    lineage = Lineage.of(definitions.catalog)
    written = definitions.publications.items()
    publications = {name: membership(each, lineage, settings) for name, each in written}
    sets = {
        name: set_membership(each, lineage, needs_key=settings.semantics.sets_need_key)
        for name, each in _all_sets(definitions).items()
    }
    mistakes: dict[tuple[str, str], tuple[Mistake, ...]] = {
        (PUBLICATION, name): (*refusals(each, lineage, settings), *publications[name].mistakes)
        for name, each in written
    }
    mistakes |= {
        (SET, name): tuple(set_refusals(each, lineage, settings))
        for name, each in definitions.replication_sets.items()
    }
    return Index(
        definitions,
        settings,
        lineage,
        publications,
        sets,
        mistakes,
        {name: told for name, each in written if (told := tuple(notices(each, lineage, settings)))},
        frozenset[RelationName]().union(
            *(member.entries for member in (*publications.values(), *sets.values()))
        ),
        {name: place for place, name in enumerate(definitions.catalog.tables)},
    )


def _all_sets(definitions: Definitions) -> Mapping[str, ReplicationSet]:
    """Those that are written, and the predefined ones that somebody subscribes to."""
    sets = dict(definitions.replication_sets)
    for subscription in definitions.subscriptions.values():
        for name, span in subscription.replication_sets:
            predefined = predefined_set(name, span)
            if predefined is not None:
                sets.setdefault(name, predefined)
    return sets


def _known_once(
    kind: str,
    names: Sequence[tuple[str, Span]],
    known: Mapping[str, Membership],
    mistakes: list[Mistake],
    ignores_missing: bool,
) -> Iterator[str]:
    seen: set[str] = set()
    for name, span in names:
        if name in seen:
            mistakes.append(PUBLICATION_TWICE(span, kind=kind, name=name))
        elif name not in known and ignores_missing:
            pass
        elif name not in known:
            mistakes.append(
                SET_NOT_FOUND(span, name=name, hint=perhaps(name, known))
                if kind == SET
                else PUBLICATION_DOES_NOT_EXIST(
                    span, kind=kind, name=name, hint=perhaps(name, known)
                )
            )
        else:
            yield name
        seen.add(name)
