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

from filtersql.catalog import Catalog, Identity, Table
from filtersql.definitions.model import Action
from filtersql.errors import Mistake, Mistakes, Notice
from filtersql.errors.publications import FilterOutsideIdentity, NoReplicaIdentity, as_notice
from filtersql.errors.replication_sets import NEEDS_FULL_IDENTITY
from filtersql.filters.model import Filter
from filtersql.names import RelationName
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.source import Passage, Span

__all__ = ["FilterOf", "check_identity", "unjudgeable", "without_effect"]

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
    filter_of: FilterOf | None = None,
) -> tuple[Notice, ...]:
    """What the filters of a target read beyond the replica identity of its leaves.

    `action_filters` are those in force; with `filter_of`, those without effect are judged too, as
    PostgreSQL does. What `publications` found is reported with them. Raises Mistakes unless
    `identity_check` is `run`.
    """
    mistakes = unjudgeable(resolved, action_filters, catalog, filter_of)
    if mistakes and identity_check != "run":
        raise Mistakes(mistakes)
    return tuple(as_notice("replica-identity", mistake) for mistake in mistakes)


def unjudgeable(
    resolved: ResolvedTable,
    action_filters: Mapping[Action, tuple[Filter, ...]],
    catalog: Catalog,
    filter_of: FilterOf | None,
) -> list[Mistake]:
    """What stops the first UPDATE or DELETE of a target; PostgreSQL 15 copies some without any."""
    if not resolved.streamed:
        return []
    told = [
        mistake
        for mistake in resolved.unjudged
        if _judges_old_rows(resolved)
        or (isinstance(mistake, NoReplicaIdentity) and not resolved.semantics.sets_need_key)
    ]
    feed = resolved.subscription.changes
    if feed is not None and feed.before_complete:
        return told
    return [
        *_of_filters(resolved, action_filters, catalog, filter_of),
        *told,
        *_not_full(resolved, catalog),
    ]


def _of_filters(
    resolved: ResolvedTable,
    action_filters: Mapping[Action, tuple[Filter, ...]],
    catalog: Catalog,
    filter_of: FilterOf | None,
) -> Iterator[Mistake]:
    leaves = [catalog.tables[name] for name in resolved.sources]
    read: list[_Read] = [
        (row_filter, leaves, (action,))
        for action in _judges_old_rows(resolved)
        for row_filter in action_filters.get(action, ())
    ]
    if filter_of is not None and _reads_old(resolved):
        read += _without_effect(resolved, leaves, catalog, filter_of)
    yield from _mistakes(read, resolved.table.name)


def _not_full(resolved: ResolvedTable, catalog: Catalog) -> Iterator[Mistake]:
    """The first leaf of a filtered table that logs less than the source system asks for."""
    changing = {Action.UPDATE, Action.DELETE} & set(resolved.filters)
    filtered = any(part.where is not None for part in resolved.contributions)
    if not resolved.semantics.full_identity or not changing or not filtered:
        return
    for name in resolved.sources:
        if catalog.tables[name].replica_identity.kind is not Identity.FULL:
            yield NEEDS_FULL_IDENTITY(catalog.tables[name].span, name=name)
            return


def _reads_old(resolved: ResolvedTable) -> bool:
    """Whether any publication of the target needs old rows to be judged."""
    needed = _judges_old_rows(resolved)
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
    filter_of: FilterOf,
) -> Iterator[_Read]:
    needed = _judges_old_rows(resolved)
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


def _judges_old_rows(resolved: ResolvedTable) -> tuple[Action, ...]:
    update = resolved.semantics.update_decision == "old_new"
    delete = resolved.semantics.delete_policy == "old_filter"
    return ((Action.UPDATE,) if update else ()) + ((Action.DELETE,) if delete else ())


def _is_below(name: RelationName, ancestor: RelationName, catalog: Catalog) -> bool:
    return name == ancestor or any(each.name == ancestor for each in catalog.ancestors(name))
