"""Which filters judge an insert, an update, a delete: those of the publications that publish it.

An unfiltered publication absorbs the others, for the actions that it publishes. Replication sets
of pglogical are the other way round (`combine: and`): every set's filter must let a row pass,
whatever the set replicates, and an unfiltered set cancels none.

Example
    ================================== ======== ======== ==========
    publication                        insert   update   delete
    ================================== ======== ======== ==========
    p1: t WHERE (a > 5), all actions   a > 5    a > 5    a > 5
    p2: t WHERE (b = 1), insert only   b = 1
    p3: t, delete only                                   every row
    **in force**                       a > 5 OR a > 5    every row
                                       b = 1
    ================================== ======== ======== ==========

PostgreSQL
    pgoutput.c, pgoutput_row_filter_init(); pglogical_output_plugin.c, pglogical_change_filter()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from filtersql.definitions.model import Action
from filtersql.definitions.windows import filter_text
from filtersql.errors import Mistake
from filtersql.errors.replication_sets import SEVERAL_FILTERS
from filtersql.names import RelationName
from filtersql.publications.membership import Membership
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.semantics import Semantics

__all__ = ["ROW_ACTIONS", "InForce", "contribution", "in_force", "several_filters"]

ROW_ACTIONS = (Action.INSERT, Action.UPDATE, Action.DELETE)


class InForce(Struct, frozen=True):
    """The filters of each published action, and what they made redundant."""

    filters: dict[Action, tuple[Contribution, ...]] = field(default_factory=dict)
    absorbed: dict[Action, tuple[Contribution, ...]] = field(default_factory=dict)


def in_force(contributions: Sequence[Contribution], semantics: Semantics) -> InForce:
    """Sort contributions by action; filters that are ANDed count whatever their set replicates."""
    answer, every = InForce(), semantics.combine == "and"
    filters = [each for each in contributions if each.where is not None]
    others = [each for each in contributions if each.where is None]
    for action in ROW_ACTIONS:
        if not any(action in each.actions for each in contributions):
            continue
        filtered = tuple(each for each in filters if every or action in each.actions)
        unfiltered = any(every or action in each.actions for each in others)
        absorbed = semantics.unfiltered_cancels and unfiltered
        answer.filters[action] = () if absorbed else filtered
        if absorbed and filtered:
            answer.absorbed[action] = filtered
    return answer


def contribution(member: Membership, listed: RelationName, target: RelationName) -> Contribution:
    """What a publication that lists `listed` says of rows published as `target`."""
    entry = member.entries.get(target)
    where = None if entry is None else entry.where
    in_schema = target.schema in member.schemas
    at = target if in_schema or entry is not None else listed
    if in_schema or member.all_tables:
        # They hold the table without a filter: an entry's WHERE has no effect.
        return Contribution(member.name, member.actions, None, at, member.reason(at), where)
    return Contribution(member.name, member.actions, where, at, member.reason(at))


def several_filters(resolved: ResolvedTable) -> Iterator[Mistake]:
    """A second filter where the source system enables at most one for a table."""
    if resolved.semantics.combine != "single":
        return
    filtered = [each for each in resolved.contributions if each.where is not None]
    if len({filter_text(each.where) for each in filtered if each.where is not None}) > 1:
        names = dict.fromkeys(each.publication for each in filtered)
        yield SEVERAL_FILTERS(
            resolved.subscription.span, name=resolved.table.name, publications=names
        )
