"""Warnings of a replica identity: wider than filters need, or too narrow for a delete to be sent.

Example
    ================= ================ ====================== ===========================
    t (id key, total) replica identity filters of old rows    warning
    ================= ================ ====================== ===========================
    WHERE (id > 5)    full             read id alone          identity-wider-than-needed
    WHERE (total > 5) default          DELETE, judged by key  delete-never-sent
    ================= ================ ====================== ===========================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from filtersql.catalog import Identity, Table
from filtersql.definitions.model import Action, Definitions
from filtersql.errors import Notice
from filtersql.errors.publications import shown
from filtersql.filters.check.replica_identity import FilterOf, without_effect
from filtersql.filters.model import Filter
from filtersql.publications.model import ResolvedTable

__all__ = ["lints"]


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
