"""`show subscription`: the filter in force for each target and action, and why.

Example
    ::

                             Subscription s1
       Table    |  Action  |             Rows              | Publication
     -----------+----------+-------------------------------+-------------
      public.t1 | insert   | (a > 5)                       | p1
                |          | or (b = 1)                    | p2
                | update   | (a > 5)                       | p1
                | delete   | every row                     | p3
                | truncate | yes                           | p1
                | copy     | every row                     | p3
     public.t1:
         Publication "p3" (for table) sends every delete, so the filter of "p1" does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from filtersql.definitions.model import Action, Subscription
from filtersql.errors.publications import shown
from filtersql.names import RelationName
from filtersql.publications.actions import ROW_ACTIONS
from filtersql.publications.model import Contribution, ResolvedTable
from filtersql.review.show_publication import Deparse
from filtersql.review.text_table import aligned

__all__ = ["subscription_json", "subscription_text"]

_HEADERS = ("Table", "Action", "Rows", "Publication")


def subscription_text(
    subscription: Subscription, resolved: Sequence[ResolvedTable], deparse: Deparse
) -> str:
    """One table of all targets, with the reasons below."""
    rows = [row for each in resolved for row in _rows(each, deparse)]
    footers = [line for each in resolved for line in _reasons(each)]
    if not rows:
        footers.append("No table is published.")
    return aligned(f"Subscription {subscription.name}", _HEADERS, rows, footers)


def subscription_json(
    subscription: Subscription, resolved: Sequence[ResolvedTable], deparse: Deparse
) -> dict[str, object]:
    """The same as JSON values."""
    return {
        "name": subscription.name,
        "description": subscription.description,
        "publications": [name for name, _ in subscription.publications],
        "replication_sets": [name for name, _ in subscription.replication_sets],
        "filters": dict(subscription.filters),
        "copy_data": subscription.copy_data,
        "tags": list(subscription.tags),
        "targets": [_target(each, deparse) for each in resolved],
    }


def _rows(resolved: ResolvedTable, deparse: Deparse) -> Iterator[tuple[str, str, str, str]]:
    name = _plain(resolved.table.name)
    for action in ROW_ACTIONS:
        filters = resolved.filters.get(action)
        for number, (condition, who) in enumerate(_filters(action, filters, resolved, deparse)):
            yield name, "" if number else str(action), condition, who
            name = ""
    truncating = [each for each in resolved.contributions if Action.TRUNCATE in each.actions]
    by = _names(truncating) if resolved.truncates else ""
    yield name, "truncate", "yes" if resolved.truncates else "not published", by
    if not resolved.subscription.copy_data:
        yield "", "copy", "none", ""
        return
    for number, each in enumerate(resolved.copy_filters):
        text = _text(each, resolved, deparse)
        shown_text = _joined(number, resolved) + text
        yield "", "" if number else "copy", shown_text, each.publication
    if not resolved.copy_filters:
        everyone = _names(each for each in resolved.contributions if each.where is None)
        yield "", "copy", "every row", everyone


def _filters(
    action: Action,
    filters: Sequence[Contribution] | None,
    resolved: ResolvedTable,
    deparse: Deparse,
) -> Iterator[tuple[str, str]]:
    """What one action sends, and by which publication: a line for each alternative."""
    if filters is None:
        yield "not published", ""
        return
    if _target_decides(action, resolved):
        by = _names(each for each in resolved.contributions if action in each.actions)
        yield "every row that the target has", by
        return
    for number, each in enumerate(filters):
        yield _joined(number, resolved) + _text(each, resolved, deparse), each.publication
    if filters:
        return
    parts = (*resolved.contributions, *resolved.displaced)
    leaking = resolved.only_from.get(action)
    if leaking is not None:
        yield (
            f"every row of {', '.join(map(_plain, leaking))}",
            _names(each for each in resolved.displaced if action in each.actions),
        )
        return
    yield (
        "every row",
        _names(each for each in parts if each.where is None and action in each.actions),
    )


def _target_decides(action: Action, resolved: ResolvedTable) -> bool:
    """Whether no filter judges a delete: the target's own row does."""
    return resolved.semantics.delete_policy == "target_existence" and action is Action.DELETE


def _joined(number: int, resolved: ResolvedTable) -> str:
    """What stands before a filter that is not the first one."""
    word = "and " if resolved.semantics.combine == "and" else "or "
    return word if number else ""


def _reasons(resolved: ResolvedTable) -> Iterator[str]:
    name = _plain(resolved.table.name)
    lines = [*resolved.why, *(f"Warning: {each.message}" for each in resolved.notices)]
    if resolved.via_partition_root and resolved.sources and resolved.streamed:
        lines.insert(0, f"Changes come from {', '.join(map(_plain, resolved.sources))}.")
    if len(resolved.columns) < len(resolved.table.columns):
        lines.append(f"Columns: {', '.join(column.name for column in resolved.columns)}.")
    if lines:
        yield f"{name}:"
        yield from (f"    {line}" for line in lines)


def _target(resolved: ResolvedTable, deparse: Deparse) -> dict[str, object]:
    return {
        "table": list(resolved.table.name),
        "alias": resolved.alias,
        "sources": [list(each) for each in resolved.sources],
        "columns": [column.name for column in resolved.columns],
        "via_partition_root": resolved.via_partition_root,
        "combine": resolved.semantics.combine,
        "actions": {
            str(action): _action(action, resolved, deparse)
            for action in ROW_ACTIONS
            if action in resolved.filters
        },
        "truncate": resolved.truncates,
        "truncated_by": [list(each) for each in resolved.truncated_by],
        "copy": {
            "filters": [_contribution(each, resolved, deparse) for each in resolved.copy_filters]
        },
        "displaced": [_contribution(each, resolved, deparse) for each in resolved.displaced],
        "why": list(resolved.why),
        "warnings": [
            {"name": each.name, "message": each.message, "detail": each.detail, "hint": each.hint}
            for each in resolved.notices
        ],
    }


def _action(action: Action, resolved: ResolvedTable, deparse: Deparse) -> dict[str, object]:
    filters = () if _target_decides(action, resolved) else resolved.filters[action]
    absorbed = resolved.absorbed.get(action, ())
    sources = resolved.only_from.get(action)
    return {
        "every_row": not filters,
        "filters": [_contribution(each, resolved, deparse) for each in filters],
        "absorbed": [_contribution(each, resolved, deparse) for each in absorbed],
        "only_from": None if sources is None else [list(each) for each in sources],
    }


def _contribution(
    each: Contribution, resolved: ResolvedTable, deparse: Deparse
) -> dict[str, object]:
    return {
        "publication": each.publication,
        "filter": _text(each, resolved, deparse) if each.where is not None else None,
        "written_on": list(each.written_on),
        "reason": each.reason,
    }


def _text(each: Contribution, resolved: ResolvedTable, deparse: Deparse) -> str:
    if each.where is None:
        return "every row"
    table = each.written_on if each in resolved.displaced else resolved.table.name
    return deparse(each.where, table, each.publication)


def _names(contributions: Iterable[Contribution]) -> str:
    return ", ".join(dict.fromkeys(each.publication for each in contributions))


def _plain(name: RelationName) -> str:
    return str(name) if name.schema != "public" else f"public.{shown(name)}"
