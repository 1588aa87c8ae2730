"""All publications of a project, looked up once for all of its subscriptions.

Example
    `index_of(definitions, settings)` twice with the same definitions gives the same index, and so
    the same mistakes: a mistake of a publication is reported once, however many subscribe to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from filtersql.definitions.model import Definitions, Subscription
from filtersql.errors import Mistake, Notice
from filtersql.errors.publications import PublicationDoesNotExist, PublicationTwice
from filtersql.names import RelationName
from filtersql.publications.lineage import Lineage
from filtersql.publications.membership import Membership, membership
from filtersql.publications.model import Settings
from filtersql.publications.refusals import notices, refusals
from filtersql.source import Span

__all__ = ["Index", "index_of"]


@dataclass(frozen=True, slots=True)
class Index:
    """Publications by name, what is wrong with each, and the families of the tables."""

    definitions: Definitions
    settings: Settings
    lineage: Lineage
    publications: Mapping[str, Membership]
    mistakes: Mapping[str, tuple[Mistake, ...]]
    notices: Mapping[str, tuple[Notice, ...]]
    #: relations that any set lists, whoever subscribes to it
    roots: frozenset[RelationName]
    order: Mapping[RelationName, int]

    def subscribed(self, subscription: Subscription) -> tuple[list[Membership], list[Mistake]]:
        """The publications of a subscription in its order, and what is wrong with them."""
        members: list[Membership] = []
        mistakes: list[Mistake] = []
        for name in _known_once("publication", subscription.publications, self, mistakes):
            members.append(self.publications[name])
            mistakes += self.mistakes[name]
        return members, mistakes


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
    publications = {
        name: membership(publication, lineage, settings)
        for name, publication in definitions.publications.items()
    }
    written = definitions.publications.items()
    return Index(
        definitions,
        settings,
        lineage,
        publications,
        {
            name: (*refusals(each, lineage, settings), *publications[name].mistakes)
            for name, each in written
        },
        {name: tuple(notices(each, lineage, settings)) for name, each in written},
        frozenset(name for member in publications.values() for name in member.entries),
        {name: place for place, name in enumerate(definitions.catalog.tables)},
    )


def _known_once(
    kind: str, names: Sequence[tuple[str, Span]], index: Index, mistakes: list[Mistake]
) -> Iterator[str]:
    seen: set[str] = set()
    for name, span in names:
        if name in seen:
            mistakes.append(PublicationTwice(kind, name, span))
        elif name not in index.publications:
            mistakes.append(PublicationDoesNotExist(kind, name, index.publications, span))
        else:
            yield name
        seen.add(name)
