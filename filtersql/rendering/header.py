"""The comment at the head of a statement: whose filter is in force for which action, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from filtersql.changes import Criterion, Judgements
from filtersql.publications.model import ResolvedTable

__all__ = ["header"]

#: switches that change what a reader expects of PostgreSQL
_SWITCHES = {
    ("null_policy", "keep"): "A row for which its filter is NULL is sent.",
    ("update_decision", "new_only"): "An UPDATE is judged by its new row alone: it stays an UPDATE,"
    " or is not sent.",
    ("update_decision", "target_existence"): "An UPDATE whose new row does not match deletes the"
    " target's row; one that matches inserts it where it is missing.",
    ("delete_policy", "key_only_filter"): "A DELETE is judged by its replica identity; all other"
    " columns are NULL.",
    ("delete_policy", "target_existence"): "A DELETE is sent whatever the filter says.",
    ("missing_target", "skip"): "An UPDATE of a row that the target lacks is skipped.",
}


_CONFLICTS = {
    "skip": ("Conflicts: a change that meets the wrong state in the target is skipped.",),
    "error": ("Conflicts: the run stops before a row that exists; a missing one is skipped.",),
}


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
        *(
            f"  {op:<8} {_in_words(by_op[op], judgements)}"
            for op in ("insert", "update", "delete", "copy")
        ),
        "  truncate "
        + ("published; no filter judges it" if resolved.truncates else "is not published"),
        *(sentence for switch, sentence in _SWITCHES.items() if _is_turned(resolved, switch)),
        *resolved.why,
        *_CONFLICTS.get(resolved.subscription.on_conflict or "", ()),
        f"Changes of: {', '.join(map(str, resolved.sources))}, from the view {changes_view}",
        f"Rows are found by: {', '.join(key) or 'nothing; inserts only'}",
        f"Settings: {', '.join(f'{name}={value}' for name, value in settings.items())}",
    ]
    return tuple(lines)


def _is_turned(resolved: ResolvedTable, switch: tuple[str, str]) -> bool:
    name, value = switch
    said = resolved.subscription.on_conflict if name == "missing_target" else None
    return said is None and getattr(resolved.semantics, name) == value


def _in_words(criteria: Sequence[Criterion], judgements: Judgements) -> str:
    return (" AND " if judgements.every else " OR ").join(one.label for one in criteria)
