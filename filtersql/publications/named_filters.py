"""xDB's filters: named rules of a publication's table, of which a subscription enables one.

Example
    ===================================== ======================================
    dept: {dept_north: "deptno < 30"}     subscription: filters: {dept: dept_north}
    nothing enabled on dept               every row of dept
    a rule that the table does not have   a mistake
    ===================================== ======================================

xDB
    Replication Server user's guide, "Enabling filters on a subscription": at most one filter
    rule for each table of a subscription
"""

from __future__ import annotations

from msgspec.structs import replace

from filtersql.definitions.model import Subscription
from filtersql.errors import Mistake
from filtersql.errors.publications import perhaps
from filtersql.errors.replication_sets import (
    FILTER_RULE_DOES_NOT_EXIST,
    NAMED_FILTERS_NEED_PROFILE,
    TABLE_NOT_PUBLISHED,
)
from filtersql.publications.membership import Membership
from filtersql.semantics import Semantics

__all__ = ["enabled"]


def enabled(
    members: list[Membership], subscription: Subscription, semantics: Semantics
) -> tuple[list[Membership], list[Mistake]]:
    """The publications with the rules that the subscription enables as their filters."""
    named = any(entry.filters for member in members for entry in member.entries.values())
    if not named and not subscription.filters:
        return members, []
    if semantics.combine != "single":
        return members, [NAMED_FILTERS_NEED_PROFILE(subscription.span)]
    mistakes: list[Mistake] = []
    wanted = dict(subscription.filters)
    answer = []
    for member in members:
        entries = dict(member.entries)
        for name, entry in member.entries.items():
            rule = subscription.filters.get(str(name))
            if rule is None:
                continue
            wanted.pop(str(name), None)
            if rule in entry.filters:
                entries[name] = replace(entry, where=entry.filters[rule])
            else:
                mistakes.append(
                    FILTER_RULE_DOES_NOT_EXIST(
                        subscription.span, rule=rule, name=name, hint=perhaps(rule, entry.filters)
                    )
                )
        answer.append(replace(member, entries=entries))
    mistakes += [
        TABLE_NOT_PUBLISHED(subscription.span, table=key, subscription=subscription.name)
        for key in wanted
    ]
    return answer, mistakes
