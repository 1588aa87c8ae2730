"""PUBLISHED: which relation, columns, actions and filters a subscription gets, and why.

    resolve(subscription, definitions, semantics=…) -> the targets of one subscription
    check(definitions, semantics=…)                 -> what is wrong with any publication

Each rule is a module: membership, partition_root, actions, columns, initial_copy, truncates,
identity, flag; `resolve` calls them in order. They read switches of `Semantics`, never its name.
"""

from __future__ import annotations

from collections.abc import Iterator

from filtersql.definitions.model import Definitions, Earlier, Subscription
from filtersql.errors import Mistake, Mistakes, Notice
from filtersql.errors.publications import FLAG_NEEDS_PUBLICATIONS
from filtersql.publications.index import Index, index_of
from filtersql.publications.model import Contribution, ResolvedTable, Settings
from filtersql.publications.resolve import resolve_with
from filtersql.publications.unsubscribed import unsubscribed
from filtersql.semantics import Semantics

__all__ = [
    "Contribution",
    "ResolvedTable",
    "Settings",
    "check",
    "index_of",
    "judged_then",
    "resolve",
    "unsubscribed",
]


def resolve(
    subscription: Subscription,
    definitions: Definitions,
    *,
    semantics: Semantics,
    postgres_version: int = 18,
    default_via_partition_root: bool = False,
    via_partition_root_flag: bool | None = None,
    identity_check: str = "compile",
) -> tuple[ResolvedTable, ...]:
    """Every target of a subscription, in the order of the tables' definitions.

    Raises Mistakes: what PostgreSQL refuses of its publications and of the subscription. What
    stops updates and deletes later is in `unjudged` of each target, and
    `filters.check.replica_identity` asks `identity_check` what becomes of it.
    """
    settings = Settings(
        semantics,
        postgres_version,
        default_via_partition_root,
        via_partition_root_flag,
    )
    return resolve_with(subscription, _index(definitions, settings))


def check(
    definitions: Definitions,
    *,
    semantics: Semantics,
    postgres_version: int = 18,
    default_via_partition_root: bool = False,
    via_partition_root_flag: bool | None = None,
    identity_check: str = "compile",
) -> tuple[Notice, ...]:
    """The warnings of publications that are missing or unsubscribed; `resolve` gives the others.

    Raises Mistakes: what PostgreSQL refuses at CREATE PUBLICATION, of all publications. What a
    filter may hold and read, and what stops updates and deletes later, is checked in `filters`.
    """
    settings = Settings(
        semantics,
        postgres_version,
        default_via_partition_root,
        via_partition_root_flag,
    )
    index = _index(definitions, settings)
    mistakes = [mistake for each in definitions.earlier for mistake in index.judged_then(each)]
    spans = {
        mistake.span for mistake in mistakes if mistake.span
    }  # what follows from it is not told again
    held = (mistake for each in index.mistakes.values() for mistake in each)
    mistakes += (mistake for mistake in held if mistake.span not in spans)
    if mistakes:
        raise Mistakes(mistakes)
    notices: dict[Notice, None] = {}
    for subscription in definitions.subscriptions.values():
        notices |= dict.fromkeys(index.in_vain(subscription))
    for subscription in unsubscribed(definitions):
        notices |= dict.fromkeys(index.notices.get(subscription.name, ()))
    for name, member in index.members.items():
        if not member.entries:  # no target comes of it that could say them
            notices |= dict.fromkeys(index.notices.get(name, ()))
    return tuple(notices)


def judged_then(
    statement: Earlier,
    definitions: Definitions,
    *,
    semantics: Semantics,
    postgres_version: int = 18,
    default_via_partition_root: bool = False,
    via_partition_root_flag: bool | None = None,
) -> Iterator[Mistake]:
    """What is wrong with what a statement says, by its tables as they stood then."""
    settings = Settings(
        semantics,
        postgres_version,
        default_via_partition_root,
        via_partition_root_flag,
    )
    return _index(definitions, settings).judged_then(statement)


def _index(definitions: Definitions, settings: Settings) -> Index:
    routed = settings.semantics.partition_routing == "via_root_topmost"
    if settings.via_partition_root_flag is not None and not routed:
        raise Mistakes([FLAG_NEEDS_PUBLICATIONS(semantics=settings.semantics.name)])
    return index_of(definitions, settings)
