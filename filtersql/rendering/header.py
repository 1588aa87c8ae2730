"""The comment at the head of a statement: whose filter is in force for which action, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filtersql.changes import Criterion, Judgements
from filtersql.publications.model import ResolvedTable

__all__ = ["header"]


def header(
    resolved: ResolvedTable,
    judgements: Judgements,
    *,
    target: str,
    key: Sequence[str],
    changes_view: str,
    settings: Mapping[str, str],
) -> tuple[str, ...]:
    """The lines, without their comment marks."""
    publications = dict.fromkeys(part.publication for part in resolved.contributions)
    by_op = {op: arm.criteria for arm in judgements.old for op in arm.ops}
    by_op |= {op: arm.criteria for arm in judgements.new for op in arm.ops}
    by_op["copy"] = judgements.copy
    lines = [
        f"Subscription {resolved.subscription.name}: {resolved.table.name} -> {target}",
        f"Publications: {', '.join(publications)}",
        "Row filter in force, for each action:",
        *(f"  {op:<8} {_in_words(by_op[op])}" for op in ("insert", "update", "delete", "copy")),
        "  truncate "
        + ("published; no filter judges it" if resolved.truncates else "is not published"),
        *resolved.why,
        f"Changes of: {', '.join(map(str, resolved.sources))}, from the view {changes_view}",
        f"Rows are found by: {', '.join(key) or 'nothing; inserts only'}",
        f"Settings: {', '.join(f'{name}={value}' for name, value in settings.items())}",
    ]
    return tuple(lines)


def _in_words(criteria: Sequence[Criterion]) -> str:
    return " OR ".join(criterion.label for criterion in criteria)
