"""The rules in their order: from written publications to the targets of one subscription.

Example
    p4: FOR TABLE parent WHERE (a < 5), child WHERE (a >= 5); child is parent's partition.
    Via the partition root: one target, public.parent, from public.child, with a < 5.
    Else: one target, public.child, with a >= 5.

PostgreSQL
    pgoutput.c, get_rel_sync_entry(); subscriptioncmds.c, fetch_table_list()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from filtersql.catalog import Identity
from filtersql.definitions.model import Action, Subscription
from filtersql.errors import Mistake, Mistakes, Notice
from filtersql.errors.publications import CONFLICTING_ALIASES
from filtersql.names import RelationName
from filtersql.publications.actions import ROW_ACTIONS, contribution, in_force, several_filters
from filtersql.publications.columns import published_columns
from filtersql.publications.foreign_keys import unclosed
from filtersql.publications.identity import identity_mistakes
from filtersql.publications.index import Index
from filtersql.publications.initial_copy import copied_besides, copy_filters
from filtersql.publications.lints import lints
from filtersql.publications.membership import Membership
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.publications.partition_root import Listing, Published, listing, published_as
from filtersql.publications.reasons import reasons
from filtersql.publications.truncates import truncated_by, truncates

__all__ = ["resolve_with"]

_Listed = tuple[Membership, RelationName]


class _Target(Struct, frozen=True):
    """A relation under whose name rows are published, while its leaves are being found."""

    published: Published
    sources: list[RelationName] = field(default_factory=list)
    displaced: dict[RelationName, tuple[_Listed, ...]] = field(default_factory=dict)


def resolve_with(subscription: Subscription, index: Index) -> tuple[ResolvedTable, ...]:
    """Every target of a subscription, in the order of the tables' definitions."""
    members, mistakes = index.subscribed(subscription)
    routing = index.settings.semantics.partition_routing
    listed = listing(members, routing, index.roots)
    streamed, silent = _streamed(listed, index)
    listed_names = {*streamed, *(each.name for each in silent)}
    besides = copied_besides(listed, listed_names, index.lineage, index.settings.postgres_version)
    copied = (_Target(each, [each.name]) for each in (*silent, *besides))
    resolved_tables: list[ResolvedTable] = []
    for target in (*streamed.values(), *copied):
        changes = target.published.name in streamed
        resolved, wrong = _resolved(target, subscription, index, changes)
        mistakes += wrong
        unjudged = tuple(_identity(target, index)) if changes else ()
        resolved_tables.append(replace(resolved, unjudged=unjudged) if unjudged else resolved)
    if mistakes:
        raise Mistakes(mistakes)
    for name, notices in unclosed(resolved_tables, members, index).items():
        at = next(place for place, each in enumerate(resolved_tables) if each.table.name == name)
        resolved_tables[at] = replace(
            resolved_tables[at], notices=(*resolved_tables[at].notices, *notices)
        )
    return tuple(sorted(resolved_tables, key=lambda each: index.order[each.table.name]))


def _streamed(listed: Listing, index: Index) -> tuple[dict[RelationName, _Target], list[Published]]:
    """The targets of changes: each leaf's rows go to one. And what no change is decoded of."""
    lineage = index.lineage
    targets: dict[RelationName, _Target] = {}
    silent: list[Published] = []
    # Every subscription asks for every table: most are told apart by their names alone.
    by_name = None if listed.by_schema or listed.all_tables else listed.by_name.keys()
    for name, table in lineage.tables.items():
        if by_name is not None and by_name.isdisjoint(lineage.lineage(name)):
            continue
        if table.partition_by is not None and lineage.leaves[name]:
            continue
        published = published_as(name, listed, lineage)
        if published is None:
            continue
        if table.unlogged and published.name == name and listed.routing == "via_root_topmost":
            silent.append(published)
            continue
        target = targets.setdefault(published.name, _Target(published))
        if table.unlogged and published.name != name:
            continue  # the copy of a root reads such a partition, and no change of it is decoded
        if table.partition_by is None:
            target.sources.append(name)
        if published.displaced:
            target.displaced[name] = published.displaced
    return targets, silent


def _resolved(
    target: _Target, subscription: Subscription, index: Index, streamed: bool
) -> tuple[ResolvedTable, list[Mistake]]:
    """One target by all rules."""
    name = target.published.name
    table = index.lineage.tables[name]
    semantics = index.settings.semantics
    members = [member for member, _ in target.published.members]
    contributions = tuple([contribution(*each, name) for each in target.published.members])
    answer = in_force(contributions if streamed else (), semantics)
    displaced, only_from = _leaked(target, answer.filters, index)
    columns, mistakes = published_columns(
        table,
        members,
        subscription.span,
        postgres_version=index.settings.postgres_version,
        changes=bool(answer.filters or only_from),
        union=semantics.column_lists == "union",
    )
    resolved = ResolvedTable(
        subscription=subscription,
        table=table,
        columns=columns,
        sources=tuple(target.sources),
        truncated_by=truncated_by(name, index.lineage),
        filters=answer.filters | dict.fromkeys(only_from, ()),
        copy_filters=copy_filters(contributions, semantics),
        truncates=streamed and truncates(contributions),
        contributions=contributions,
        absorbed=answer.absorbed,
        only_from=only_from,
        displaced=displaced,
        via_partition_root=table.partition_by is not None,
        streamed=streamed,
        semantics=semantics,
    )
    resolved = _logged(resolved, index)
    alias, wrong = _alias(name, members, subscription)
    resolved = replace(
        resolved,
        alias=alias,
        why=tuple(reasons(resolved, index)),
        notices=(*_own_notices(members, index), *lints(resolved)),
    )
    return resolved, [*mistakes, *wrong, *several_filters(resolved)]


def _logged(resolved: ResolvedTable, index: Index) -> ResolvedTable:
    """A leaf logs by its own identity, under whatever name its rows are published."""
    leaves = [index.lineage.tables[source] for source in resolved.sources]
    if not leaves or leaves == [resolved.table]:
        return resolved
    common = set(leaves[0].identity_columns).intersection(
        *(leaf.identity_columns for leaf in leaves[1:])
    )
    return replace(
        resolved,
        logged=tuple(column.name for column in resolved.table.columns if column.name in common),
        fully_logged=all(leaf.replica_identity.kind is Identity.FULL for leaf in leaves),
    )


def _leaked(
    target: _Target, filters: Mapping[Action, tuple[Contribution, ...]], index: Index
) -> tuple[tuple[Contribution, ...], dict[Action, tuple[RelationName, ...]]]:
    """Displaced publications, and the actions that only they publish, with those leaves."""
    if index.settings.semantics.partition_routing != "via_root_topmost":
        return (), {}
    displaced: dict[tuple[str, RelationName], Contribution] = {}
    leaking: dict[Action, list[RelationName]] = {}
    for leaf, listed in target.displaced.items():
        for member, at in listed:
            own = at if member.via_root or not member.lists(leaf) else leaf
            if (member.name, own) not in displaced:
                displaced[member.name, own] = contribution(member, own, own)
        for action in ROW_ACTIONS:
            # PostgreSQL collects the actions before it looks at the level.
            if action not in filters and any(action in member.actions for member, _ in listed):
                leaking.setdefault(action, []).append(leaf)
    return tuple(displaced.values()), {action: tuple(leaves) for action, leaves in leaking.items()}


def _identity(target: _Target, index: Index) -> list[Mistake]:
    """One mistake of each kind, of the first leaf that has it."""
    mistakes: dict[object, Mistake] = {}
    for name in target.sources:
        members = (*target.published.members, *target.displaced.get(name, ()))
        for mistake in identity_mistakes(
            index.lineage.tables[name],
            members,
            index.lineage,
            postgres_version=index.settings.postgres_version,
        ):
            mistakes.setdefault((type(mistake), mistake.detail), mistake)
    return list(mistakes.values())


def _alias(
    name: RelationName, members: list[Membership], subscription: Subscription
) -> tuple[str | None, list[Mistake]]:
    entries = (member.entries.get(name) for member in members if member.has_aliases)
    aliases = list(dict.fromkeys(entry.alias for entry in entries if entry and entry.alias))
    if len(aliases) > 1:
        return aliases[0], [CONFLICTING_ALIASES(subscription.span, name=name, aliases=aliases)]
    return (aliases[0] if aliases else None), []


def _own_notices(members: list[Membership], index: Index) -> Iterator[Notice]:
    for member in members if index.notices else ():
        yield from index.notices.get(member.name, ())
