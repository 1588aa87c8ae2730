"""Which columns a filter may read when it judges old rows: those of the replica identity.

An error where a subscription would need the old row; a warning where ``identity_check: run`` says
that the first such UPDATE or DELETE stops the run. An insert-only publication may read any column,
and so may every filter of a feed whose old rows are complete (``before: complete``).

Example
    ======================== =================== ===================== =======
    t (id key, total)        publishes           replica identity      verdict
    ======================== =================== ===================== =======
    WHERE (id > 5)           everything          default               allowed
    WHERE (total > 5)        insert, truncate    default               allowed
    WHERE (total > 5)        update              default               refused
    WHERE (total > 5)        everything          full                  allowed
    ======================== =================== ===================== =======

    A filter that another publication makes redundant is judged too, and a root's filter by the
    identity of each of its leaves.

PostgreSQL
    publicationcmds.c, pub_rf_contains_invalid_column(); execReplication.c,
    CheckCmdReplicaIdentity()
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from filtersql import publications
from filtersql.catalog import Catalog, Identity, Table
from filtersql.definitions.model import Action, Definitions
from filtersql.errors import Mistake, Mistakes, Notice
from filtersql.errors.publications import FilterOutsideIdentity, NoReplicaIdentity, as_notice, shown
from filtersql.errors.replication_sets import NEEDS_FULL_IDENTITY
from filtersql.filters.model import Filter
from filtersql.names import RelationName
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.semantics import POSTGRES, Semantics
from filtersql.source import Passage, Span

__all__ = [
    "check_identity",
    "check_unsubscribed",
    "lints",
    "unjudgeable",
    "without_effect",
]

#: resolves a contribution's text on a table: `filter_of(where, table, publication)`
FilterOf = Callable[[Passage, Table, str], Filter]
#: a filter, the leaves whose old rows it judges, and the actions
_Read = tuple[Filter, list[Table], Iterable[Action]]


def check_identity(
    resolved: ResolvedTable,
    action_filters: Mapping[Action, tuple[Filter, ...]],
    *,
    catalog: Catalog,
    identity_check: str = "compile",
    semantics: Semantics = POSTGRES,
    filter_of: FilterOf | None = None,
) -> tuple[Notice, ...]:
    """What the filters of a target read beyond the replica identity of its leaves.

    `action_filters` are those in force; with `filter_of`, those without effect are judged too, as
    PostgreSQL does. What `publications` found is reported with them. Raises Mistakes unless
    `identity_check` is `run`.
    """
    mistakes = unjudgeable(resolved, action_filters, catalog, semantics, filter_of)
    if mistakes and identity_check != "run":
        raise Mistakes(mistakes)
    return tuple(as_notice("replica-identity", mistake) for mistake in mistakes)


def unjudgeable(
    resolved: ResolvedTable,
    action_filters: Mapping[Action, tuple[Filter, ...]],
    catalog: Catalog,
    semantics: Semantics,
    filter_of: FilterOf | None,
) -> list[Mistake]:
    """What stops the first UPDATE or DELETE of a target; PostgreSQL 15 copies some without any."""
    if not resolved.streamed:
        return []
    told = [
        mistake
        for mistake in resolved.unjudged
        if _judges_old_rows(semantics)
        or (isinstance(mistake, NoReplicaIdentity) and not semantics.sets_need_key)
    ]
    feed = resolved.subscription.changes
    if feed is not None and feed.before_complete:
        return told
    return [
        *_of_filters(resolved, action_filters, catalog, semantics, filter_of),
        *told,
        *_not_full(resolved, catalog, semantics),
    ]


def lints(
    resolved: ResolvedTable,
    action_filters: Mapping[Action, tuple[Filter, ...]],
    definitions: Definitions,
    filter_of: FilterOf,
) -> Iterator[Notice]:
    """Old rows that carry more than any filter reads, and deletes that no filter lets through."""
    catalog = definitions.catalog
    judging = {Action.UPDATE, Action.DELETE}
    filters = [one for action in judging for one in action_filters.get(action, ())]
    filters += [
        filter_of(where, catalog.tables[part.written_on], part.publication)
        for part, where in without_effect(resolved)
        if part.actions & judging
    ]
    read = {column for one in filters for column in one.columns}
    leaves = [catalog.tables[source] for source in resolved.sources]
    wide = [
        leaf
        for leaf in leaves
        if leaf.replica_identity.kind is Identity.FULL
        and leaf.finding_key
        and read <= set(leaf.finding_key)
        and not _is_filtered_elsewhere(leaf, resolved, definitions)
    ]
    named = [resolved.table] if len(wide) == len(leaves) else wide
    for table in named if wide and not resolved.semantics.full_identity else ():
        yield Notice(
            "identity-wider-than-needed",
            f'replica identity of table "{shown(table.name)}" is wider than its row filters need',
            resolved.subscription.span,
            "They read columns of the primary key only, by which rows are found."
            if judging & resolved.filters.keys()
            else "Neither updates nor deletes are published, so no filter reads old rows.",
            "REPLICA IDENTITY DEFAULT logs less. The filters of publications that are not "
            "subscribed to count as well.",
        )
    name = shown(resolved.table.name)
    if resolved.semantics.delete_policy != "key_only_filter":
        return
    for row_filter in action_filters.get(Action.DELETE, ()):
        beyond = [one for one in row_filter.columns if one not in resolved.table.identity_columns]
        if beyond and resolved.semantics.null_policy == "drop":
            yield Notice(
                "delete-never-sent",
                f'row filter for table "{name}" reads column "{beyond[0]}", '
                "which no delete carries",
                row_filter.columns[beyond[0]],
                "Deletes are judged by the key alone; where that gives NULL, they are not sent.",
            )


def _is_filtered_elsewhere(leaf: Table, resolved: ResolvedTable, definitions: Definitions) -> bool:
    """Whether other publications filter it, or its roots: their subscribers need old rows, too."""
    own = {part.publication for part in resolved.contributions}
    tables = (leaf, *definitions.catalog.ancestors(leaf.name))
    return any(definitions.judging_old_rows.get(one.name, frozenset()) - own for one in tables)


def _of_filters(
    resolved: ResolvedTable,
    action_filters: Mapping[Action, tuple[Filter, ...]],
    catalog: Catalog,
    semantics: Semantics,
    filter_of: FilterOf | None,
) -> Iterator[Mistake]:
    leaves = [catalog.tables[name] for name in resolved.sources]
    read: list[_Read] = [
        (row_filter, leaves, (action,))
        for action in _judges_old_rows(semantics)
        for row_filter in action_filters.get(action, ())
    ]
    if filter_of is not None and _reads_old(resolved, semantics):
        read += _without_effect(resolved, leaves, catalog, semantics, filter_of)
    yield from _mistakes(read, resolved.table.name)


def _not_full(resolved: ResolvedTable, catalog: Catalog, semantics: Semantics) -> Iterator[Mistake]:
    """The first leaf of a filtered table that logs less than the source system asks for."""
    changing = {Action.UPDATE, Action.DELETE} & set(resolved.filters)
    filtered = any(part.where is not None for part in resolved.contributions)
    if not semantics.full_identity or not changing or not filtered:
        return
    for name in resolved.sources:
        if catalog.tables[name].replica_identity.kind is not Identity.FULL:
            yield NEEDS_FULL_IDENTITY(catalog.tables[name].span, name=name)
            return


def _not_full_yet(definitions: Definitions, semantics: Semantics) -> Iterator[Notice]:
    """Tables whose named rules nobody enables: who does needs REPLICA IDENTITY FULL."""
    enabled = {name for each in definitions.subscriptions.values() for name in each.filters}
    for publication in definitions.publications.values() if semantics.full_identity else ():
        if publication.publish.isdisjoint((Action.UPDATE, Action.DELETE)):
            continue
        for entry in publication.tables:
            table = definitions.catalog.tables.get(entry.name)
            if table is None or not entry.filters or str(entry.name) in enabled:
                continue
            if table.replica_identity.kind is not Identity.FULL and not table.partition_by:
                yield as_notice(
                    "replica-identity", NEEDS_FULL_IDENTITY(table.span, name=entry.name)
                )


def check_unsubscribed(
    definitions: Definitions,
    filter_of: FilterOf,
    *,
    semantics: Semantics,
    postgres_version: int = 18,
    default_via_partition_root: bool = False,
    via_partition_root_flag: bool | None = None,
) -> tuple[Notice, ...]:
    """The warnings of filters that no subscription uses; what is refused elsewhere gives none."""
    found: dict[Notice, None] = dict.fromkeys(_not_full_yet(definitions, semantics))
    for subscription in publications.unsubscribed(definitions):
        with suppress(Mistakes, Mistake):
            for resolved in publications.resolve(
                subscription,
                definitions,
                semantics=semantics,
                postgres_version=postgres_version,
                default_via_partition_root=default_via_partition_root,
                via_partition_root_flag=via_partition_root_flag,
                identity_check="run",
            ):
                by_action = {
                    action: tuple(
                        filter_of(part.where, resolved.table, part.publication)
                        for part in parts
                        if part.where is not None
                    )
                    for action, parts in resolved.filters.items()
                }
                notices = check_identity(
                    resolved,
                    by_action,
                    catalog=definitions.catalog,
                    identity_check="run",
                    semantics=semantics,
                    filter_of=filter_of,
                )
                found |= dict.fromkeys(notices)
    return tuple(found)


def _reads_old(resolved: ResolvedTable, semantics: Semantics) -> bool:
    """Whether any publication of the target needs old rows to be judged."""
    needed = _judges_old_rows(semantics)
    parts = (*resolved.contributions, *resolved.displaced)
    return any(action in part.actions for part in parts for action in needed)


def without_effect(resolved: ResolvedTable) -> Iterator[tuple[Contribution, Passage]]:
    """The filters that do not count: absorbed, redundant beside a schema, or of a lower level."""
    for part in dict.fromkeys(each for parts in resolved.absorbed.values() for each in parts):
        if part.where is not None:
            yield part, part.where
    for part in resolved.contributions:
        if part.ignored is not None:
            yield part, part.ignored
    for part in resolved.displaced:
        text = part.where or part.ignored
        if text is not None:
            yield part, text


def _without_effect(
    resolved: ResolvedTable,
    leaves: Iterable[Table],
    catalog: Catalog,
    semantics: Semantics,
    filter_of: FilterOf,
) -> Iterator[_Read]:
    needed = _judges_old_rows(semantics)
    for part, where in without_effect(resolved):
        if part.actions.isdisjoint(needed):
            continue
        below = [leaf for leaf in leaves if _is_below(leaf.name, part.written_on, catalog)]
        if part not in resolved.displaced:
            below = list(leaves)
        actions = [action for action in needed if action in part.actions]
        yield filter_of(where, catalog.tables[part.written_on], part.publication), below, actions


def _mistakes(read: Iterable[_Read], published_as: RelationName) -> Iterator[Mistake]:
    """One mistake for each place in a filter, with the first leaf that lacks the column."""
    places: dict[Span, tuple[str, Table, list[Action]]] = {}
    for row_filter, leaves, actions in read:
        for column, span in row_filter.columns.items():
            leaf = next((leaf for leaf in leaves if not _carries(leaf, column)), None)
            if leaf is not None:
                places.setdefault(span, (column, leaf, []))[2].extend(actions)
    for span, (column, leaf, stopped) in places.items():
        named = None if leaf.name == published_as else leaf.name.name
        identity = leaf.identity_columns
        yield FilterOutsideIdentity(published_as, column, identity, named, stopped, span)


def _carries(leaf: Table, column: str) -> bool:
    """Whether a leaf's old rows hold the column: PostgreSQL asks nothing of identity FULL."""
    return leaf.replica_identity.kind is Identity.FULL or column in leaf.identity_columns


def _judges_old_rows(semantics: Semantics) -> tuple[Action, ...]:
    update = semantics.update_decision == "old_new"
    delete = semantics.delete_policy == "old_filter"
    return ((Action.UPDATE,) if update else ()) + ((Action.DELETE,) if delete else ())


def _is_below(name: RelationName, ancestor: RelationName, catalog: Catalog) -> bool:
    return name == ancestor or any(each.name == ancestor for each in catalog.ancestors(name))
